import { expect, it } from 'vitest';

import { withFiles } from '../composer/prompt';
import { titleOf } from './title';

const LONGEST = 80;

/** As the server makes it of the first message. */
function told(prompt: string): string {
  const line = prompt.split(/\s+/).filter(Boolean).join(' ');
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}

it.each([
  ['is what was said', 'File a.txt is gone', [], 'File a.txt is gone'],
  ['is the question', 'why?', [{ name: 'a b.txt', text: 'x' }], 'why?'],
  ['is the question after an empty file', 'why?', [{ name: 'a', text: '' }], 'why?'],
  ['is the file', '', [{ name: 'a.txt', text: 'x' }], 'a.txt'],
  [
    'is the file that hides the question',
    'why?',
    [{ name: 'a.txt', text: 'x '.repeat(90) }],
    'a.txt',
  ],
  [
    'is the files before a question that is cut early',
    'why is it so?',
    [
      { name: 'a.txt', text: 'x '.repeat(10) },
      { name: 'b.txt', text: 'y '.repeat(9) },
    ],
    'a.txt, b.txt',
  ],
  ['is the file of passages', 'x?', [{ name: 'b.md', text: 'x y\n'.repeat(9000) }], 'b.md'],
])('of a chat %s', (_, question, files, expected) => {
  expect(titleOf(told(withFiles(question, files).prompt))).toBe(expected);
});

it('is that of the files where none can be read off it', () => {
  const files = [{ name: `${'n'.repeat(90)}.md`, text: 'x y\n'.repeat(9000) }];

  expect(titleOf(told(withFiles('x?', files).prompt))).toBe('Attached files');
});
