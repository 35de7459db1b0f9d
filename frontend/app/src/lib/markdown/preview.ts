/** Shows what HTML or SVG of an answer would look like, in a frame that can reach nothing. */

export function showPreview(block: HTMLElement, button: HTMLElement, code: string): void {
  const old = block.querySelector('iframe');
  const pressed = old === null;
  button.setAttribute('aria-pressed', String(pressed));
  button.textContent = pressed ? 'Source' : 'Preview';
  block.querySelector('pre')?.toggleAttribute('hidden', pressed);
  if (old) old.remove();
  else block.append(frameOf(code));
}

export function frameOf(code: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  // Scripts run, but in an origin of their own: they see neither this page nor the server. The
  // page in the frame comes with rules of its own, since ours would let no script run.
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = 'Preview';
  frame.src = '/preview';
  frame.addEventListener('load', () => frame.contentWindow?.postMessage({ code }, '*'), {
    once: true,
  });
  return frame;
}
