import { describe, expect, it, vi } from 'vitest';

import { toasts } from '../../lib/toasts.svelte';
import { READY, answer, call, chat, hear, say, sent } from './chatFixture';
import { FakeSocket } from './fakeSocket';
import type { ServerFrame } from './frames';
import { type AssistantMessage, UserMessage } from './messages.svelte';

describe('an answer', () => {
  it('is made of the deltas that come', () => {
    say('hi');
    hear(
      { type: 'turn_start' },
      { type: 'thinking_delta', delta: 'hm' },
      { type: 'text_delta', delta: 'Hel' },
      { type: 'text_delta', delta: 'lo' },
    );

    expect(answer().parts.map((part) => part.type)).toEqual(['thinking', 'text']);
    expect(answer().text).toBe('Hello');
    expect(chat.streaming).toBe(true);
  });

  it('begins by itself where no start was told', () => {
    hear({ type: 'text_delta', delta: 'x' });

    expect(answer().text).toBe('x');
  });

  it('tells at its end how it came', () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, cached_tokens: 4, total_tokens: 11 };
    hear({ type: 'turn_start' });
    vi.advanceTimersByTime(500);
    hear({ type: 'text_delta', delta: 'a' });
    vi.advanceTimersByTime(100);
    hear({ type: 'text_delta', delta: 'b' }, { type: 'turn_end', lane: 'batched', usage });

    expect(answer().streaming).toBe(false);
    expect(answer().lane).toBe('batched');
    expect(answer().firstTokenMs).toBeCloseTo(500, 0);
    expect(answer().tokensPerSecond).toBeCloseTo(10, 1);
  });

  it('has no lane where the server names none', () => {
    hear({ type: 'text_delta', delta: 'a' }, { type: 'turn_end' });

    expect(answer().lane).toBeUndefined();
  });

  it('and its question can be deleted as soon as the server has named them', () => {
    say('hi');
    hear({ type: 'text_delta', delta: 'a' });
    chat.remove(answer());
    hear(
      { type: 'siblings', entryId: 'q', index: 0, count: 1, siblingIds: ['q'] },
      { type: 'turn_end', entryId: 'a' },
    );
    chat.remove(answer());
    chat.remove(chat.messages[0] as UserMessage);

    expect(sent('delete_message')).toEqual([
      { type: 'delete_message', entryId: 'a' },
      { type: 'delete_message', entryId: 'q' },
    ]);
  });

  it('is taken away when nothing came', () => {
    say('hi');
    hear({ type: 'turn_start' }, { type: 'turn_end' });

    expect(chat.messages.map((message) => message.role)).toEqual(['user']);
  });

  it('keeps what came before an error, which is told in the thread and in a toast', () => {
    hear(
      { type: 'text_delta', delta: 'half' },
      { type: 'error', message: 'out of memory' },
      { type: 'turn_end', entryId: 'a' },
    );

    expect(chat.messages.map((message) => message.role)).toEqual(['assistant', 'problem']);
    expect((chat.messages[0] as AssistantMessage).entryId).toBe('a');
    expect(chat.streaming).toBe(false);
    expect(toasts.list.map((toast) => toast.text)).toEqual(['out of memory']);
  });

  it('goes on after an error that is about something else', () => {
    hear(
      { type: 'text_delta', delta: 'half' },
      { type: 'error', message: 'no such chat' },
      { type: 'text_delta', delta: ' and half' },
    );
    expect([chat.streaming, answer().text]).toEqual([true, 'half and half']);
    hear(
      { type: 'tool_start', callId: 'c1', tool: 'bash', args: {} },
      { type: 'error', message: 'no such call' },
      { type: 'tool_end', callId: 'c1', ok: true, result: '' },
    );

    hear({ type: 'turn_end' });

    expect(chat.messages.map((message) => message.role)).toEqual(['assistant']);
    expect(toasts.list.map((toast) => toast.text)).toEqual(['no such chat', 'no such call']);
  });

  it('with scores that was broken off for good says so', () => {
    hear(
      { type: 'text_delta', delta: 'a' },
      { type: 'error', message: 'no end of calls' },
      { type: 'logprobs', tokens: [] },
      { type: 'turn_end' },
    );

    expect(chat.messages.map((message) => message.role)).toEqual(['assistant', 'problem']);
  });

  it('that never began is told as an error below its question', () => {
    say('hi');
    hear({ type: 'error', message: 'disk full' });

    expect(chat.messages.map((message) => message.role)).toEqual(['user', 'problem']);
    expect(chat.busy).toBe(false);
  });

  it('ends with the connection, and so do its calls', () => {
    say('hi');
    hear(
      { type: 'text_delta', delta: 'half' },
      { type: 'tool_start', callId: 'c1', tool: 'bash', args: {} },
    );
    say('and then?');
    FakeSocket.last.close();

    expect([chat.streaming, chat.busy, answer().streaming]).toEqual([false, false, false]);
    expect(call().state).toBe('failed');
    expect(chat.queued.followUp).toEqual([]);
  });

  it('takes scores of its tokens', () => {
    const tokens = [{ text: 'a', logprob: -0.1, alternatives: [] }];
    hear({ type: 'text_delta', delta: 'a' }, { type: 'logprobs', tokens } as ServerFrame);

    expect(answer().scores).toEqual(tokens);
  });
});

