import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { toasts } from '../../lib/toasts.svelte';
import { Chat } from './chat.svelte';
import type { Attachment } from './composer/attachments';
import { FakeSocket } from './fakeSocket';
import type { ServerFrame } from './frames';
import { AssistantMessage, ToolPart, UserMessage } from './messages.svelte';
import { questionOf } from './question';

const READY: ServerFrame = {
  type: 'ready',
  model: 'owner/tiny',
  vision: false,
  audio: false,
  thinking: true,
  genDefaults: {},
};

let chat: Chat;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.install();
  toasts.list = [];
  chat = new Chat();
  chat.socket.open();
  FakeSocket.last.accept();
});
afterEach(() => {
  chat.socket.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const QUESTION = { role: 'user', entryId: '1', text: 'hi' };
const sessions = (activePath?: string): ServerFrame => ({
  type: 'sessions',
  items: [],
  ...(activePath ? { activePath } : {}),
});
/** What the server tells of a chat that was entered. */
const entered = (path?: string): ServerFrame[] => [
  { type: 'history', items: [] },
  { type: 'siblings', index: 0, count: 0, siblingIds: [] },
  { type: 'coding_tools', active: false, pending: false },
  sessions(path),
];

function comeBack(): void {
  FakeSocket.last.close();
  vi.advanceTimersByTime(2200);
  FakeSocket.last.accept();
}

const say = (text: string): boolean => chat.prompt(new UserMessage(text));
const hear = (...frames: ServerFrame[]): void => frames.forEach((frame) => chat.receive(frame));
const answer = (): AssistantMessage => chat.answer as AssistantMessage;
const call = (id = 'c1'): ToolPart => answer().call(id) as ToolPart;
const sent = (type: string): unknown[] =>
  FakeSocket.last.sent.filter((frame) => frame.type === type);

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

    hear({ type: 'turn_end' });

    expect(chat.messages.map((message) => message.role)).toEqual(['assistant']);
    expect(toasts.list.map((toast) => toast.text)).toEqual(['no such chat']);
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

describe('a message sent meanwhile', () => {
  const queue = (...followUp: string[]): ServerFrame => ({
    type: 'queue_update',
    steering: [],
    followUp,
  });
  const thread = (): string[] =>
    chat.messages.map((message) =>
      message.role === 'user' || message.role === 'assistant' ? message.text : message.role,
    );
  const answered = (text: string): void =>
    hear({ type: 'turn_start' }, { type: 'text_delta', delta: text }, { type: 'turn_end' });

  beforeEach(() => {
    say('one');
    hear({ type: 'turn_start' }, { type: 'text_delta', delta: 'first' });
  });

  it('waits, and is shown when its answer begins', () => {
    say('two');
    hear(queue('two'), { type: 'turn_end' }, queue());
    expect(thread()).toEqual(['one', 'first']);

    answered('second');

    expect(thread()).toEqual(['one', 'first', 'two', 'second']);
    expect(chat.busy).toBe(false);
  });

  it('is shown as often as it was sent', () => {
    say('more');
    say('more');
    hear(queue('more', 'more'), { type: 'turn_end' }, queue('more'));
    answered('a');
    hear(queue());
    answered('b');

    expect(thread()).toEqual(['one', 'first', 'more', 'a', 'more', 'b']);
  });

  it('is dropped by a stop, which ends the answer alone', () => {
    say('two');
    hear(queue('two'));
    chat.abort();
    hear(queue(), { type: 'turn_end' });

    expect(thread()).toEqual(['one', 'first']);
    expect([chat.busy, (chat.messages[1] as AssistantMessage).streaming]).toEqual([false, false]);

    say('three');
    answered('third');
    expect(thread()).toEqual(['one', 'first', 'three', 'third']);
  });

  it('stays where it was sent after the stop', () => {
    say('two');
    chat.abort();
    say('three');
    hear(queue('two'), queue(), { type: 'turn_end' });
    answered('third');

    expect(thread()).toEqual(['one', 'first', 'three', 'third']);
  });

  it('counts where its answer had begun before the stop came', () => {
    say('two');
    hear(queue('two'));
    chat.abort();
    hear({ type: 'turn_end' }, { type: 'sessions', items: [] }, queue());
    answered('sec');

    expect(thread()).toEqual(['one', 'first', 'two', 'sec']);
  });

  it('is shown once where the server was not done with the turn before', () => {
    hear({ type: 'turn_end' });
    say('two');
    hear(queue('two'), queue());
    answered('second');

    expect(thread()).toEqual(['one', 'first', 'two', 'second']);
  });

  it('does not take the place of a question that is answered anew', () => {
    hear({ type: 'turn_end' });
    chat.regenerate();
    say('two');
    hear(queue('two'));
    answered('again');
    hear(queue());
    answered('second');

    expect(thread()).toEqual(['one', 'again', 'two', 'second']);
  });

  it('is named by the server, and does not take the name of the one before', () => {
    const named = (entryId: string): ServerFrame => ({
      type: 'siblings',
      entryId,
      index: 0,
      count: 1,
      siblingIds: [entryId],
    });
    hear(named('q1'));
    say('two');
    hear({ type: 'turn_end' }, queue(), named('q2'));
    answered('second');

    const questions = chat.messages.filter((message) => message.role === 'user');
    expect(questions.map(({ text, entryId }) => [text, entryId])).toEqual([
      ['one', 'q1'],
      ['two', 'q2'],
    ]);
  });

  it('is shown without an answer where it was put and then stopped', () => {
    say('two');
    say('three');
    hear(queue('two', 'three'), { type: 'turn_end' }, queue('three'));
    chat.abort();
    hear({ type: 'siblings', entryId: 'q2', index: 0, count: 1, siblingIds: ['q2'] }, queue(), {
      type: 'turn_end',
    });

    expect(thread()).toEqual(['one', 'first', 'two']);
    expect(chat.busy).toBe(false);
  });

  it('is shown with what went wrong before its answer began', () => {
    say('two');
    say('three');
    hear(
      queue('two', 'three'),
      { type: 'turn_end' },
      queue('three'),
      { type: 'error', message: 'disk full' },
      { type: 'turn_end' },
      queue(),
    );
    answered('third');

    expect(thread()).toEqual(['one', 'first', 'two', 'problem', 'three', 'third']);
  });

  it('waits where the queue is told twice', () => {
    const told: ServerFrame = { type: 'queue_update', steering: ['note'], followUp: [] };
    hear(told, told);

    expect(thread()).toEqual(['one', 'first']);
    expect(chat.queued.steering).toEqual(['note']);
  });
});

describe('a greeting', () => {
  it('tells the model, and asks for the chats', () => {
    let greeted = 0;
    chat.onready = () => greeted++;

    hear(READY);

    expect(chat.served?.model).toBe('owner/tiny');
    expect(greeted).toBe(1);
    expect(sent('open_session')).toEqual([]);
    expect(sent('list_sessions')).toHaveLength(1);
  });

  it('after a lost connection opens the chat that was open', () => {
    hear(READY, { type: 'sessions', items: [], activePath: 'a.jsonl' } as ServerFrame);
    comeBack();

    hear(READY);

    expect(sent('open_session')).toEqual([{ type: 'open_session', path: 'a.jsonl' }]);
  });

  it('after a lost connection begins anew where the chat is gone or has no name', () => {
    say('one');
    comeBack();
    hear(READY);
    expect([chat.messages, chat.returning]).toEqual([[], false]);
    expect(toasts.list).toHaveLength(1);

    hear(sessions('a.jsonl'), { type: 'history', items: [QUESTION] } as ServerFrame);
    comeBack();
    hear(READY, { type: 'error', message: 'no such chat' }, sessions());
    expect([chat.messages, chat.returning, chat.activePath]).toEqual([[], false, undefined]);
  });

  it('that comes again for another model leaves the chat as it is', () => {
    hear(READY, sessions('a.jsonl'));
    say('one');
    hear({ type: 'text_delta', delta: 'a' }, { ...READY, model: 'owner/other' } as ServerFrame);

    expect(sent('open_session')).toEqual([]);
    expect([chat.served?.model, chat.streaming, answer().text]).toEqual(['owner/other', true, 'a']);
  });

  it('opens nothing after a new chat was begun', () => {
    hear(READY, { type: 'sessions', items: [], activePath: 'a.jsonl' } as ServerFrame);
    chat.start();
    hear(READY);

    expect(sent('open_session')).toEqual([]);
  });
});

describe('a temporary chat', () => {
  beforeEach(() => {
    hear(READY);
    chat.start(true);
    hear(...entered());
    say('secret');
    hear({ type: 'text_delta', delta: 'a' }, { type: 'turn_end' }, sessions());
  });

  it('is not put on the disk by a connection that was lost', () => {
    comeBack();
    expect(say('before the greeting')).toBe(false);
    hear(READY);
    expect(say('before the chat')).toBe(false);
    expect(sent('prompt')).toEqual([]);
    expect(sent('new_session')).toEqual([{ type: 'new_session', temporary: true }]);
    expect([chat.temporary, chat.messages]).toEqual([true, []]);
    expect(toasts.list.some((toast) => toast.text.includes('temporary'))).toBe(true);

    hear(...entered());
    expect(say('now')).toBe(true);
    comeBack();
    hear(READY);
    expect(sent('new_session')).toEqual([{ type: 'new_session', temporary: true }]);
  });

  it.each(['openSession', 'fork'] as const)('is left by %s', (way) => {
    chat[way]('a.jsonl');
    hear(...entered('b.jsonl'));
    expect(chat.temporary).toBe(false);

    comeBack();
    hear(READY);
    expect(sent('open_session')).toEqual([{ type: 'open_session', path: 'b.jsonl' }]);
  });

  it('is not left by one that cannot be had', () => {
    chat.openSession('gone.jsonl');
    hear({ type: 'error', message: 'no such chat' });
    comeBack();
    hear(READY);

    expect(sent('new_session')).toHaveLength(1);
  });

  it('stays one where the chat before it is told of late', () => {
    hear(...entered('a.jsonl'));
    chat.start(true);
    hear(sessions('a.jsonl'), ...entered());

    expect([chat.temporary, chat.activePath]).toEqual([true, undefined]);
  });
});

describe('another chat', () => {
  beforeEach(() => {
    hear(READY, sessions('a.jsonl'));
    say('one');
    hear({ type: 'turn_start' }, { type: 'context', tokens: 10, contextWindow: 100, percent: 10 });
    say('two');
    hear({ type: 'queue_update', steering: [], followUp: ['two'] });
  });

  it.each([
    ['a new one', () => chat.start()],
    ['an open one', () => chat.openSession('b.jsonl')],
    ['a copy', () => chat.fork('b.jsonl')],
  ])('shows nothing of the one before: %s', (_, enter) => {
    const visit = chat.visit;
    enter();
    expect([chat.window, chat.queued.followUp]).toEqual([undefined, []]);

    hear({ type: 'turn_end' }, ...entered('b.jsonl'));
    say('three');
    hear({ type: 'turn_start' });

    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(chat.lastUser?.text).toBe('three');
    expect(chat.visit).toBeGreaterThan(visit);
  });

  it('takes in nothing that was under way in the one before', () => {
    chat.start();
    say('three');
    hear({ type: 'text_delta', delta: 'late' });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user']);

    hear({ type: 'turn_end' }, ...entered(), { type: 'turn_start' });
    hear({ type: 'text_delta', delta: 'third' }, { type: 'turn_end' });

    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect([chat.lastUser?.text, chat.busy]).toEqual(['three', false]);
  });

  it('that cannot be had leaves what waits', () => {
    chat.openSession('gone.jsonl');
    hear({ type: 'error', message: 'no such chat' }, { type: 'text_delta', delta: 'a' });
    hear({ type: 'turn_end' }, { type: 'turn_start' });

    expect(chat.lastUser?.text).toBe('two');
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

describe('files of a question', () => {
  const short = { name: 'a.txt', text: 'because' };
  const long = { name: 'long.txt', text: 'the zebra is striped\n\n'.repeat(1500) };
  const ask = (text: string, ...files: Attachment[]): boolean =>
    chat.prompt(questionOf(text, files));
  const finish = (): void => hear({ type: 'text_delta', delta: 'a' }, { type: 'turn_end' });

  it('stay with it when it is put in other words', () => {
    ask('why?', short);
    finish();
    chat.editResend('how?');

    expect(sent('edit_resend')).toEqual([
      { type: 'edit_resend', text: 'File a.txt:\n```\nbecause\n```\n\nhow?' },
    ]);
    expect(chat.lastUser?.text).toBe('how?');
    expect(chat.lastUser?.files).toEqual([{ name: 'a.txt', mode: 'inline' }]);
  });

  it('are looked through anew for other words, and their passages stay for another answer', () => {
    ask('a horse?', long);
    finish();
    chat.editResend('a zebra?');
    hear({ type: 'text_delta', delta: 'a' });
    const sources = answer().sources;
    expect(sources[0]?.text).toContain('zebra');

    hear({ type: 'turn_end' });
    chat.regenerate();
    hear({ type: 'text_delta', delta: 'b' });
    expect(answer().sources).toBe(sources);
  });

  it('wait with it', () => {
    say('first');
    hear({ type: 'text_delta', delta: 'a' });
    ask('a zebra?', long);
    hear({ type: 'turn_end' }, { type: 'turn_start' });

    expect(chat.lastUser?.text).toBe('a zebra?');
    expect(answer().sources.length).toBeGreaterThan(0);
  });

  it('are read from the disk as files, and go with it again', () => {
    const { prompt } = questionOf('why?', [short]);
    hear({
      type: 'history',
      items: [{ role: 'user', entryId: '1', text: prompt }],
    } as unknown as ServerFrame);
    expect([chat.lastUser?.text, chat.lastUser?.files[0]?.name]).toEqual(['why?', 'a.txt']);

    chat.editResend('how?');
    expect(sent('edit_resend')).toEqual([
      { type: 'edit_resend', text: questionOf('how?', [short]).prompt },
    ]);
  });

  it('and their passages stay where the same messages are told once more', () => {
    ask('a zebra?', long);
    hear(
      { type: 'siblings', entryId: 'q', index: 0, count: 1, siblingIds: ['q'] },
      { type: 'text_delta', delta: 'a' },
      { type: 'turn_end', entryId: 'a' },
    );
    const prompt = chat.lastUser?.prompt;
    hear({
      type: 'history',
      items: [
        { role: 'user', entryId: 'q', text: prompt },
        { role: 'assistant', entryId: 'a', parts: [{ type: 'text', text: 'a' }] },
      ],
    } as unknown as ServerFrame);

    expect(answer().sources.length).toBeGreaterThan(0);
    expect(chat.lastUser?.attachments).toEqual([long]);
  });
});
