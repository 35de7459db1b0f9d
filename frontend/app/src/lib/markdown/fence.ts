/** Blocks of code: their language, and buttons that `enhance` brings to life. */
import type { MarkdownIt } from 'markdown-it';

const PREVIEWED = new Set(['html', 'svg']);

export function fence(md: MarkdownIt): void {
  const escape = md.utils.escapeHtml;

  function block(code: string, language: string): string {
    const name = escape(language);
    const preview = PREVIEWED.has(language)
      ? '<button type="button" data-action="preview" aria-pressed="false">Preview</button>'
      : '';
    return (
      `<div class="code" data-language="${name}"><div class="code-head"><span>${name || 'text'}</span>` +
      `${preview}<button type="button" data-action="copy">Copy</button></div>` +
      `<pre tabindex="0"><code>${escape(code)}</code></pre></div>\n`
    );
  }

  md.renderer.rules['fence'] = (tokens, index) => {
    const token = tokens[index];
    const language = token?.info.trim().split(/\s+/)[0]?.toLowerCase() ?? '';
    return block(token?.content ?? '', language);
  };
  md.renderer.rules['code_block'] = (tokens, index) => block(tokens[index]?.content ?? '', '');
}
