/** Where a wizard stands: its step, what the server refused, and the job that it started. */
import { get, post, wordsOf } from '../../lib/http';
import { Job } from './job.svelte';

interface JobRow {
  id: string;
  status: 'queued' | 'running' | 'done' | 'failed' | 'zombie';
  /** What it was submitted with, as JSON. */
  config_json: string;
}

export class Flow {
  /** From 0. */
  step = $state(0);
  problem = $state('');
  /** A job of this kind under way that this page does not show: begun before it was loaded, say. */
  underWay = $state.raw<JobRow | undefined>();
  readonly job: Job;

  /** The last two of the steps show the job as it runs, and what it made. */
  constructor(
    readonly route: string,
    readonly steps: readonly string[],
    onDone: () => void = () => undefined,
  ) {
    this.job = new Job(() => {
      this.step = steps.length - 1;
      onDone();
    });
  }

  /** Asks the server; what it refuses is shown below the step. */
  async ask<Answer>(url: string, body: Record<string, unknown>): Promise<Answer | undefined> {
    this.problem = '';
    try {
      return await post<Answer>(url, body);
    } catch (error) {
      this.problem = wordsOf(error);
      return undefined;
    }
  }

  /** Looks for a job under way, unless one is shown. */
  async look(): Promise<void> {
    if (this.job.state === 'running') return;
    const url = `/api/jobs?kind=${this.route}&limit=5`;
    const answer = await get<{ jobs: JobRow[] }>(url).catch(() => undefined);
    const rows = answer?.jobs ?? [];
    this.underWay = rows.find(({ status }) => status === 'running' || status === 'queued');
  }

  /** Shows the job under way; returns what it was submitted with. */
  resume(): Record<string, unknown> {
    const row = this.underWay;
    if (!row) return {};
    this.#show(row.id);
    return JSON.parse(row.config_json) as Record<string, unknown>;
  }

  /** Starts the job, and goes on to the step that shows it. */
  async submit(url: string, body: Record<string, unknown>): Promise<void> {
    const started = await this.ask<{ job_id: string }>(url, body);
    if (!started) return;
    this.#show(started.job_id);
  }

  #show(id: string): void {
    this.underWay = undefined;
    this.problem = '';
    this.job.follow(id);
    this.step = this.steps.length - 2;
  }
}
