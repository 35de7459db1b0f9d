/** Asks the server in which chats words were said. */
import { get } from '../../../lib/http';

export interface SessionHit {
  sessionPath: string;
  sessionTitle: string;
  matches: { snippet: string; ranges: [number, number][]; role: string }[];
}

/** A search that fails finds nothing. */
export async function searchMessages(query: string): Promise<SessionHit[]> {
  const url = `/api/sessions/search?q=${encodeURIComponent(query)}`;
  const answer = await get<{ results: SessionHit[] }>(url).catch(() => ({ results: [] }));
  return answer.results;
}
