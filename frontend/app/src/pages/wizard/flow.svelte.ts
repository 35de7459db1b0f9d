/** Where a wizard stands: its step, what the server refused, and the job that it started. */
import { post, wordsOf } from '../../lib/http';
import { Job } from './job.svelte';

export class Flow {
  /** From 0. */
  step = $state(0);
  problem = $state('');
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

  /** Starts the job, and goes on to the step that shows it. */
  async submit(url: string, body: Record<string, unknown>): Promise<void> {
    const started = await this.ask<{ job_id: string }>(url, body);
    if (!started) return;
    this.job.follow(started.job_id);
    this.step = this.steps.length - 2;
  }
}
