import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { chat } from '../chat.svelte';
import { FakeSocket } from '../fakeSocket';
import { answerIn } from '../history';
import { ToolPart } from '../messages.svelte';
import ToolCard from './ToolCard.svelte';

beforeEach(() => {
  FakeSocket.install();
  chat.socket.open();
  FakeSocket.last.accept();
});
afterEach(() => {
  chat.socket.close();
  vi.unstubAllGlobals();
});

function asking(tool: string, args: Record<string, unknown>): ToolPart {
  const call = new ToolPart('c1', tool, args);
  call.state = 'asking';
  render(ToolCard, { call });
  return call;
}

it('shows what an edit would change', () => {
  asking('edit', { path: 'a', old_text: 'x', new_text: 'y' });

  expect(screen.getByLabelText('Changes').textContent).toMatch(/− x\s+\+ y/);
});

it('sends edited arguments with the word, and allows for good where that was ticked', async () => {
  const call = asking('bash', { command: 'ls' });

  await fireEvent.input(screen.getByLabelText('Arguments'), {
    target: { value: '{"command": "pwd"}' },
  });
  await fireEvent.click(screen.getByLabelText('Always allow bash'));
  await fireEvent.click(screen.getByRole('button', { name: 'Allow' }));

  expect(FakeSocket.last.sent).toEqual([
    {
      type: 'approval',
      callId: 'c1',
      decision: 'allow',
      editedArgs: { command: 'pwd' },
      alwaysAllow: true,
    },
  ]);
  expect([call.state, call.edited]).toEqual(['running', true]);
});

it('says of arguments that are no object that the first ones are sent', async () => {
  asking('bash', { command: 'ls' });

  await fireEvent.input(screen.getByLabelText('Arguments'), { target: { value: '[1]' } });
  expect(screen.getByText(/no JSON object/)).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Allow' }));

  expect(FakeSocket.last.sent[0]).toMatchObject({ decision: 'allow', editedArgs: null });
});

it('never allows for good by a denial', async () => {
  const call = asking('bash', { command: 'ls' });

  await fireEvent.click(screen.getByLabelText('Always allow bash'));
  await fireEvent.click(screen.getByRole('button', { name: 'Deny' }));

  expect(FakeSocket.last.sent[0]).toMatchObject({ decision: 'deny', alwaysAllow: false });
  expect(call.state).toBe('denied');
});

it('opens when what was asked about runs, and stays open when that fails', async () => {
  const call = asking('bash', { command: 'ls' });
  await fireEvent.click(screen.getByRole('button', { name: 'Allow' }));
  const card = await vi.waitFor(() => document.querySelector('details') as HTMLDetailsElement);
  expect(card.open).toBe(true);

  call.end(false, 'no such file');
  await vi.waitFor(() => expect(card.textContent).toContain('failed'));
  expect(card.open).toBe(true);
});

it.each([
  ['boom', 'failed'],
  ['Denied by user.', 'denied'],
  ['Denied: the user did not answer within two minutes.', 'denied'],
])('of a history is closed, and says how it ended: %s', (result, state) => {
  const item = { type: 'tool' as const, callId: 'c1', tool: 'bash', args: {}, ok: false, result };
  const call = answerIn({ role: 'assistant', entryId: 'a', parts: [item] }).call('c1') as ToolPart;
  const { container } = render(ToolCard, { call });

  expect(call.state).toBe(state);
  expect(container.querySelector('details')?.open).toBe(false);
});

it('is open while a tool runs and when it failed, and closed when it is done', async () => {
  const call = new ToolPart('c1', 'bash', { command: 'ls' });
  const { container } = render(ToolCard, { call });
  const card = container.querySelector('details') as HTMLDetailsElement;
  expect(card.open).toBe(true);

  call.end(true, 'out');
  await vi.waitFor(() => expect(card.open).toBe(false));
});
