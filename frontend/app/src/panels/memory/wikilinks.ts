/** `[[Stem]]`, `[[Stem|text]]`, `[[Stem#place]]` as Markdown links; code is left as it is. */
const LINK = /\[\[([^[\]|#]+)(?:#[^[\]|]*)?(?:\|([^[\]]+))?\]\]/g;
const CODE = /(^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\2[^\n]*$|$(?![\s\S]))|`[^`\n]*`)/m;

export function linked(source: string): string {
  let rest = source;
  let out = '';
  for (let match = CODE.exec(rest); match; match = CODE.exec(rest)) {
    out += replace(rest.slice(0, match.index)) + match[0];
    rest = rest.slice(match.index + match[0].length);
  }
  return out + replace(rest);
}

function replace(text: string): string {
  return text.replace(LINK, (_, stem: string, shown?: string) => {
    const label = (shown ?? stem.replaceAll('_', ' ')).replace(/[[\]]/g, '');
    return `[${label}](#article/${encodeURIComponent(stem.trim().replaceAll(' ', '_'))})`;
  });
}
