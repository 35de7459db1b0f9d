/** Items that begin with `[ ]` or `[x]`: a box that is not to be clicked. */
import type { MarkdownIt } from 'markdown-it';

const BOX = /^\[([ xX])\]\s+/;

export function tasks(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'tasks', ({ tokens }) => {
    tokens.forEach((token, index) => {
      const text = token.children?.[0];
      if (token.type !== 'inline' || tokens[index - 2]?.type !== 'list_item_open') return;
      const box = text?.type === 'text' ? BOX.exec(text.content) : null;
      if (!text || !box) return;
      text.content = text.content.slice(box[0].length);
      tokens[index - 2]?.attrJoin('class', 'task');
      tokens[index - 2]?.attrSet('data-done', String(box[1] !== ' '));
    });
  });
}
