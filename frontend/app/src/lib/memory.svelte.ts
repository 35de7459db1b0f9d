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

  async load(): Promise<void> {
    try {
      const answer = await get<Answer>('/api/memory/status');
      this.status = answer.status;
      this.root = answer.status?.root ?? answer.root ?? '';
      this.known = true;
    } catch {
      this.known = false;
    }
  }
}

export const memory = new Memory();
