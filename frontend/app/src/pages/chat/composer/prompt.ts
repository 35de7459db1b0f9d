/** A question and its files as one prompt: whole where they are short, else what fits the question.
 *
 * A prompt can be read back, so a chat from the disk shows its files as it did when they were sent. */
import type { SentFile, Source } from '../messages.svelte';
import type { Attachment } from './attachments';
import { bestChunks, chunks } from './retrieval';

/** Characters of all files together that are sent whole. */
export const INLINE_LIMIT = 24_000;
const MOST_CHUNKS = 6;
/** Short, for a title of the chat to begin with it and still name a file. */
export const INTRO = 'Passages of attached files; name those you use as in [1].';

export interface Composed {
  prompt: string;
  files: SentFile[];
  sources: Source[];
}

interface TextFile {
  name: string;
  text: string;
  cut?: boolean | undefined;
}

const textsOf = (attachments: readonly Attachment[]): TextFile[] =>
  attachments.flatMap(({ name, text, cut }) => (text === undefined ? [] : [{ name, text, cut }]));

/** How the text of files goes with a question: whole, or passages of it that are looked up. */
export function modeOf(attachments: readonly Attachment[]): SentFile['mode'] {
  const total = textsOf(attachments).reduce((sum, file) => sum + file.text.length, 0);
  return total <= INLINE_LIMIT ? 'inline' : 'retrieval';
}

export function withFiles(question: string, attachments: readonly Attachment[]): Composed {
  const files = textsOf(attachments);
  if (files.length === 0) return { prompt: question, files: [], sources: [] };
  const mode = modeOf(attachments);
  const sent = files.map(({ name }) => ({ name, mode }));
  if (mode === 'inline') {
    const parts = files.map((file) => headed(inlineHead(file), file.text));
    return { prompt: [...parts, question].join('\n\n'), files: sent, sources: [] };
  }
  const sources = bestChunks(
    question,
    files.flatMap((file) => chunks(file.name, file.text)),
    MOST_CHUNKS,
  );
  const passages = sources.map(({ file, text }, index) => headed(`[${index + 1}] ${file}:`, text));
  return { prompt: [INTRO, ...passages, question].join('\n\n'), files: sent, sources };
}

/** What a prompt was made of. before: all that stands before the question. */
export function readPrompt(prompt: string): {
  before: string;
  question: string;
  files: SentFile[];
} {
  const intro = `${INTRO}\n\n`;
  const mode = prompt.startsWith(intro) ? 'retrieval' : 'inline';
  const head = mode === 'inline' ? INLINE_HEAD : PASSAGE_HEAD;
  const names: string[] = [];
  let at = mode === 'inline' ? 0 : intro.length;
  for (;;) {
    const match = head.exec(prompt.slice(at));
    const [start = '', name = '', fence = ''] = match ?? [];
    // The line break before the closing fence is the opening one's where nothing is between.
    const end = prompt.indexOf(`\n${fence}\n\n`, at + start.length - 1);
    if (!match || end < 0) break;
    names.push(name);
    at = end + fence.length + 3;
  }
  if (names.length === 0) return { before: '', question: prompt, files: [] };
  const files = [...new Set(names)].map((name) => ({ name, mode }) as const);
  return { before: prompt.slice(0, at), question: prompt.slice(at), files };
}

const inlineHead = ({ name, cut }: TextFile): string =>
  `File ${name}${cut ? ' (its beginning)' : ''}:`;
const INLINE_HEAD = /^File (.+?)(?: \(its beginning\))?:\n(`{3,})\n/;
const PASSAGE_HEAD = /^\[\d+\] (.+?):\n(`{3,})\n/;

/** Text under its name, between fences that it does not hold itself. */
function headed(head: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${head}\n${fence}\n${text.trimEnd()}\n${fence}`;
}
