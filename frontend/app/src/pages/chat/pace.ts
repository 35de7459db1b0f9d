/** How fast an answer comes, as the page sees it. */
export class Pace {
  readonly #start = performance.now();
  #first: number | undefined;
  #last = 0;
  #deltas = 0;

  token(): void {
    const now = performance.now();
    this.#first ??= now;
    this.#last = now;
    this.#deltas++;
  }

  /** Milliseconds until something came; undefined while nothing has. */
  get firstMs(): number | undefined {
    return this.#first === undefined ? undefined : this.#first - this.#start;
  }

  /** Tokens a second between the first and the last; tokens: how many there were, if known. */
  rate(tokens = this.#deltas): number | undefined {
    const seconds = (this.#last - (this.#first ?? this.#last)) / 1000;
    return seconds > 0 && tokens > 1 ? (tokens - 1) / seconds : undefined;
  }
}
