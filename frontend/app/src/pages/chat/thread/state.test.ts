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

it('closes other words for a question that is no longer the last', async () => {
  render(Thread, { active: true });
  await fireEvent.click(screen.getByRole('button', { name: 'Edit' }));

  chat.prompt(new UserMessage('next'));

  await vi.waitFor(() => expect(draft()).toBeNull());
});
