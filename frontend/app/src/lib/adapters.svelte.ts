/** Adapters on this machine: what they are for, and which are in memory. */
import { get, post, remove, wordsOf } from './http';
import { toasts } from './toasts.svelte';

export interface AvailableAdapter {
  id: string;
  path: string;
  /** This and the next two: null where its configuration cannot be read. */
  rank: number | null;
  scale: number | null;
  base_model: string | null;
  mounted: boolean;
  compatible: boolean;
}

/** Why it cannot answer. */
export const whyNot = (adapter: AvailableAdapter): string =>
  adapter.base_model ? `made for ${adapter.base_model}` : 'not readable';

export interface MountedAdapter {
  id: string;
  size_bytes: number;
  ram_bytes: number;
}

class Adapters {
  available = $state.raw<AvailableAdapter[] | undefined>();
  mounted = $state.raw<MountedAdapter[]>([]);
  error = $state<string | undefined>();

  async load(): Promise<void> {
    try {
      const [available, mounted] = await Promise.all([
        get<{ adapters: AvailableAdapter[] }>('/v1/adapters/available'),
        get<{ adapters: MountedAdapter[] }>('/v1/adapters'),
      ]);
      this.available = available.adapters;
      this.mounted = mounted.adapters;
      this.error = undefined;
    } catch (error) {
      this.error = wordsOf(error);
    }
  }

  /** True once the adapter is in memory; asks for that, as the server may have begun anew. */
  async mount(adapter: AvailableAdapter): Promise<boolean> {
    try {
      const { adapters } = await get<{ adapters: MountedAdapter[] }>('/v1/adapters');
      if (!adapters.some((each) => each.id === adapter.id)) {
        await post('/v1/adapters', { id: adapter.id, path: adapter.path });
      }
      await this.load();
      return true;
    } catch (error) {
      toasts.show(wordsOf(error), 'error');
      return false;
    }
  }

  async unmount(id: string): Promise<void> {
    try {
      await remove(`/v1/adapters/${encodeURIComponent(id)}`);
    } catch (error) {
      toasts.show(wordsOf(error), 'error');
    }
    await this.load();
  }
}

export const adapters = new Adapters();
