import { expect, it } from 'vitest';

import { INLINE_LIMIT, modeOf, readPrompt, withFiles } from './prompt';

it('is the question alone without files', () => {
  expect(withFiles('why?', [])).toEqual({ prompt: 'why?', files: [], sources: [] });
});

it('holds short files whole, before the question', () => {
  const { prompt, sources } = withFiles('why?', [{ name: 'a.txt', text: 'because' }]);

  expect(prompt).toBe('File a.txt:\n```\nbecause\n```\n\nwhy?');
  expect(sources).toEqual([]);
});

it('says of a cut file that it is the beginning', () => {
  expect(withFiles('', [{ name: 'a', text: 'x', cut: true }]).prompt).toContain('(its beginning)');
});

it('fences a file that holds fences by longer ones', () => {
  expect(withFiles('', [{ name: 'a', text: '````\nx\n````' }]).prompt).toContain('`````\n````');
});

it('leaves pictures to be sent beside it', () => {
  const image = { data: '', mimeType: 'image/png' };

  expect(withFiles('what?', [{ name: 'a.png', image }]).prompt).toBe('what?');
});

it('holds only numbered passages of long files', () => {
  const text = `${'filler words here\n'.repeat(2000)}the answer is 42\n`;
  expect(text.length).toBeGreaterThan(INLINE_LIMIT);

  const { prompt, sources } = withFiles('what is the answer?', [{ name: 'long.txt', text }]);

  expect(sources.length).toBeLessThanOrEqual(6);
  expect(prompt).toContain('[1] long.txt:');
  expect(prompt).toContain('the answer is 42');
  expect(prompt.length).toBeLessThan(10_000);
});

it.each([
  ['short', [{ name: 'a (1).txt', text: 'because\n' }]],
  ['cut', [{ name: 'a.txt', text: 'x', cut: true }]],
  ['empty', [{ name: 'a.txt', text: '' }]],
  [
    'several, with fences',
    [
      { name: 'a.md', text: '```py\nx\n```\n\nmore' },
      { name: 'b.md', text: '````\n\n````' },
    ],
  ],
  ['long', [{ name: 'long.txt', text: 'File b:\n\nfiller [1] words\n'.repeat(2000) }]],
])('is read back to its files and its question: %s', (_, files) => {
  for (const question of ['why\n\n```\nx\n```', '']) {
    const { prompt } = withFiles(question, files);
    const read = readPrompt(prompt);

    expect(read.question).toBe(question);
    expect(read.before + read.question).toBe(prompt);
    expect(read.files).toEqual(files.map(({ name }) => ({ name, mode: modeOf(files) })));
  }
});

it.each([
  'why?',
  'File a.txt: is it there?',
  'File a.txt:\n```\nnever closed',
  '[1] a:\n```\nx\n```\n\ny',
])('is taken for a question alone where it is one: %j', (prompt) => {
  expect(readPrompt(prompt)).toEqual({ before: '', question: prompt, files: [] });
});
