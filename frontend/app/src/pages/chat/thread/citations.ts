/** `[2]` in an answer, where a second passage was given: a link to it. */

const PREFIX = '#source/';

export function cited(text: string, count: number): string {
  if (count === 0) return text;
  return text.replace(/\[(\d{1,2})\](?![(:[])/g, (whole, digits: string) => {
    const number = Number(digits);
    return number >= 1 && number <= count ? `[\\[${number}\\]](${PREFIX}${number})` : whole;
  });
}

export function citationOf(href: string | null | undefined): number | undefined {
  return href?.startsWith(PREFIX) ? Number(href.slice(PREFIX.length)) : undefined;
}
