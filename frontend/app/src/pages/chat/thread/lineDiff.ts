/** What an edit changes, line by line. */

export interface DiffLine {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

/** The longest common subsequence, by dynamic programming: fine for what an approval shows. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = lines(before);
  const now = lines(after);
  if (old.length * now.length > 4_000_000) return [...gone(old), ...fresh(now)];
  const width = now.length + 1;
  const length = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => length[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      length[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      found.push({ kind: 'same', text: old[i] ?? '' });
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) found.push(...gone(old.slice(i, ++i)));
    else found.push(...fresh(now.slice(j, ++j)));
  }
  return [...found, ...gone(old.slice(i)), ...fresh(now.slice(j))];
}

const lines = (text: string): string[] => (text === '' ? [] : text.split('\n'));
const gone = (texts: string[]): DiffLine[] => texts.map((text) => ({ kind: 'gone', text }));
const fresh = (texts: string[]): DiffLine[] => texts.map((text) => ({ kind: 'new', text }));
