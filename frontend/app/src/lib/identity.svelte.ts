/** Who is served, what is being downloaded, and whether the server can be reached at all. */
import type { Download, Downloads, ModelList, ServedModel } from './api/types';
import { get } from './http';
import { library } from './library.svelte';
import { poll } from './poll';
import { toasts } from './toasts.svelte';

export type Connection = 'connecting' | 'live' | 'unreachable';

const MILLISECONDS = 4000;

export class Identity {
  #isFirst = true;
  model = $state.raw<ServedModel | undefined>();
  downloads = $state.raw<Download[]>([]);
  /** Repos whose download ended well while this page looked on. */
  arrived = $state.raw<string[]>([]);
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
      this.#take(downloads.downloads);
      this.connection = 'live';
    } catch {
      this.connection = 'unreachable';
    }
  }

  /** Asks for downloads alone, as where they are looked at. */
  async refreshDownloads(): Promise<void> {
    this.#take((await get<Downloads>('/downloads')).downloads);
  }

  #take(answer: Download[]): void {
    const downloads = newestOfEach(answer);
    const wasDone = this.downloads.filter(isDone).map((each) => each.repo_id);
    const ended = downloads.filter((each) => isDone(each) && !wasDone.includes(each.repo_id));
    this.downloads = downloads;
    // What the first answer tells of arrived at another time.
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst || ended.length === 0) return;
    const repos = ended.map((each) => each.repo_id);
    this.arrived = [...this.arrived.filter((repo) => !repos.includes(repo)), ...repos];
    repos.forEach((repo) => toasts.show(`${repo} is downloaded`, 'ok'));
    void library.load(true);
  }

  watch(): () => void {
    return poll(() => this.refresh(), MILLISECONDS);
  }
}

/** A repo may have been tried more than once; lists are keyed by it. */
function newestOfEach(downloads: Download[]): Download[] {
  return downloads.filter(
    ({ repo_id }, at) => downloads.findIndex((each) => each.repo_id === repo_id) === at,
  );
}

const isDone = (download: Download): boolean => download.state === 'done';

export const identity = new Identity();

/** The part of a model's name after its owner. */
export const shortName = (id: string): string => id.slice(id.lastIndexOf('/') + 1);
