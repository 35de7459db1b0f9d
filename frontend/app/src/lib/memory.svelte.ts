/** The user's memory: whether there is one, and how much is in it. */
import { get } from './http';

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

  async load(): Promise<void> {
    try {
      const answer = await get<Answer>('/api/memory/status');
      this.status = answer.status;
      this.root = answer.status?.root ?? answer.root ?? '';
      this.known = true;
      this.at = (await get<{ at: string | null }>('/api/memory/schedule')).at ?? undefined;
    } catch {
      this.known = false;
    }
  }
}

export const memory = new Memory();
