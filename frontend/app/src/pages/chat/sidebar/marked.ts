/** Cuts a snippet at the ranges that were found, which index its UTF-16 units. */
export function marked(
  snippet: string,
  ranges: readonly (readonly [number, number])[],
): { text: string; hit: boolean }[] {
  const parts: { text: string; hit: boolean }[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start > at) parts.push({ text: snippet.slice(at, start), hit: false });
    parts.push({ text: snippet.slice(Math.max(at, start), end), hit: true });
    at = end;
  }
  return [...parts, { text: snippet.slice(at), hit: false }].filter((part) => part.text);
}
