import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { chat } from '../chat.svelte';
import { FakeSocket } from '../fakeSocket';
import type { ServerFrame } from '../frames';
import { UserMessage } from '../messages.svelte';
import Thread from './Thread.svelte';

const history = (text: string): ServerFrame =>
  ({
    type: 'history',
    items: [
      { role: 'user', entryId: 'q', text },
      {
        role: 'assistant',
        entryId: 'a',
        parts: [{ type: 'tool', callId: 'c', tool: 'bash', args: {}, ok: true, result: text }],
      },
    ],
  }) as unknown as ServerFrame;
const draft = (): HTMLElement | null => screen.queryByLabelText('Edit your message');

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
  FakeSocket.install();
  chat.socket.open();
  FakeSocket.last.accept();
  chat.receive(history('one'));
});
afterEach(() => {
  chat.socket.close();
  chat.messages = [];
  chat.streaming = false;
  vi.unstubAllGlobals();
});

it('keeps what is being written and what was opened to the chat in which it was', async () => {
  const { container } = render(Thread, { active: true });
  await fireEvent.click(screen.getByRole('button', { name: 'Edit' }));
  const card = (): HTMLDetailsElement =>
    container.querySelector('details.tool') as HTMLDetailsElement;
  card().open = true;
  await fireEvent(card(), new Event('toggle'));
  expect(draft()).toBeTruthy();

  chat.receive(history('two'));

  await vi.waitFor(() => expect(draft()).toBeNull());
  expect(card().open).toBe(false);
});

it('offers another answer where one failed, whether anything came of it or not', async () => {
  render(Thread, { active: true });
  chat.prompt(new UserMessage('next'));
  chat.receive({ type: 'siblings', entryId: 'p', index: 0, count: 1, siblingIds: ['p'] });
  chat.receive({ type: 'turn_start' });
  chat.receive({ type: 'error', message: 'out of memory' });
  chat.receive({ type: 'turn_end' });
  await fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(FakeSocket.last.sent.at(-1)).toEqual({ type: 'regenerate' });

  chat.receive({ type: 'text_delta', delta: 'half' });
  chat.receive({ type: 'error', message: 'out of memory' });
  chat.receive({ type: 'turn_end', entryId: 'b' });
  expect(await screen.findByRole('button', { name: 'Regenerate' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

it('asks once more for a question that was never written, and keeps the chat before it', async () => {
  chat.receive({ type: 'siblings', entryId: 'q', index: 0, count: 2, siblingIds: ['q', 'r'] });
  render(Thread, { active: true });
  expect(await screen.findByLabelText('Next version')).toBeTruthy();
  chat.prompt(new UserMessage('next'));
  chat.receive({ type: 'error', message: 'answered in another tab' });
  chat.receive({ type: 'turn_end' });
  await vi.waitFor(() => expect(screen.queryByLabelText('Next version')).toBeNull());

  await fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));

  expect(FakeSocket.last.sent.at(-1)).toEqual({ type: 'prompt', text: 'next', images: [] });
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

it('begins another chat at its top', async () => {
  const { container } = render(Thread, { active: true });
  const scroller = container.querySelector('.scroll') as HTMLElement;
  scroller.scrollTop = 40;

  chat.start();

  await vi.waitFor(() => expect(scroller.scrollTop).toBe(0));
});

it('keeps other words while they cannot be sent', async () => {
  render(Thread, { active: true });
  await fireEvent.click(screen.getByRole('button', { name: 'Edit' }));
  const box = draft() as HTMLTextAreaElement;
  await fireEvent.input(box, { target: { value: 'long other words' } });
  const send = (): Promise<boolean> => fireEvent.keyDown(box, { key: 'Enter' });

  FakeSocket.last.readyState = 3;
  await send();
  expect(draft()).toHaveProperty('value', 'long other words');
  FakeSocket.last.readyState = FakeSocket.OPEN;

  chat.regenerate();
  chat.receive({ type: 'text_delta', delta: 'again' });
  await send();
  expect(draft()).toHaveProperty('value', 'long other words');
  expect(chat.answer?.text).toBe('again');

  chat.receive({ type: 'turn_end', entryId: 'b' });
  await send();
  expect(FakeSocket.last.sent.at(-1)).toEqual({ type: 'edit_resend', text: 'long other words' });
  await vi.waitFor(() => expect(draft()).toBeNull());
  chat.receive({ type: 'turn_end' });
});

it('closes other words for a question that is no longer the last', async () => {
  render(Thread, { active: true });
  await fireEvent.click(screen.getByRole('button', { name: 'Edit' }));

  chat.prompt(new UserMessage('next'));

  await vi.waitFor(() => expect(draft()).toBeNull());
});
