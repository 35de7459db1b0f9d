/** What the palette finds of chats: by title at once, by what was said a moment later. */
import type { Command } from '../../lib/commands.svelte';
import { router } from '../../lib/router.svelte';
import { chat } from './chat.svelte';
import { searchMessages } from './sidebar/search';
import { titleOf } from './sidebar/title';

const MOST = 6;
const SHORTEST = 2; // letters with which messages are searched

function openChat(path: string): void {
  router.go('chat');
  chat.openSession(path);
}

export function findTitles(query: string): Command[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  return (chat.sessions ?? [])
    .map(({ title, path }) => ({ title: titleOf(title), path }))
    .filter(({ title }) => title.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map(({ title, path }) => ({
      id: `title-${path}`,
      label: title,
      kind: 'Chat',
      run: () => openChat(path),
    }));
}

export async function findMessages(query: string): Promise<Command[]> {
  if (query.trim().length < SHORTEST) return [];
  const hits = await searchMessages(query.trim());
  return hits
    .flatMap((hit) => hit.matches.slice(0, 1).map((match) => ({ hit, match })))
    .slice(0, MOST)
    .map(({ hit, match }) => ({
      id: `message-${hit.sessionPath}`,
      label: match.snippet.replace(/\s+/g, ' '),
      kind: titleOf(hit.sessionTitle),
      run: () => openChat(hit.sessionPath),
    }));
}
