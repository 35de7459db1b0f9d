import { describe, expect, it } from 'vitest';

import { answer, chat, hear, say, sent } from './chatFixture';
import type { Attachment } from './composer/attachments';
import type { ServerFrame } from './frames';
import { questionOf } from './question';

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
