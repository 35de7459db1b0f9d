/** Figures as people read them. */

const whole = new Intl.NumberFormat('en');

export const count = (value: number): string => whole.format(Math.round(value));

/** Three digits at most: `0.42`, `7.3`, `128`. */
export function figure(value: number): string {
  return value < 10 ? value.toFixed(value < 1 ? 2 : 1).replace(/\.?0+$/, '') || '0' : count(value);
}

/** Decimal units, as disks and the Hub count them. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? Math.round(value) : figure(value)} ${units[unit]}`;
}

/** Tokens in thousands where they are many: `512`, `32k`, `1M`. */
export function tokens(value: number): string {
  if (value < 1024) return count(value);
  const [scale, letter] = value < 1024 ** 2 ? [1024, 'k'] : [1024 ** 2, 'M'];
  return `${figure(value / scale)}${letter}`;
}

export const percent = (part: number, whole: number): string =>
  whole > 0 ? `${Math.round((100 * part) / whole)} %` : '0 %';

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} days`;
}

/** A wait: in milliseconds while it is short. */
export const latency = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${figure(milliseconds / 1000)} s`;

/** How long ago a moment was, in one word or two. */
export function ago(milliseconds: number, now = Date.now()): string {
  const seconds = (now - milliseconds) / 1000;
  return seconds < 45 ? 'just now' : `${duration(seconds)} ago`;
}
