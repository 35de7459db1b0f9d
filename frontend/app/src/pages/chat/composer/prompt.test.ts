import { expect, it } from 'vitest';

import { INLINE_LIMIT, withFiles } from './prompt';

it('is the question alone without files', () => {
  expect(withFiles('why?', [])).toEqual({ prompt: 'why?', sources: [] });
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
  expect(prompt).toContain('[1] long.txt');
  expect(prompt).toContain('the answer is 42');
  expect(prompt.length).toBeLessThan(10_000);
});
