/** Questions with what goes with them: written, put in other words, or read from a history. */
import type { Attachment } from './composer/attachments';
import { readPrompt, withFiles } from './composer/prompt';
import type { HistoryItem } from './frames';
import { UserMessage } from './messages.svelte';

export function questionOf(text: string, attachments: readonly Attachment[]): UserMessage {
  const images = attachments.flatMap((each) => (each.image ? [each.image] : []));
  return new UserMessage(text, { ...withFiles(text, attachments), images, attachments });
}

/** The same files with other words. Of files that were read from a history, the same passages. */
export function reworded(question: UserMessage, text: string): UserMessage {
  if (question.attachments.length) return questionOf(text, question.attachments);
  const { files, sources, images, before } = question;
  return new UserMessage(text, { prompt: before + text, before, files, sources, images });
}

export function questionIn(item: Extract<HistoryItem, { role: 'user' }>): UserMessage {
  const { question, before, files } = readPrompt(item.text);
  const images = item.images ?? [];
  return new UserMessage(question, { prompt: item.text, before, files, images }, item.entryId);
}

/** A prompt in few words, for where there is little room. */
export function inShort(prompt: string): string {
  const { question, files } = readPrompt(prompt);
  return question.trim() || files.map(({ name }) => name).join(', ');
}
