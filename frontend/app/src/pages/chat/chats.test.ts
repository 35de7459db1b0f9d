import { beforeEach, describe, expect, it } from 'vitest';

import { toasts } from '../../lib/toasts.svelte';
import { READY, answer, chat, comeBack, entered, hear, say, sent, sessions } from './chatFixture';
import type { ServerFrame } from './frames';

const QUESTION = { role: 'user', entryId: '1', text: 'hi' };

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