describe('the end of a turn', () => {
  it.each([[], [{ type: 'error', message: 'no' }]] as ServerFrame[][])(
    'is told once, whether it went well or not: %j',
    (...frames) => {
      let ends = 0;
      chat.onend = () => ends++;

      hear({ type: 'text_delta', delta: 'a' }, ...frames, { type: 'turn_end' });

      expect(ends).toBe(1);
    },
  );
});

describe('a tool', () => {
  const start: ServerFrame = {
    type: 'tool_start',
    callId: 'c1',
    tool: 'bash',
    args: { command: 'ls' },
  };

  it('runs, prints and ends', () => {
    hear(start, { type: 'tool_update', callId: 'c1', chunk: 'a' });
    expect([call().state, call().output]).toEqual(['running', 'a']);

    hear({ type: 'tool_end', callId: 'c1', ok: true, result: 'all' } as ServerFrame);
    expect([call().state, call().output]).toEqual(['done', 'all']);
  });

  it('that asks and then runs with other arguments was edited', () => {
    hear({ ...start, type: 'tool_approval_request' } as ServerFrame);
    expect(call().state).toBe('asking');

    hear({ ...start, args: { command: 'pwd' } } as ServerFrame);

    expect([call().state, call().edited, call().args]).toEqual([
      'running',
      true,
      { command: 'pwd' },
    ]);
    expect(answer().parts).toHaveLength(1);
  });

  it('that nobody answered for counts as denied', () => {
    hear({ ...start, type: 'tool_approval_request' } as ServerFrame);
    hear({ type: 'tool_end', callId: 'c1', ok: false, result: 'Denied' } as ServerFrame);

    expect(call().state).toBe('denied');
  });

  it('that failed says so, and keeps the end of what it printed', () => {
    const result = 'x'.repeat(13_000) + 'end';
    hear(start, { type: 'tool_end', callId: 'c1', ok: false, result } as ServerFrame);

    expect(call().state).toBe('failed');
    expect(call().output).toHaveLength(12_000);
    expect(call().output.endsWith('end')).toBe(true);
  });
});

describe('what is told of the chat as a whole', () => {
  it('is shown as it is told', () => {
    const shown: string[] = [];
    chat.onnavigate = (route) => shown.push(route);
    chat.onspotlight = (target) => shown.push(String(target.target));
    hear(
      { type: 'context', tokens: 10, contextWindow: 100, percent: 10 },
      { type: 'coding_tools', active: true, pending: true },
      { type: 'tool_approvals', alwaysAllow: ['bash'] },
      { type: 'siblings', entryId: 'b', index: 1, count: 2, siblingIds: ['a', 'b'] },
      { type: 'ui_navigate', route: 'status' },
      { type: 'ui_spotlight', target: 'send' } as ServerFrame,
    );

    expect(chat.window).toMatchObject({ tokens: 10, size: 100, percent: 10 });
    expect(chat.codingTools.active).toBe(true);
    expect(chat.alwaysAllow).toEqual(['bash']);
    expect(chat.siblings?.siblingIds).toEqual(['a', 'b']);
    expect(shown).toEqual(['status', 'send']);
  });

  it('shows where earlier messages were put in short amid an answer, and nowhere else', () => {
    const full: ServerFrame = { type: 'context', tokens: null, contextWindow: 100, percent: null };
    const roles = (): string[] => chat.messages.map(({ role }) => role);
    hear(full);
    expect(roles()).toEqual([]);

    say('one');
    hear({ type: 'turn_start' }, full, { type: 'text_delta', delta: 'a' });
    expect(roles()).toEqual(['user', 'seam', 'assistant']);
    expect(answer().text).toBe('a');

    hear(full, { type: 'text_delta', delta: 'b' }, { type: 'turn_end', entryId: 'e' });
    expect(roles()).toEqual(['user', 'seam', 'assistant', 'seam', 'assistant']);
    expect([answer().text, answer().entryId]).toEqual(['b', 'e']);
    expect((chat.messages[2] as AssistantMessage).streaming).toBe(false);
  });

  it('replaces the thread by a history', () => {
    say('gone');
    hear({
      type: 'history',
      items: [
        { role: 'user', entryId: '1', text: 'hi' },
        { role: 'compaction', entryId: '2', summary: 'short' },
        { role: 'assistant', entryId: '3', parts: [{ type: 'text', text: 'yes' }] },
      ],
    } as unknown as ServerFrame);

    expect(chat.messages.map((message) => message.role)).toEqual(['user', 'seam', 'assistant']);
    expect(answer().text).toBe('yes');
  });
});

