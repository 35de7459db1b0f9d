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
  #fitIsOld = false;

  watch(): () => void {
    // What was measured meanwhile is told by it too.
    this.#fitIsOld = true;
    const ends = [
      poll(() => this.#ask(), STATS_MILLISECONDS),
      poll(() => library.load(), LIBRARY_MILLISECONDS),
    ];
    return () => ends.forEach((end) => end());
  }

  async #ask(): Promise<void> {
    try {
      this.stats = await get<Stats>('/stats');
      this.updatedAt = Date.now();
      this.stale = false;
    } catch {
      this.stale = true;
    }
    await Promise.all([this.#askFit(), identity.refresh()]);
  }

  /** Once for each model; again with the next turn where that failed. */
  async #askFit(): Promise<void> {
    const model = this.stats?.server.model;
    if (this.stale || model === undefined) return;
    // The figures of another model are none of this one.
    if (model !== this.#fitOf) this.fit = undefined;
    else if (!this.#fitIsOld) return;
    const fit = await get<Fit>('/fit').catch(() => undefined);
    if (!fit) return;
    this.fit = fit;
    this.#fitOf = model;
    this.#fitIsOld = false;
  }
}

export const status = new Status();
