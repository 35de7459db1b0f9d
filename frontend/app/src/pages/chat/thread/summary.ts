/** What a call does, in one line. */

const TELLING = ['command', 'path', 'query', 'url', 'location', 'route', 'target'];
const LONGEST = 120;

export function summaryOf(args: Record<string, unknown>): string {
  for (const name of TELLING) {
    const value = args[name];
    if (typeof value === 'string' && value) return cut(value);
  }
  return Object.keys(args).length ? cut(JSON.stringify(args)) : '';
}

const cut = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
