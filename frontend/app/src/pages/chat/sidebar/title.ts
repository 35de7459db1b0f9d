/** What a chat is called: of one that began with files, by the question that they came with.
 *
 * A title is the beginning of a prompt in one line, which may end amid a file. */
import { INTRO } from '../composer/prompt';

const HEAD = /^(?:File|\[\d+\]) (.+?)(?: \(its beginning\))?: (`{3,})/;

const TELLING = 16; // characters of a question from which its beginning says something

export function titleOf(told: string): string {
  const isRetrieval = told.startsWith(INTRO);
  let rest = isRetrieval ? told.slice(INTRO.length + 1) : told;
  const names: string[] = [];
  for (let match = HEAD.exec(rest); match; match = HEAD.exec(rest)) {
    const [head, name = '', fence = ''] = match;
    names.push(name);
    const end = rest.indexOf(` ${fence} `, head.length - 1);
    rest = end < 0 ? '' : rest.slice(end + fence.length + 2);
  }
  const isCut = rest.endsWith('…') && (rest.length < TELLING || /^(?:File|\[\d+\]) /.test(rest));
  if (names.length === 0) return isRetrieval ? 'Attached files' : told;
  return (isCut ? '' : rest) || [...new Set(names)].join(', ');
}
