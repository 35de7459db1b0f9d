import { expect, it } from 'vitest';

import { bestChunks, chunks, words } from './retrieval';

const lines = (word: string, count: number): string =>
  `${word} `.repeat(9).concat('\n').repeat(count);

it('cuts at ends of lines, and loses nothing', () => {
  const text = lines('alpha', 60);
  const found = chunks('a.txt', text);

  expect(found.length).toBeGreaterThan(2);
  found.slice(1).forEach((chunk, index) => expect(chunk.start).toBe(found[index]?.end));
  expect(found.at(-1)?.end).toBe(text.length);
  expect(found.every((chunk) => chunk.end === text.length || text[chunk.end - 1] === '\n')).toBe(
    true,
  );
});

it('cuts a text without lines as well', () => {
  expect(chunks('a', 'x'.repeat(3000)).map((chunk) => chunk.end)).toEqual([1200, 2400, 3000]);
});

it('finds the passage that holds the rare word', () => {
  const text = `${lines('common', 30)}The password is xylophone.\n${lines('common', 30)}`;
  const [best] = bestChunks('what is the xylophone?', chunks('a', text), 1);

  expect(best?.text).toContain('xylophone');
});

it('weighs a rare word more than one that is everywhere', () => {
  const passage = (text: string, start: number) => ({ file: 'f', start, end: start + 1, text });
  const passages = [
    passage('the the the the', 0),
    passage('the zebra', 1),
    passage('the the horse', 2),
  ];

  expect(bestChunks('the zebra', passages, 1)[0]?.text).toBe('the zebra');
});

it('gives passages in the order of their files, and never more than asked for', () => {
  const found = bestChunks('alpha', chunks('a', lines('alpha', 90)), 3);

  expect(found).toHaveLength(3);
  expect(found.map((chunk) => chunk.start)).toEqual(
    [...found.map((c) => c.start)].sort((a, b) => a - b),
  );
});

it('reads words of every script', () => {
  expect(words('Größe Ärger 東京 x_1!')).toEqual(['größe', 'ärger', '東京', 'x_1']);
});
