/** The blocks of code that stand in a text, wherever: also in lists and quotes. */
import MarkdownIt from 'markdown-it';

const md = new MarkdownIt({ html: false });

export interface Fence {
  language: string;
  /** What follows the language on the line of the fence. */
  info: string;
  code: string;
}

export function fencesOf(source: string): Fence[] {
  if (!/```|~~~/.test(source)) return [];
  return md
    .parse(source, {})
    .filter((token) => token.type === 'fence')
    .map((token) => {
      const [language = '', ...rest] = token.info.trim().split(/\s+/);
      return { language: language.toLowerCase(), info: rest.join(' '), code: token.content };
    });
}
