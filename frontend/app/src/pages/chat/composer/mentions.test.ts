import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { composer } from './composer.svelte';
import Composer from './Composer.svelte';

let asked = 0;
let articles: string[] = [];

beforeEach(() => {
  asked = 0;
  articles = ['Green_tea'];
  vi.stubGlobal('fetch', (url: string) => {
    if (url !== '/api/memory/list') return Promise.resolve(new Response('{}', { status: 404 }));
    asked++;
    return Promise.resolve(Response.json({ articles }));
  });
});
afterEach(() => {
  composer.text = '';
  composer.attachments = [];
  vi.unstubAllGlobals();
});

const box = (): HTMLTextAreaElement => screen.getByRole('textbox', { name: 'Message' });
const names = (): string[] =>
  screen.queryAllByRole('option').map((option) => option.textContent.trim());

async function type(text: string, caret = text.length): Promise<void> {
  await fireEvent.input(box(), { target: { value: text } });
  await moveTo(caret);
}

async function moveTo(caret: number): Promise<void> {
  box().setSelectionRange(caret, caret);
  await fireEvent.keyUp(box());
}

it('names articles, as they are each time that the list opens', async () => {
  render(Composer);
  await type('#');
  await vi.waitFor(() => expect(names()).toEqual(['Green tea article']));

  articles = ['Black_tea'];
  await type('# ');
  expect(names()).toEqual([]);
  await type('#b');
  await vi.waitFor(() => expect(names()).toEqual(['Black tea article']));
  expect(asked).toBe(2);

  await fireEvent.keyDown(box(), { key: 'Enter' });
  expect(composer.text).toBe('[[Black_tea]] ');
});

it('follows the caret, and puts what was chosen where it stands', async () => {
  render(Composer);
  await type('see #tea now');
  expect(names()).toEqual([]);

  await moveTo(8);
  await vi.waitFor(() => expect(names()).toEqual(['Green tea article']));
  await fireEvent.keyDown(box(), { key: 'Enter' });

  expect(composer.text).toBe('see [[Green_tea]]  now');
  await vi.waitFor(() => expect(box().selectionEnd).toBe(18));
});

it('closed by hand opens again for another mention in the same place', async () => {
  render(Composer);
  await type('#');
  await vi.waitFor(() => expect(names()).toHaveLength(1));
  await fireEvent.keyDown(box(), { key: 'Escape' });
  expect(names()).toEqual([]);
  await type('#g');
  expect(names()).toEqual([]);

  await type('');
  await type('#');
  await vi.waitFor(() => expect(names()).toHaveLength(1));
});

it('takes the words for a chosen file out, and points at its chip', async () => {
  composer.attachments = [
    { name: 'a.txt', text: 'one' },
    { name: 'a.txt', text: 'two' },
  ];
  render(Composer);
  await type('what is #a');
  expect(names()).toEqual(['a.txt file', 'a.txt file']);

  await fireEvent.keyDown(box(), { key: 'ArrowDown' });
  await fireEvent.keyDown(box(), { key: 'Enter' });

  expect(composer.text).toBe('what is ');
  const chips = screen.getAllByRole('listitem');
  await vi.waitFor(() =>
    expect(chips.map((chip) => chip.classList.contains('pulse'))).toEqual([false, true]),
  );
});

it('takes all files of a list that empties meanwhile', async () => {
  const list = ['a.txt', 'b.txt'].map((name) => new File(['x'], name, { type: 'text/plain' }));
  const attached = composer.attach(list);
  list.length = 0;
  await attached;

  expect(composer.attachments.map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
});

it('says of each file how it goes with the message', async () => {
  composer.attachments = [{ name: 'a.txt', text: 'x' }];
  render(Composer);
  expect(screen.getByRole('listitem').textContent).toContain('inline');

  composer.attachments = [{ name: 'b.txt', text: 'x'.repeat(30_000) }];
  await vi.waitFor(() => expect(screen.getByRole('listitem').textContent).toContain('retrieval'));
});
