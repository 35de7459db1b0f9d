/** A question and its files as one prompt: whole where they are short, else what fits the question. */
import type { Source } from '../messages.svelte';
import type { Attachment } from './attachments';
import { bestChunks, chunks } from './retrieval';

/** Characters of all files together that are sent whole. */
export const INLINE_LIMIT = 24_000;
const MOST_CHUNKS = 6;

export function withFiles(
  question: string,
  attachments: readonly Attachment[],
): { prompt: string; sources: Source[] } {
  const files = attachments.flatMap((each) =>
    each.text === undefined ? [] : [{ name: each.name, text: each.text, cut: each.cut }],
  );
  if (files.length === 0) return { prompt: question, sources: [] };
  const total = files.reduce((sum, file) => sum + file.text.length, 0);
  if (total <= INLINE_LIMIT) {
    const parts = files.map(
      (file) => `File ${file.name}${file.cut ? ' (its beginning)' : ''}:\n${fenced(file.text)}`,
    );
    return { prompt: [...parts, question].join('\n\n'), sources: [] };
  }
  const sources = bestChunks(
    question,
    files.flatMap((file) => chunks(file.name, file.text)),
    MOST_CHUNKS,
  );
  const context = sources.map((source, index) => `[${index + 1}] ${source.file}\n${source.text}`);
  const intro = 'Passages of the attached files. Name those you use by their number, as in [1].';
  return { prompt: [intro, ...context, question].join('\n\n'), sources };
}

/** Text between fences that it does not hold itself. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
