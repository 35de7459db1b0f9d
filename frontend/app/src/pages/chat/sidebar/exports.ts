/** A chat as a file: Markdown to read, JSON to keep. */
import { get, wordsOf } from '../../../lib/http';
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
    save(text, as === 'json' ? 'chat.json' : 'chat.md', as);
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

function save(text: string, name: string, as: 'markdown' | 'json'): void {
  const type = as === 'json' ? 'application/json' : 'text/markdown';
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
