/** Questions that this page has sent and whose answer has not begun, in their order. */
import type { UserMessage } from './messages.svelte';

export class Outbox {
  #waiting = $state.raw<readonly UserMessage[]>([]);
  /** What the server was told to drop, until it has told that it did. */
  #dropping: readonly UserMessage[] = [];

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

  clear(): void {
    this.#waiting = [];
    this.keep();
  }
}
