import { beforeEach, describe, expect, it } from 'vitest';

import { chat, hear, named, say, sent, thread } from './chatFixture';
import type { Attachment } from './composer/attachments';
import { FakeSocket } from './fakeSocket';
import type { ServerFrame } from './frames';
import { questionOf } from './question';

const refused: ServerFrame[] = [
  { type: 'error', message: 'answered in another tab' },
  { type: 'turn_end' },
];

describe('a question that the server never wrote', () => {
  const file: Attachment = { name: 'a.txt', text: 'because' };

  beforeEach(() => {
    say('one');
    hear(named('q1'), { type: 'turn_start' }, { type: 'text_delta', delta: 'first' });
    hear({ type: 'turn_end', entryId: 'a1' });
    FakeSocket.last.sent = [];
  });

  it('is put once more as a new one, with its files', () => {
    const question = questionOf('why?', [file]);
    chat.prompt(question);
    hear(...refused);
    chat.regenerate();

    expect(sent('regenerate')).toEqual([]);
    expect(sent('prompt')).toHaveLength(2);
    expect(sent('prompt')[1]).toMatchObject({ text: question.prompt });
    expect(thread()).toEqual(['one', 'first', 'why?']);

    hear(named('q2'), { type: 'turn_start' }, { type: 'text_delta', delta: 'second' });
    hear({ type: 'turn_end' });
    expect(thread()).toEqual(['one', 'first', 'why?', 'second']);
    expect([chat.lastUser?.entryId, chat.busy]).toEqual(['q2', false]);
  });

  it('is put as a new one in other words too, and keeps its files', () => {
    chat.prompt(questionOf('why?', [file]));
    hear(...refused);
    chat.editResend('how?');

    expect(sent('edit_resend')).toEqual([]);
    expect(sent('prompt')[1]).toMatchObject({ text: questionOf('how?', [file]).prompt });
    expect(chat.lastUser?.files).toEqual([{ name: 'a.txt', mode: 'inline' }]);
    expect(thread()).toEqual(['one', 'first', 'how?']);
  });

  it('is put as a new one where it was stopped before it was written', () => {
    say('two');
    chat.abort();
    hear({ type: 'turn_end' });
    chat.editResend('other');

    expect(sent('edit_resend')).toEqual([]);
    expect(thread()).toEqual(['one', 'first', 'other']);
  });

  it('stays, with what went wrong, while it cannot be sent', () => {
    say('two');
    hear(...refused);
    FakeSocket.last.readyState = 3;
    chat.regenerate();
    chat.editResend('other');

    expect(thread()).toEqual(['one', 'first', 'two', 'problem']);
  });

  it('does not take the name of the one before it', () => {
    say('two');
    hear({ type: 'history', items: [{ role: 'user', entryId: 'q1', text: 'one' }] } as ServerFrame);
    hear(named('q1'), ...refused);
    chat.regenerate();

    expect(sent('regenerate')).toEqual([]);
    expect(sent('prompt')).toHaveLength(2);
  });
});

it('has another answer where it was written and failed', () => {
  say('one');
  hear(named('q1'), { type: 'turn_start' }, { type: 'error', message: 'out of memory' });
  hear({ type: 'turn_end' });
  chat.regenerate();

  expect(sent('regenerate')).toHaveLength(1);
  expect(sent('prompt')).toHaveLength(1);
});
