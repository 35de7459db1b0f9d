/** Whether the letters of `query` come in `text` in this order: how the palette finds things. */
export function matches(query: string, text: string): boolean {
  let from = 0;
  const within = text.toLowerCase();
  for (const letter of query.toLowerCase().replace(/\s+/g, '')) {
    from = within.indexOf(letter, from) + 1;
    if (from === 0) return false;
  }
  return true;
}
