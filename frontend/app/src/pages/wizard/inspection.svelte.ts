/** What the server says of a path, for as long as that is the path meant. */
import { post, wordsOf } from '../../lib/http';
import type { Flow } from './flow.svelte';

interface Verdict {
  ok: boolean;
  error?: string;
}

export class Inspection<Answer extends Verdict> {
  answer = $state.raw<Answer | undefined>();
  busy = $state(false);
  #turn = 0;

  /** otherwise: what is said of a refusal without words. */
  constructor(
    private readonly flow: Flow,
    private readonly url: string,
    private readonly otherwise: string,
  ) {}

  async ask(body: Record<string, unknown>): Promise<void> {
    this.forget();
    const turn = this.#turn;
    this.busy = true;
    let answer: Answer | undefined;
    let problem = '';
    try {
      answer = await post<Answer>(this.url, body);
      if (!answer.ok) problem = answer.error ?? this.otherwise;
    } catch (error) {
      problem = wordsOf(error);
    }
    // An answer about what is no longer meant.
    if (turn !== this.#turn) return;
    this.busy = false;
    this.answer = answer;
    this.flow.problem = problem;
  }

  /** Another path is meant: what was said, or is about to be said, is not of it. */
  forget(): void {
    this.#turn++;
    this.busy = false;
    this.answer = undefined;
    this.flow.problem = '';
  }
}
