/** A chat as a file: Markdown to read, JSON to keep. */
import { get, wordsOf } from '../../../lib/http';
import { save } from '../../../lib/save';
import { toasts } from '../../../lib/toasts.svelte';

interface Entry {
  type: string;
  message?: { role: string; content: unknown };
}

interface Exported {
  entries: Entry[];
}

export async function exportChat(path: string | undefined, as: 'markdown' | 'json'): Promise<void> {
  if (!path) {
    toasts.show('There is nothing saved to export yet.');
    return;
  }
  try {
    const chat = await get<Exported>(`/api/sessions/export?path=${encodeURIComponent(path)}`);
    const text = as === 'json' ? JSON.stringify(chat.entries, null, 2) : markdownOf(chat.entries);
    if (as === 'json') save(text, 'chat.json', 'application/json');
    else save(text, 'chat.md', 'text/markdown');
  } catch (error) {
    toasts.show(wordsOf(error), 'error');
  }
}

const HEADINGS: Record<string, string> = { user: 'You', assistant: 'Assistant' };

export function markdownOf(entries: readonly Entry[]): string {
  return entries
    .flatMap(({ message }) => {
      const heading = message && HEADINGS[message.role];
      const text = message ? textOf(message.content).trim() : '';
      return heading && text ? [`## ${heading}\n\n${text}\n`] : [];
    })
    .join('\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as { type?: string; text?: string }[])
    .filter((part) => part.type === 'text')
    .map((part) => part.text ?? '')
    .join('\n\n');
}
