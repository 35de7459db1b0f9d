import { beforeEach, describe, expect, it } from 'vitest';

import { chat, hear, named, say, thread } from './chatFixture';
import type { ServerFrame } from './frames';
import { type AssistantMessage } from './messages.svelte';

describe('a message sent meanwhile', () => {
  const queue = (...followUp: string[]): ServerFrame => ({
    type: 'queue_update',
    steering: [],
    followUp,
  });
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

  it('is shown with what was against it where it was refused, and waits for nothing', () => {
    say('picture');
    say('two');
    hear(
      { type: 'error', message: 'no pictures' },
      queue('two'),
      { type: 'text_delta', delta: ' on' },
      { type: 'turn_end' },
      queue(),
    );
    answered('second');

    expect(thread()).toEqual(['one', 'first on', 'picture', 'problem', 'two', 'second']);
    expect(chat.busy).toBe(false);
  });

  it('is shown where it was refused just before the answer ended', () => {
    say('picture');
    hear({ type: 'error', message: 'no pictures' }, { type: 'turn_end' });

    expect(thread()).toEqual(['one', 'first', 'problem', 'picture']);
    expect(chat.busy).toBe(false);
  });

  it('is answered where it was on its way when the answer before it failed', () => {
    say('two');
    hear({ type: 'error', message: 'out of memory' }, { type: 'turn_end' });
    hear(queue('two'), queue());
    hear({ type: 'siblings', entryId: 'q2', index: 0, count: 1, siblingIds: ['q2'] });
    answered('second');

    expect(thread()).toEqual(['one', 'first', 'problem', 'two', 'second']);
    expect([chat.lastUser?.entryId, chat.busy]).toEqual(['q2', false]);
  });

  it('waits on where an error was about something else', () => {
    say('more');
    hear({ type: 'error', message: 'no such call' }, queue('more'));
    hear({ type: 'text_delta', delta: '' }, { type: 'turn_end' });
    expect([thread(), chat.busy]).toEqual([['one', 'first'], true]);

    hear(queue());
    answered('second');
    expect(thread()).toEqual(['one', 'first', 'more', 'second']);
  });

  it('is let go of with a chat that is gone, but not what is on its way', () => {
    say('two');
    say('three');
    hear(queue('two', 'three'), { type: 'turn_end' }, queue('three'));
    hear({ type: 'error', message: 'no such chat' }, { type: 'turn_end' });
    say('four');
    hear(queue(), { type: 'history', items: [] });
    answered('fourth');

    expect(thread()).toEqual(['four', 'fourth']);
    expect(chat.busy).toBe(false);
  });

  it('waits on where the chat is told once more', () => {
    say('two');
    hear(queue('two'), { type: 'turn_end' }, { type: 'history', items: [] }, queue());
    answered('second');

    expect(thread()).toEqual(['two', 'second']);
  });

  it('waits where the queue is told twice', () => {
    const told: ServerFrame = { type: 'queue_update', steering: ['note'], followUp: [] };
    hear(told, told);

    expect(thread()).toEqual(['one', 'first']);
    expect(chat.queued.steering).toEqual(['note']);
  });
});
