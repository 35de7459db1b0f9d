/** The `#…` that is being typed at the caret, if any. */
export function mentionAt(
  text: string,
  caret: number,
): { start: number; query: string } | undefined {
  const match = /(^|[^\p{L}\p{N}_#])#([^\s#]*)$/u.exec(text.slice(0, caret));
  if (!match) return undefined;
  const query = match[2] ?? '';
  return { start: caret - query.length - 1, query };
}
