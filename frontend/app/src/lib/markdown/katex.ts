/** Draws formulas; loaded with the first one. */
import katex from 'katex';
import 'katex/dist/katex.min.css';

/** Replaces the text of an element, which is TeX, by the formula it spells: for the eye, and as
 * MathML for a screen reader. */
export function draw(element: HTMLElement, displayMode: boolean): void {
  const tex = element.textContent ?? '';
  try {
    katex.render(tex, element, {
      displayMode,
      throwOnError: true,
      trust: false,
      maxExpand: 200,
      maxSize: 20,
    });
  } catch {
    element.textContent = displayMode ? `$$${tex}$$` : `$${tex}$`;
  }
}
