import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { chat } from './chat.svelte';
import { composer } from './composer/composer.svelte';
import { FakeSocket } from './fakeSocket';
import { UserMessage } from './messages.svelte';
import { greet, settings, systemPrompt } from './settings.svelte';

beforeEach(() => {
  FakeSocket.install();
  chat.socket.open();
  FakeSocket.last.accept();
  chat.onbegin = () => settings.beginTurn();
  chat.onend = () => settings.endTurn();
});
afterEach(() => {
  chat.socket.close();
  chat.messages = [];
  settings.sampling = {};
  settings.once = undefined;
  vi.unstubAllGlobals();
});

it.each(['turn_end', 'error'])('forgets a one-shot sampling at %s', (type) => {
  settings.setSampling({ temperature: 1.5 }, 'next_turn');
  expect(settings.once).toEqual({ temperature: 1.5 });

  chat.receive({ type: 'text_delta', delta: 'a' });
  if (type === 'error') chat.receive({ type, message: 'no' });
  chat.receive({ type: 'turn_end' });

  expect(settings.once).toBeUndefined();
});

it('keeps a one-shot sampling that was chosen amid an answer for the next one', () => {
  settings.setSampling({ temperature: 1.5 }, 'next_turn');
  chat.receive({ type: 'text_delta', delta: 'a' });
  settings.setSampling({ temperature: 0.5 }, 'next_turn');
  chat.receive({ type: 'error', message: 'no' });
  chat.receive({ type: 'turn_end' });

  expect(settings.once).toEqual({ temperature: 0.5 });
  expect(FakeSocket.last.sent.at(-1)).toMatchObject({ scope: 'next_turn', temperature: 0.5 });
});

it('tells a one-shot sampling once where a question waits, which takes it', () => {
  const told = (): unknown[] =>
    FakeSocket.last.sent.filter((frame) => frame.type === 'set_sampling');
  chat.receive({ type: 'text_delta', delta: 'a' });
  chat.prompt(new UserMessage('two'));
  chat.receive({ type: 'queue_update', steering: [], followUp: ['two'] });
  settings.setSampling({ temperature: 1.5 }, 'next_turn');
  chat.receive({ type: 'turn_end' });
  expect(settings.once).toEqual({ temperature: 1.5 });

  chat.receive({ type: 'queue_update', steering: [], followUp: [] });
  chat.receive({ type: 'text_delta', delta: 'b' });
  chat.receive({ type: 'turn_end' });

  expect(settings.once).toBeUndefined();
  expect(told()).toHaveLength(1);
});

it.each([
  ['a new chat', () => chat.start()],
  ['a history', () => chat.receive({ type: 'history', items: [] })],
])('forgets a one-shot sampling of an answer that is left for %s', (_, leave) => {
  settings.setSampling({ temperature: 1.5 }, 'next_turn');
  chat.receive({ type: 'text_delta', delta: 'a' });
  leave();
  chat.receive({ type: 'turn_end' });

  expect([settings.once, chat.streaming]).toEqual([undefined, false]);
  chat.receive({ type: 'history', items: [] });
});

it('disarms a one-shot sampling of which nothing is left', () => {
  settings.setSampling({ temperature: 1.5 }, 'next_turn');
  settings.setSampling({}, 'next_turn');
  expect(settings.once).toBeUndefined();
  expect(FakeSocket.last.sent.at(-1)).toMatchObject({ scope: 'next_turn', temperature: null });

  settings.setSampling({ temperature: null }, 'next_turn');
  expect(settings.once).toBeUndefined();
});

it('tells a new connection of a one-shot sampling, but of none that was spent', () => {
  settings.setSampling({ temperature: 1.5 }, 'next_turn');
  FakeSocket.last.sent = [];
  greet();
  expect(FakeSocket.last.sent).toContainEqual(
    expect.objectContaining({ scope: 'next_turn', temperature: 1.5 }),
  );

  chat.receive({ type: 'text_delta', delta: 'a' });
  FakeSocket.last.sent = [];
  greet();
  expect(FakeSocket.last.sent.map((frame) => frame.type)).not.toContain('set_sampling');

  FakeSocket.last.close();
  expect(settings.once).toBeUndefined();
});

it('takes back what is no longer chosen', () => {
  settings.setSampling({ top_k: 5 }, 'session');
  settings.setSampling({}, 'session');

  expect(FakeSocket.last.sent.at(-1)).toMatchObject({ type: 'set_sampling', top_k: null });
  expect(settings.isSampled).toBe(false);
});

it('tells a new connection what it cannot know', () => {
  settings.sampling = { temperature: 0.3 };
  settings.adapter = 'poet';
  greet();

  const told = FakeSocket.last.sent.map((frame) => frame.type);
  expect(told).toEqual([
    'set_thinking',
    'set_coding_tools',
    'set_system_prompt',
    'set_sampling',
    'set_adapter',
  ]);
  settings.adapter = undefined;
});

it('cuts instructions to their limit, and sends none where there are none', () => {
  settings.setPrompt('x'.repeat(5000));
  expect(systemPrompt.value).toHaveLength(4000);

  settings.setPrompt('   ');
  expect(FakeSocket.last.sent.at(-1)).toEqual({ type: 'set_system_prompt', text: null });
});

it('begins a new chat for a word alone, and keeps a draft that could not be sent', () => {
  composer.text = '/clear';
  composer.send();
  expect(FakeSocket.last.sent.at(-1)).toMatchObject({ type: 'new_session' });

  FakeSocket.last.readyState = 3;
  composer.text = 'kept';
  composer.send();
  expect(composer.text).toBe('kept');
  composer.text = '';
});
