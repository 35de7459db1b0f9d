/** Who is served, what is being downloaded, and whether the server can be reached at all. */
import type { Download, Downloads, ModelList, ServedModel } from './api/types';
import { get } from './http';
import { poll } from './poll';

export type Connection = 'connecting' | 'live' | 'unreachable';

const MILLISECONDS = 4000;

class Identity {
  model = $state.raw<ServedModel | undefined>();
  downloads = $state.raw<Download[]>([]);
  connection = $state<Connection>('connecting');

  /** The newest download under way of another model than the served one. */
  get incoming(): Download | undefined {
    return this.downloads.find((d) => d.state === 'active' && d.repo_id !== this.model?.id);
  }

  /** Asks once; also called when something is known to have changed. */
  async refresh(): Promise<void> {
    try {
      const [models, downloads] = await Promise.all([
        get<ModelList>('/v1/models'),
        get<Downloads>('/downloads'),
      ]);
      this.model = models.data[0];
      this.downloads = downloads.downloads;
      this.connection = 'live';
    } catch {
      this.connection = 'unreachable';
    }
  }

  watch(): () => void {
    return poll(() => this.refresh(), MILLISECONDS);
  }
}

export const identity = new Identity();

/** The part of a model's name after its owner. */
export const shortName = (id: string): string => id.slice(id.lastIndexOf('/') + 1);
