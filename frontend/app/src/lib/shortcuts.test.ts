import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { commands } from './commands.svelte';
import { focusTrap } from './focusTrap';
import { overlays } from './overlays.svelte';
import { onKeydown } from './shortcuts';

let ran: string[];
let forget: () => void;

beforeEach(() => {
  ran = [];
  const ids = ['new-chat', 'copy-last', 'focus-composer', 'palette', 'shortcuts'];
  forget = commands.add(ids.map((id) => ({ id, label: id, run: () => ran.push(id) })));
});
afterEach(() => {
  forget();
  overlays.open = [];
});

function press(key: string, options: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, cancelable: true, ...options });
  onKeydown(event);
  return event.defaultPrevented;
}

const PAGE_KEYS = [
  ['o', { ctrlKey: true, shiftKey: true }, 'new-chat'],
  ['c', { ctrlKey: true, shiftKey: true }, 'copy-last'],
  ['Escape', { shiftKey: true }, 'focus-composer'],
] as const;

describe('keys of the page', () => {
  it.each(PAGE_KEYS)('%s with %o runs %s', (key, options, command) => {
    expect(press(key, options)).toBe(true);
    expect(ran).toEqual([command]);
  });

  it.each(PAGE_KEYS)('%s with %o does nothing behind what lies over it', (key, options) => {
    overlays.show('settings');
    press(key, options);

    expect(ran).toEqual([]);
  });

  it('still find the palette there', () => {
    overlays.show('settings');
    press('k', { ctrlKey: true });

    expect(ran).toEqual(['palette']);
  });

  it.each([false, true])('close the top one by Escape, with Shift: %s', (shiftKey) => {
    overlays.show('settings');
    overlays.show('palette');

    expect(press('Escape', { shiftKey })).toBe(true);
    expect([overlays.open, ran]).toEqual([['settings'], []]);
  });
});

describe('the focus', () => {
  function opened() {
    document.body.innerHTML =
      '<main id="main" tabindex="-1"></main><button id="opener"></button>' +
      '<input id="other" /><div id="dialog"><button></button></div>';
    const [opener, other, dialog] = ['opener', 'other', 'dialog'].map((id) =>
      document.getElementById(id),
    ) as [HTMLElement, HTMLElement, HTMLElement];
    opener.focus();
    return { opener, other, close: focusTrap(() => true)(dialog) as () => void };
  }

  it('goes back to what opened a dialog', () => {
    const { opener, close } = opened();
    close();
    expect(document.activeElement).toBe(opener);
  });

  it('stays where it was put meanwhile', () => {
    const { other, close } = opened();
    other.focus();
    close();
    expect(document.activeElement).toBe(other);
  });

  it('goes to the page where the opener is gone', () => {
    const { opener, close } = opened();
    opener.remove();
    close();
    expect(document.activeElement?.id).toBe('main');
  });
});
