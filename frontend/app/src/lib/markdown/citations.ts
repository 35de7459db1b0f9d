/** `[2]` in a text, where a second passage was given: a button that shows it.
 *
 * env.citations: how many passages were given. Code, links and their targets are left alone. */
import type { MarkdownIt, StateInline } from 'markdown-it';

const CITATION = /\[(\d{1,2})\](?!\()/y;

export function citations(md: MarkdownIt): void {
  md.inline.ruler.before('link', 'citation', inline);
  md.renderer.rules['citation'] = (tokens, index) => {
    const number = tokens[index]?.content ?? '';
    return `<button type="button" class="citation" data-citation="${number}" aria-label="Source [${number}]">[${number}]</button>`;
  };
}

function inline(state: StateInline, silent: boolean): boolean {
  // In silence the ends of links are looked for: a number may stand within one.
  if (silent) return false;
  CITATION.lastIndex = state.pos;
  const [whole = '', number = ''] = CITATION.exec(state.src) ?? [];
  const env = state.env as { citations?: number; references?: Record<string, unknown> };
  if (!whole || state.linkLevel > 0 || isLink(state, whole.length, env.references)) return false;
  if (Number(number) < 1 || Number(number) > (env.citations ?? 0)) return false;
  state.push('citation', 'button', 0).content = String(Number(number));
  state.pos += whole.length;
  return true;
}

/** The number is defined as a link, or is the text of one: `[1][that]`. */
function isLink(
  state: StateInline,
  length: number,
  references: Record<string, unknown> = {},
): boolean {
  const label = state.src.slice(state.pos + 1, state.pos + length - 1);
  const next = /^\[([^\]]+)\]/.exec(state.src.slice(state.pos + length))?.[1] ?? '';
  return [label, next].some((name) => state.md.utils.normalizeReference(name) in references);
}

/** The number of the button that was clicked, if it is one. */
export function citationAt(target: EventTarget | null): number | undefined {
  const button = target instanceof Element ? target.closest('[data-citation]') : null;
  return button ? Number(button.getAttribute('data-citation')) : undefined;
}
