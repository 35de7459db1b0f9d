/** Brings a rendered block to life: colours, formulas, diagrams, and its buttons.
 *
 * Each part is loaded when first needed. What cannot be drawn stays as the text it was. */
import type { Attachment } from 'svelte/attachments';

import { copy } from '../clipboard';
import { showPreview } from './preview';

export const enhance: Attachment<HTMLElement> = (element) => {
  let shown = true;
  const draw = async (): Promise<void> => {
    await Promise.all([colours(element), formulas(element), diagrams(element, () => shown)]);
  };
  draw().catch(() => undefined);
  element.addEventListener('click', onclick);
  return () => {
    shown = false;
    element.removeEventListener('click', onclick);
  };
};

async function colours(element: HTMLElement): Promise<void> {
  const codes = [...element.querySelectorAll<HTMLElement>('.code:not([data-language=""]) code')];
  if (codes.length === 0) return;
  const { highlight } = await import('./hljs');
  for (const code of codes) {
    const language = code.closest<HTMLElement>('.code')?.dataset['language'] ?? '';
    const marked = highlight(code.textContent ?? '', language);
    if (marked !== undefined) code.innerHTML = marked;
  }
}

async function formulas(element: HTMLElement): Promise<void> {
  const found = [...element.querySelectorAll<HTMLElement>('.math')];
  if (found.length === 0) return;
  const { draw } = await import('./katex');
  for (const formula of found) draw(formula, formula.dataset['math'] === 'display');
}

async function diagrams(element: HTMLElement, isShown: () => boolean): Promise<void> {
  for (const block of element.querySelectorAll<HTMLElement>('.code[data-language="mermaid"]')) {
    const { drawDiagram } = await import('./mermaid');
    const picture = await drawDiagram(block.querySelector('code')?.textContent ?? '');
    if (picture && isShown()) block.after(picture);
  }
}

function onclick(event: MouseEvent): void {
  const button = (event.target as HTMLElement).closest<HTMLElement>('[data-action]');
  const block = button?.closest<HTMLElement>('.code');
  const text = block?.querySelector('code')?.textContent;
  if (!button || !block || typeof text !== 'string') return;
  if (button.dataset['action'] === 'copy') void copy(text);
  else showPreview(block, button, text);
}
