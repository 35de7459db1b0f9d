/** The user's memory: whether there is one, and how much is in it. */
import { get, wordsOf } from './http';

export interface VaultStatus {
  root: string;
  exists: boolean;
  articleCount: number;
  referenceCount: number;
  isGitRepo: boolean;
  recentArticles: { article: string; mtimeMs: number }[];
}

interface Answer {
  enabled: boolean;
  root?: string;
  status?: VaultStatus;
}

class Memory {
  known = $state(false);
  status = $state.raw<VaultStatus | undefined>();
  root = $state('');
  /** When chats become articles by themselves, as `03:00`; undefined for never, or not known. */
  at = $state<string | undefined>();

  /** Why it is not known; empty while that is being asked. */
  problem = $state('');

  async load(): Promise<void> {
    this.problem = '';
    try {
      const answer = await get<Answer>('/api/memory/status');
      this.status = answer.status;
      this.root = answer.status?.root ?? answer.root ?? '';
      this.known = true;
    } catch (error) {
      this.problem = wordsOf(error);
      return;
    }
    // The memory is there without its clock.
    const schedule = get<{ at: string | null }>('/api/memory/schedule').catch(() => undefined);
    this.at = (await schedule)?.at ?? undefined;
  }
}

export const memory = new Memory();
