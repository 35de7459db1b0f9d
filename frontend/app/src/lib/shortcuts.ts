/** Keys of the whole page: which command each runs. */
import { commands } from './commands.svelte';
import { overlays } from './overlays.svelte';

export const isMac = /mac|iphone|ipad/i.test(navigator.platform);
const MOD = isMac ? '⌘' : 'Ctrl';

export interface Shortcut {
  keys: string;
  does: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: `${MOD} K`, does: 'Command palette' },
  { keys: `${MOD} /`, does: 'This list' },
  { keys: `${MOD} ⇧ O`, does: 'New chat' },
  { keys: `${MOD} ⇧ C`, does: 'Copy the last answer' },
  { keys: '⇧ Esc', does: 'Go to the message box' },
  { keys: 'Enter', does: 'Send' },
  { keys: '⇧ Enter', does: 'New line' },
  { keys: 'Esc', does: 'Close what is on top' },
];

/** The command of a key press, or undefined. */
export function commandOf(event: KeyboardEvent): string | undefined {
  const key = event.key.toLowerCase();
  if (event.shiftKey && key === 'escape') return 'focus-composer';
  if (!(event.metaKey || event.ctrlKey) || event.altKey) return undefined;
  if (event.shiftKey) return { o: 'new-chat', c: 'copy-last' }[key];
  return { k: 'palette', '/': 'shortcuts' }[key];
}

// The other commands are of the page, which is out of reach behind what lies over it.
const EVERYWHERE = new Set(['palette', 'shortcuts']);

export function onKeydown(event: KeyboardEvent): void {
  const command = commandOf(event);
  if (command && (overlays.open.length === 0 || EVERYWHERE.has(command))) {
    // Not of this page, such as "new chat" on Status: then it is the browser's.
    if (commands.run(command)) event.preventDefault();
  } else if (event.key === 'Escape' && !event.defaultPrevented) {
    const top = overlays.open.at(-1);
    if (top) {
      overlays.hide(top);
      event.preventDefault();
    }
  }
}
