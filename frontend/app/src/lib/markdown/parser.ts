/** Markdown to HTML: GitHub's dialect and formulas. What a model wrote is never taken for HTML. */
import DOMPurify from 'dompurify';
import MarkdownIt, { type Env, type Token } from 'markdown-it';

import { citations } from './citations';
import { fence } from './fence';
import { math } from './math';
import { tasks } from './tasks';

const md = new MarkdownIt({ html: false, linkify: true, typographer: false })
  .use(math)
  .use(tasks)
  .use(citations)
  .use(fence);

const LINK = /^(https?:|mailto:|#|\/(?!\/)|\.)/i;
md.validateLink = (url) => LINK.test(url.trim());

md.renderer.rules['link_open'] = (tokens, index, options, _env, self) => {
  const token = tokens[index];
  // What leads out of the app opens beside it; a path of this server is no page of the app either.
  if (token && !String(token.attrGet('href')).startsWith('#')) {
    token.attrSet('target', '_blank');
    token.attrSet('rel', 'noopener noreferrer');
  }
  return self.renderToken(tokens, index, options);
};
md.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>';
md.renderer.rules['table_close'] = () => '</table></div>';
// A picture from elsewhere would tell that server that it was shown.
md.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index];
  const source = md.utils.escapeHtml(String(token?.attrGet('src') ?? ''));
  const text = md.utils.escapeHtml(token?.content || 'picture');
  return `<a href="${source}" target="_blank" rel="noopener noreferrer">${text}</a>`;
};

export interface Block {
  html: string;
  /** Line of the source on which it begins, from 0. */
  line: number;
}

/** Parses `source` into the blocks that stand side by side in it.
 *
 * env: what one part of a text defines for the parts after it, such as the targets of links. */
export function blocks(source: string, env: Env = {}): Block[] {
  const found: Block[] = [];
  let group: Token[] = [];
  let line = 0;
  for (const token of md.parse(source, env)) {
    if (group.length === 0) line = token.map?.[0] ?? line;
    group.push(token);
    if (token.level === 0 && token.nesting <= 0) {
      found.push({ html: clean(md.renderer.render(group, md.options, env)), line });
      group = [];
    }
  }
  return found;
}

/** Renders a whole text at once. */
export const render = (source: string): string =>
  blocks(source)
    .map((block) => block.html)
    .join('');

// Second line of defence; the first is that no HTML of the source is passed on.
function clean(html: string): string {
  return DOMPurify.sanitize(html, {
    ADD_ATTR: ['target'],
    FORBID_TAGS: ['style', 'form', 'img', 'svg', 'math', 'iframe', 'video', 'audio'],
    FORBID_ATTR: ['style', 'id', 'name'],
  });
}
