/** Changing the served model: in this process where the server can, else by a command to run. */
import { adapters } from '../../lib/adapters.svelte';
import { ApiError, get, post, wordsOf } from '../../lib/http';
import { identity } from '../../lib/identity.svelte';
import { library } from '../../lib/library.svelte';
import { toasts } from '../../lib/toasts.svelte';

interface Restart {
  command: string;
}

interface Switch {
  state: 'idle' | 'draining' | 'loading' | 'ready' | 'failed';
  model: string;
  target: string | null;
  progress: number | null;
  message: string | null;
  error: string | null;
}

const MILLISECONDS = 500;
const MISSES = 20; // answers that may fail to come, one after another

class Serving {
  /** The model being switched to. */
  target = $state<string | undefined>();
  message = $state('');
  progress = $state<number | undefined>();
  /** Why the server would not switch, and what to run instead. */
  refusal = $state.raw<{ reason: string; command: string } | undefined>();

  async serve(repo: string): Promise<void> {
    this.target = repo;
    this.message = 'Waiting for running answers';
    this.progress = this.refusal = undefined;
    try {
      await post('/api/hub/serve', { model: repo, live: true });
      await this.#follow(repo);
    } catch (error) {
      const command = isRefusal(error) ? await this.commandOf(repo) : undefined;
      if (command) this.refusal = { reason: wordsOf(error), command };
      // Also where a command is shown: the panel may have been closed meanwhile.
      toasts.show(wordsOf(error), 'error');
    } finally {
      this.target = undefined;
    }
  }

  /** Shows a change that another page began. */
  async look(): Promise<void> {
    if (this.target) return;
    const now = await get<Switch>('/api/hub/serve').catch(() => undefined);
    if (!now?.target || !isUnderWay(now) || this.target) return;
    this.target = now.target;
    try {
      await this.#follow(now.target);
    } catch (error) {
      toasts.show(wordsOf(error), 'error');
    } finally {
      this.target = undefined;
    }
  }

  /** The command that serves a model after a restart. */
  async commandOf(repo: string): Promise<string | undefined> {
    try {
      return (await post<Restart>('/api/hub/serve', { model: repo })).command;
    } catch (error) {
      toasts.show(wordsOf(error), 'error');
      return undefined;
    }
  }

  async #follow(repo: string): Promise<void> {
    for (let missed = 0; ;) {
      const now = await get<Switch>('/api/hub/serve').catch((error: unknown) => {
        // A machine that loads a model may be slow to answer.
        if (++missed > MISSES) throw error;
      });
      if (now) {
        missed = 0;
        this.message = now.message ?? '';
        this.progress = now.progress ?? undefined;
        if (now.state === 'failed') throw new Error(now.error ?? `${repo} could not be loaded.`);
        if (!isUnderWay(now)) break;
      }
      await new Promise((done) => setTimeout(done, MILLISECONDS));
    }
    toasts.show(`Now serving ${repo}`, 'ok');
    await Promise.all([identity.refresh(), library.load(true), adapters.load()]);
  }
}

const isUnderWay = ({ state }: Switch): boolean => state === 'draining' || state === 'loading';

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 400 || error.status === 409);

export const serving = new Serving();
