import { describe, expect, it } from 'vitest';

import { markdownOf } from '../sidebar/exports';
import { marked } from '../sidebar/marked';
import { lineDiff } from './lineDiff';
import { summaryOf } from './summary';

describe('a diff', () => {
  const marks = { same: ' ', gone: '-', new: '+' };
  const diff = (before: string, after: string): string[] =>
    lineDiff(before, after).map((line) => marks[line.kind] + line.text);

  it('keeps what is the same', () => {
    expect(diff('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c']);
  });

  it('of a new file is all new, of a deleted one all gone', () => {
    expect(diff('', 'a\nb')).toEqual(['+a', '+b']);
    expect(diff('a', '')).toEqual(['-a']);
    expect(diff('', '')).toEqual([]);
  });

  it('of very long texts is still given', () => {
    const long = 'x\n'.repeat(2100);

    expect(lineDiff(long, `${long}y`).length).toBeGreaterThan(2100);
  });
});

describe('a summary of a call', () => {
  it('is its telling argument, cut', () => {
    expect(summaryOf({ path: 'a.txt', content: 'x' })).toBe('a.txt');
    expect(summaryOf({ command: 'x'.repeat(200) })).toHaveLength(120);
  });

  it('is all of it where none tells, and nothing where there is none', () => {
    expect(summaryOf({ n: 1 })).toBe('{"n":1}');
    expect(summaryOf({})).toBe('');
  });
});

describe('a found snippet', () => {
  it('is cut at what was found', () => {
    expect(marked('a cat sat', [[2, 5]])).toEqual([
      { text: 'a ', hit: false },
      { text: 'cat', hit: true },
      { text: ' sat', hit: false },
    ]);
  });
});

describe('an exported chat', () => {
  it('holds what was said, by whom', () => {
    const entries = [
      { type: 'session' },
      { type: 'message', message: { role: 'user', content: 'hi' } },
      {
        type: 'message',
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'yes' },
          ],
        },
      },
      { type: 'message', message: { role: 'toolResult', content: 'x' } },
    ];

    expect(markdownOf(entries)).toBe('## You\n\nhi\n\n## Assistant\n\nyes\n');
  });
});
