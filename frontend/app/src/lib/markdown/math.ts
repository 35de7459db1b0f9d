/** Formulas: `$x$`, `$$x$$`, `\(x\)`, `\[x\]`. They are marked here, and drawn by `enhance`. */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

const DELIMITERS = [
  { open: '$$', close: '$$', display: true },
  { open: '\\[', close: '\\]', display: true },
  { open: '\\(', close: '\\)', display: false },
  { open: '$', close: '$', display: false },
] as const;

export function math(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'math', inline);
  md.block.ruler.before('fence', 'math', block, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  md.renderer.rules['math'] = (tokens, index) => {
    const token = tokens[index];
    const mode = token?.meta?.['display'] ? 'display' : 'inline';
    const text = md.utils.escapeHtml(token?.content ?? '');
    return `<span class="math" data-math="${mode}">${text}</span>${token?.block ? '\n' : ''}`;
  };
}

function inline(state: StateInline, silent: boolean): boolean {
  for (const { open, close, display } of DELIMITERS) {
    if (!state.src.startsWith(open, state.pos)) continue;
    const start = state.pos + open.length;
    const end = closing(state.src, start, close);
    const text = state.src.slice(start, end);
    if (end < 0 || !text.trim() || end > state.posMax) return false;
    // A dollar is more often money: no blank inside, no digit behind.
    const after = state.src[end + 1] ?? '';
    if (open === '$' && (/^\s|\s$|\n\n/.test(text) || /\d/.test(after))) return false;
    if (!silent) {
      const token = state.push('math', 'span', 0);
      token.content = text.trim();
      token.meta = { display };
    }
    state.pos = end + close.length;
    return true;
  }
  return false;
}

/** Finds the end of a formula; a backslash takes what it precedes out of the search. */
function closing(source: string, from: number, close: string): number {
  for (let at = from; at < source.length; at++) {
    if (source.startsWith(close, at)) return at;
    if (source[at] === '\\') at++;
  }
  return -1;
}

function block(state: StateBlock, first: number, last: number, silent: boolean): boolean {
  const begin = (state.bMarks[first] ?? 0) + (state.tShift[first] ?? 0);
  const delimiter = DELIMITERS.slice(0, 2).find(({ open }) => state.src.startsWith(open, begin));
  if (!delimiter) return false;
  const start = begin + delimiter.open.length;
  for (let line = first; line < last; line++) {
    const end = state.eMarks[line] ?? 0;
    const at = state.src.slice(start, end).indexOf(delimiter.close);
    if (at < 0) continue;
    const rest = state.src.slice(start + at + delimiter.close.length, end);
    if (rest.trim()) return false;
    if (silent) return true;
    const token = state.push('math', 'span', 0);
    token.block = true;
    token.content = state.src.slice(start, start + at).trim();
    token.meta = { display: true };
    token.map = [first, line + 1];
    state.line = line + 1;
    return true;
  }
  return false;
}
