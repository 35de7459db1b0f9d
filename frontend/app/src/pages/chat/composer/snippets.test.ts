import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { composer } from './composer.svelte';
import Composer from './Composer.svelte';
import { snippets } from './snippets';

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 404 })));
  snippets.value = [
    { name: 'letter', text: 'Write to {{whom}} about {{what}}.' },
    { name: 'list', text: 'List ten.' },
  ];
  render(Composer);
});
afterEach(() => {
  composer.text = '';
  snippets.value = [];
  vi.unstubAllGlobals();
});

const box = (): HTMLTextAreaElement => screen.getByRole('textbox', { name: 'Message' });
const type = (text: string): Promise<boolean> =>
  fireEvent.input(box(), { target: { value: text } });
/** False where the key did what it does everywhere. */
const press = async (key: string): Promise<boolean> => !(await fireEvent.keyDown(box(), { key }));

it('are chosen by the keyboard, and the box tells which is meant', async () => {
  expect(box().hasAttribute('aria-activedescendant')).toBe(false);
  await type('/l');
  const meant = (): string | null | undefined =>
    document.getElementById(box().getAttribute('aria-activedescendant') ?? '')?.textContent;
  expect(meant()).toContain('/letter');
  expect(document.getElementById(box().getAttribute('aria-controls') ?? '')).toBe(
    screen.getByRole('listbox'),
  );

  await press('ArrowDown');
  expect(meant()).toContain('/list');
  await press('Enter');

  expect(composer.text).toBe('List ten.');
});

it('are forgotten by buttons beside them, which Tab reaches from the box', async () => {
  await type('/l');
  const forget = screen.getByRole('button', { name: 'Forget /letter' });
  expect(forget.closest('[role=option], [role=listbox]')).toBeNull();
  expect(box().compareDocumentPosition(forget)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(await press('Tab')).toBe(false);

  await fireEvent.click(forget);

  expect(snippets.value.map(({ name }) => name)).toEqual(['list']);
  expect(document.activeElement).toBe(box());
});

it('are filled in part by part, behind the last of which Tab leaves the box', async () => {
  await type('/letter');
  await press('Enter');
  const marked = (): string => composer.text.slice(box().selectionStart, box().selectionEnd);
  await vi.waitFor(() => expect(marked()).toBe('{{whom}}'));

  expect(await press('Tab')).toBe(true);
  expect(marked()).toBe('{{what}}');
  expect(await press('Tab')).toBe(false);
});
