/** Prompts that are kept by name and put in by `/name`; `{{parts}}` of them are filled in. */
import { Stored } from '../../../lib/stored.svelte';

export interface Snippet {
  name: string;
  text: string;
}

export const snippets = new Stored<Snippet[]>('snippets', []);

/** What is being looked for: the word after a slash that begins the message. */
export const slashQuery = (text: string): string | undefined =>
  /^\/([\w-]*)$/.exec(text)?.[1]?.toLowerCase();

export const nameOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\w-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);

/** Where the next part to fill in stands, from `after` on. */
export function nextBlank(text: string, after = 0): { start: number; end: number } | undefined {
  const match = /\{\{[^{}\n]+\}\}/.exec(text.slice(after));
  if (!match) return undefined;
  const start = after + match.index;
  return { start, end: start + match[0].length };
}
