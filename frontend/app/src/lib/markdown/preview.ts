/** Shows what HTML or SVG of an answer would look like, in a frame that can reach nothing. */

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
  'img-src data: blob:; font-src data:; media-src data: blob:';

export function showPreview(block: HTMLElement, button: HTMLElement, code: string): void {
  const old = block.querySelector('iframe');
  const pressed = old === null;
  button.setAttribute('aria-pressed', String(pressed));
  button.textContent = pressed ? 'Source' : 'Preview';
  block.querySelector('pre')?.toggleAttribute('hidden', pressed);
  if (old) old.remove();
  else block.append(frameOf(code));
}

function frameOf(code: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  // Scripts run, but in an origin of their own: they see neither this page nor the server.
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = 'Preview';
  frame.srcdoc = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">${code}`;
  return frame;
}
