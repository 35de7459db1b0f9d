/** Draws diagrams; large, and loaded with the first one. */
import mermaid from 'mermaid';

let drawn = 0;

/** Returns the picture, or undefined for text that is no diagram.
 *
 * It is shown as an image: what is in one can run nothing. */
export async function drawDiagram(text: string): Promise<HTMLElement | undefined> {
  const dark = document.documentElement.dataset['theme'] === 'dark';
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: dark ? 'dark' : 'neutral',
    htmlLabels: false,
    maxTextSize: 20_000,
    suppressErrorRendering: true,
  });
  try {
    const { svg } = await mermaid.render(`diagram-${drawn++}`, text);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    image.alt = `Diagram: ${text.slice(0, 200)}`;
    image.className = 'diagram';
    return image;
  } catch {
    return undefined;
  }
}
