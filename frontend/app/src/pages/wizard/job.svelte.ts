/** A job as its events tell it: progress, log, figures, and how it ended. */

import { toasts } from '../../lib/toasts.svelte';

export interface Metric {
  kind: 'train' | 'val';
  step: number;
  loss: number;
  learning_rate?: number;
  tokens_per_sec?: number;
  grad_norm?: number;
}

type JobEvent =
  | { type: 'started'; ts: number }
  | { type: 'log'; line: string }
  | { type: 'stage'; stage: string; progress: number; message: string; [more: string]: unknown }
  | ({ type: 'metric'; progress?: number } & Metric)
  | { type: 'done'; output_dir: string | null; summary: Record<string, unknown> }
  | { type: 'failed'; error: string };

export type JobState = 'idle' | 'running' | 'done' | 'failed';

const LOG_LINES = 200;
const CLOSED = 2; // what a source is once it does not try again

export class Job {
  id = $state<string | undefined>();
  state = $state<JobState>('idle');
  progress = $state(0);
  message = $state('');
  log = $state.raw<string[]>([]);
  metrics = $state.raw<Metric[]>([]);
  error = $state('');
  outputDir = $state('');
  summary = $state.raw<Record<string, unknown>>({});
  /** What the last stage told beside its progress. */
  details = $state.raw<Record<string, unknown>>({});
  #source: EventSource | undefined;

  constructor(private readonly onDone: () => void = () => undefined) {}

  /** Follows a job from its first event; the connection comes back by itself when it breaks. */
  follow(id: string): void {
    this.stop();
    this.id = id;
    this.state = 'running';
    this.progress = 0;
    this.message = 'Waiting its turn';
    this.log = [];
    this.metrics = [];
    this.error = '';
    const source = new EventSource(`/api/jobs/${encodeURIComponent(id)}/stream`);
    this.#source = source;
    // A stream that comes back tells everything again.
    source.onopen = () => {
      this.log = [];
      this.metrics = [];
    };
    source.onmessage = (event) => this.take(JSON.parse(String(event.data)) as JobEvent);
    source.addEventListener('end', () => this.stop());
    // A broken connection is tried again; an answer that is no stream is not.
    source.onerror = () => {
      if (source.readyState === CLOSED) {
        this.take({ type: 'failed', error: 'The server tells nothing of this job any more.' });
      }
    };
  }

  take(event: JobEvent): void {
    switch (event.type) {
      case 'started':
        this.message = 'Started';
        break;
      case 'log':
        this.log = [...this.log, event.line].slice(-LOG_LINES);
        break;
      case 'stage':
        this.progress = event.progress;
        this.message = event.message || event.stage;
        this.details = event;
        break;
      case 'metric':
        this.metrics = [...this.metrics, event];
        if (event.progress !== undefined) this.progress = event.progress;
        break;
      case 'done':
        if (this.state === 'done') break;
        this.state = 'done';
        this.progress = 1;
        this.outputDir = event.output_dir ?? '';
        this.summary = event.summary;
        // The user may have gone on to another page.
        toasts.show('The job is done', 'ok');
        this.onDone();
        break;
      case 'failed':
        if (this.state === 'failed') break;
        this.state = 'failed';
        this.error = event.error;
        toasts.show(`The job failed: ${event.error}`, 'error');
        break;
    }
  }

  stop(): void {
    this.#source?.close();
    this.#source = undefined;
  }
}