describe('a history that is told once more', () => {
  const items = (result: string): ServerFrame =>
    ({
      type: 'history',
      items: [
        { role: 'user', entryId: '1', text: 'hi' },
        { role: 'compaction', entryId: '2', summary: 'short' },
        {
          role: 'assistant',
          entryId: '3',
          parts: [
            { type: 'text', text: 'yes' },
            { type: 'tool', callId: 'c', tool: 'bash', args: {}, ok: true, result },
          ],
        },
      ],
    }) as unknown as ServerFrame;

  it('leaves as they are the messages that are the same', () => {
    hear(items('a'));
    const before = [...chat.messages];
    hear(items('a'));
    expect(chat.messages.map((message, index) => message === before[index])).toEqual([
      true,
      true,
      true,
    ]);

    hear(items('b'));
    expect(chat.messages[0]).toBe(before[0]);
    expect(chat.messages[2]).not.toBe(before[2]);
    expect(call('c').output).toBe('b');
  });

  it('keeps nothing of them in another chat, though it is a copy', () => {
    hear(items('a'));
    const before = chat.messages[0];
    chat.fork('a.jsonl');
    hear(items('a'));

    expect(chat.messages[0]).not.toBe(before);
  });
});

describe('tools for files', () => {
  it('that were chosen are there in a chat in which nothing was said yet', () => {
    hear({ type: 'coding_tools', active: false, pending: true });
    expect(sent('new_session')).toEqual([{ type: 'new_session', temporary: false }]);

    hear({ type: 'coding_tools', active: true, pending: true });
    expect(sent('new_session')).toHaveLength(1);
  });

  it('wait for the next chat where something was said', () => {
    say('hi');
    hear({ type: 'coding_tools', active: false, pending: true });
    expect(sent('new_session')).toEqual([]);
  });

  it('do not keep a chat that is coming back from being opened', () => {
    chat.activePath = 'a.jsonl';
    hear(READY, { type: 'coding_tools', active: false, pending: true });
    expect(sent('new_session')).toEqual([]);
  });
});

describe('what the user does', () => {
  const talk = (): void => {
    say('one');
    hear({ type: 'text_delta', delta: 'a' }, { type: 'turn_end' });
  };

  it('sends no prompt without a connection, and says so', () => {
    FakeSocket.last.readyState = 3;

    expect(say('lost')).toBe(false);
    expect(chat.messages).toEqual([]);
    expect(toasts.list[0]?.tone).toBe('error');
  });

  it('takes the old answer away to have another', () => {
    talk();
    chat.regenerate();

    expect(chat.messages.map((message) => message.role)).toEqual(['user']);
  });

  it('puts other words in the place of the last question', () => {
    talk();
    chat.editResend('two');

    expect(chat.messages).toHaveLength(1);
    expect(chat.lastUser?.text).toBe('two');
    expect(sent('edit_resend')).toEqual([{ type: 'edit_resend', text: 'two' }]);
  });

  it('begins a new chat with an empty thread', () => {
    talk();
    chat.start(true);

    expect(chat.messages).toEqual([]);
    expect(chat.temporary).toBe(true);
    expect(sent('new_session')).toEqual([{ type: 'new_session', temporary: true }]);
  });

  it('gives sources with a question to its answers, and to no later one', () => {
    const source = { file: 'a.txt', start: 0, end: 3, text: 'abc' };
    chat.prompt(new UserMessage('q', { prompt: 'long', sources: [source] }));
    hear({ type: 'text_delta', delta: 'a' });
    expect(answer().sources).toEqual([source]);
    expect(sent('prompt')).toEqual([{ type: 'prompt', text: 'long', images: [] }]);

    say('next');
    hear({ type: 'turn_end', entryId: 'e1' }, { type: 'text_delta', delta: 'b' });
    expect([chat.lastUser?.text, answer().sources]).toEqual(['next', []]);
  });
});
