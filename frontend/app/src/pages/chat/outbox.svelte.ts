/** Questions that this page has sent and whose answer has not begun, in their order. */
import type { UserMessage } from './messages.svelte';

export class Outbox {
  #waiting = $state.raw<readonly UserMessage[]>([]);
  /** What the server was told to drop, until it has told that it did. */
  #dropping: readonly UserMessage[] = [];
  /** What the server has named among what waits there. */
  #known: readonly UserMessage[] = [];
  /** What an error may have been about, with its text. */
  #doubted: readonly (readonly [UserMessage, string])[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get first(): UserMessage | undefined {
    return this.#waiting[0];
  }

  add(question: UserMessage): void {
    this.#waiting = [...this.#waiting, question];
  }

  /** Takes out the one whose answer begins. */
  next(): UserMessage | undefined {
    const [next, ...rest] = this.#waiting;
    this.#waiting = rest;
    return next;
  }

  /** The server is told to drop what waits. An answer that it began before still counts. */
  drop(): void {
    this.#dropping = this.#waiting;
  }

  /** It did; what was sent since stays. */
  dropped(): void {
    if (this.#dropping.length === 0) return;
    this.#waiting = this.#waiting.filter((question) => !this.#dropping.includes(question));
    this.keep();
  }

  /** It did not. */
  keep(): void {
    this.#dropping = [];
  }

  /** An error came; what the server does not name may have been refused by it, or be on its way. */
  doubt(error: string, named: readonly string[]): void {
    const before = this.#doubted.map(([question]) => question);
    const doubted = this.#unnamed(named).filter((question) => !before.includes(question));
    this.#doubted = [...this.#doubted, ...doubted.map((question) => [question, error] as const)];
  }

  /** Takes out what was doubted and has not been named since. */
  refused(named: readonly string[]): (readonly [UserMessage, string])[] {
    const unnamed = this.#unnamed(named);
    const refused = this.#doubted.filter(([question]) => unnamed.includes(question));
    this.#doubted = [];
    const gone = refused.map(([question]) => question);
    if (gone.length) this.#waiting = this.#waiting.filter((question) => !gone.includes(question));
    return refused;
  }

  /** The server has told what waits there. */
  told(named: readonly string[]): void {
    const unnamed = this.#unnamed(named);
    this.#known = this.#waiting.filter(
      (question) => !unnamed.includes(question) || this.#known.includes(question),
    );
  }

  /** Takes out what waited at the server and does no longer; what is on its way stays. */
  forgotten(named: readonly string[]): void {
    const unnamed = this.#unnamed(named);
    const gone = this.#known.filter((question) => unnamed.includes(question));
    if (gone.length) this.#waiting = this.#waiting.filter((question) => !gone.includes(question));
  }

  clear(): void {
    this.#waiting = [];
    this.#known = [];
    this.#doubted = [];
    this.keep();
  }

  /** named: the prompts that wait at the server, each as often as it does. */
  #unnamed(named: readonly string[]): UserMessage[] {
    const left = [...named];
    return this.#waiting.filter((question) => {
      const at = left.indexOf(question.prompt);
      if (at >= 0) left.splice(at, 1);
      return at < 0 && !question.entryId;
    });
  }
}
