/** What the status page shows. When the server is away, the last good values stay. */
import type { Fit, Stats } from '../../lib/api/types';
import { get } from '../../lib/http';
import { identity } from '../../lib/identity.svelte';
import { library } from '../../lib/library.svelte';
import { poll } from '../../lib/poll';

const STATS_MILLISECONDS = 2000;
const LIBRARY_MILLISECONDS = 15_000;

class Status {
  stats = $state.raw<Stats | undefined>();
  fit = $state.raw<Fit | undefined>();
  updatedAt = $state<number | undefined>();
  stale = $state(false);
  #fitOf = '';

  watch(): () => void {
    const ends = [
      poll(() => this.#ask(), STATS_MILLISECONDS),
      poll(() => library.load(), LIBRARY_MILLISECONDS),
    ];
    return () => ends.forEach((end) => end());
  }

  async #ask(): Promise<void> {
    try {
      this.stats = await get<Stats>('/stats');
      if (this.#fitOf !== this.stats.server.model) {
        this.fit = await get<Fit>('/fit');
        this.#fitOf = this.stats.server.model;
      }
      this.updatedAt = Date.now();
      this.stale = false;
    } catch {
      this.stale = true;
    }
    await identity.refresh();
  }
}

export const status = new Status();
