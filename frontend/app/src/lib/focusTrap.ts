/** Keeps the keyboard within an element while it is shown, and gives the focus back after. */
import type { Attachment } from 'svelte/attachments';

const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), ' +
  'textarea:not([disabled]), summary, [tabindex]:not([tabindex="-1"])';

const visible = (element: HTMLElement): boolean =>
  element.getClientRects().length > 0 && getComputedStyle(element).visibility !== 'hidden';

export function focusable(within: HTMLElement): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(visible);
}

/** isTop: whether the element has the keyboard now; one below another lets it be. */
export function focusTrap(isTop: () => boolean): Attachment<HTMLElement> {
  return (element) => {
    const opener = document.activeElement as HTMLElement | null;
    const first = element.querySelector<HTMLElement>('[autofocus]') ?? focusable(element)[0];
    (first ?? element).focus();

    function wrap(event: KeyboardEvent): void {
      if (event.key !== 'Tab' || !isTop()) return;
      const inside = focusable(element);
      const edge = event.shiftKey ? inside[0] : inside.at(-1);
      const within = element.contains(document.activeElement);
      if (!edge || (within && document.activeElement !== edge)) return;
      event.preventDefault();
      (event.shiftKey ? inside.at(-1) : inside[0])?.focus();
    }

    document.addEventListener('keydown', wrap);
    return () => {
      document.removeEventListener('keydown', wrap);
      // Whoever closed it may have led on to something else.
      const at = document.activeElement;
      if (at && at !== document.body && !element.contains(at)) return;
      (opener?.isConnected ? opener : document.getElementById('main'))?.focus();
    };
  };
}
