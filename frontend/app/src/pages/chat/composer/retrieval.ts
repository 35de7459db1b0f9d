/** Finds the passages of long files that fit a question: BM25, in the browser. */
import type { Source } from '../messages.svelte';

const CHUNK = 1200; // characters
const K1 = 1.2;
const B = 0.75;

/** Cuts a text at line ends into passages of about equal length. */
export function chunks(file: string, text: string): Source[] {
  const found: Source[] = [];
  let start = 0;
  while (start < text.length) {
    let end = Math.min(text.length, start + CHUNK);
    const line = text.lastIndexOf('\n', end);
    if (end < text.length && line > start + CHUNK / 2) end = line + 1;
    found.push({ file, start, end, text: text.slice(start, end).trim() });
    start = end;
  }
  return found.filter((chunk) => chunk.text);
}

export const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** The passages that fit best, in the order of their files. */
export function bestChunks(question: string, passages: Source[], most: number): Source[] {
  const terms = [...new Set(words(question))];
  const counts = passages.map((passage) => {
    const count = new Map<string, number>();
    for (const word of words(passage.text)) count.set(word, (count.get(word) ?? 0) + 1);
    return count;
  });
  const lengths = counts.map((count) => [...count.values()].reduce((a, b) => a + b, 0));
  const mean = lengths.reduce((a, b) => a + b, 0) / Math.max(1, lengths.length);
  const weights = terms.map((term) => {
    const holding = counts.filter((count) => count.has(term)).length;
    return Math.log(1 + (counts.length - holding + 0.5) / (holding + 0.5));
  });
  const scores = counts.map((count, index) =>
    terms.reduce((sum, term, which) => {
      const times = count.get(term) ?? 0;
      const norm = K1 * (1 - B + (B * (lengths[index] ?? 0)) / Math.max(1, mean));
      return sum + ((weights[which] ?? 0) * times * (K1 + 1)) / (times + norm);
    }, 0),
  );
  return passages
    .map((passage, index) => ({ passage, index, score: scores[index] ?? 0 }))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, most)
    .sort((one, other) => one.index - other.index)
    .map((each) => each.passage);
}
