import { describe, expect, it } from 'vitest';

import { readFile } from './attachments';
import { recommended } from './controls';
import { mentionAt } from './mention';
import { nameOf, nextBlank, slashQuery } from './snippets';

describe('a mention', () => {
  it.each([
    ['#', 1, { start: 0, query: '' }],
    ['see #not', 8, { start: 4, query: 'not' }],
    ['(#a', 3, { start: 1, query: 'a' }],
    ['#a b', 2, { start: 0, query: 'a' }],
  ])('begins in %j at %i', (text, caret, expected) => {
    expect(mentionAt(text, caret)).toEqual(expected);
  });

  it.each([
    ['a#b', 3],
    ['1#', 2],
    ['# ', 2],
    ['##', 2],
    ['é#x', 3],
    ['', 0],
  ])('does not begin in %j at %i', (text, caret) => {
    expect(mentionAt(text, caret)).toBeUndefined();
  });
});

describe('a kept prompt', () => {
  it('is looked for by a slash that begins the message', () => {
    expect(['/', '/Re', 'a /re', '/re x'].map(slashQuery)).toEqual([
      '',
      're',
      undefined,
      undefined,
    ]);
  });

  it('has a name that can be typed', () => {
    expect(nameOf('  My Prompt! ')).toBe('my-prompt');
  });

  it('has parts to fill in, one after another', () => {
    const text = 'From {{a}} to {{b}}';
    const first = nextBlank(text);

    expect(text.slice(first?.start, first?.end)).toBe('{{a}}');
    expect(nextBlank(text, first?.end)?.start).toBe(14);
    expect(nextBlank(text, 19)).toBeUndefined();
  });
});

describe('a file', () => {
  const file = (name: string, type: string, text = 'x'): File => new File([text], name, { type });

  it.each([
    ['a.txt', 'text/plain'],
    ['a.py', ''],
    ['data', 'application/json'],
    ['App.svelte', ''],
  ])('is read as text: %s', async (name, type) => {
    expect(await readFile(file(name, type), false)).toEqual({
      ok: true,
      attachment: { name, text: 'x', cut: false },
    });
  });

  it('is cut where it is long, and marked', async () => {
    const read = await readFile(file('a.txt', 'text/plain', 'x'.repeat(300_000)), false);

    expect(read.ok && [read.attachment.text?.length, read.attachment.cut]).toEqual([262_144, true]);
  });

  it('that is neither text nor a picture is refused with a reason', async () => {
    expect(await readFile(file('a.zip', 'application/zip'), true)).toEqual({
      ok: false,
      reason: 'a.zip is neither text nor a picture.',
    });
  });

  it('that is a picture goes only to a model that sees', async () => {
    expect((await readFile(file('a.png', 'image/png'), false)).ok).toBe(false);
    const read = await readFile(file('a.png', 'image/png'), true);
    expect(read.ok && read.attachment.image).toEqual({ data: btoa('x'), mimeType: 'image/png' });
  });
});

describe('what is recommended', () => {
  it('follows the model, and thinking where the model says nothing', () => {
    expect(recommended('temperature', { temperature: 0.2 }, true)).toBe(0.2);
    expect(recommended('temperature', {}, true)).toBe(0.9);
    expect(recommended('temperature', undefined, false)).toBe(0.7);
    expect(recommended('min_p', {}, true)).toBeUndefined();
  });
});
