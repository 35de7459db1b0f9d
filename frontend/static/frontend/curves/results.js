// The place below the form: samples, what hinders them, or that they are on their way.

import { element } from "../element.js";
import { EngineError } from "./engine.js";
import { placeholders } from "./samples.js";

export class Results {
  #running = null;

  /** place: filled here. status: read out. stop: the button that ends work; shown while there is
   * some. onBusy: called with whether there is. */
  constructor(place, status, stop, onBusy) {
    this.place = place;
    this.status = status;
    this.stop = stop;
    this.onBusy = onBusy;
    stop.addEventListener("click", () => this.clear());
  }

  /** Forget what is shown and what is on its way. */
  clear() {
    this.#running?.abort();
    this.#end();
    this.#show([], "");
  }

  /** Show what `work` returns, elements and words to read out, unless it is cleared meanwhile.
   * work: given an `AbortSignal`. count: cards to expect. */
  async run(count, waiting, work) {
    this.clear();
    const running = new AbortController();
    this.#running = running;
    this.stop.hidden = false;
    this.onBusy(true);
    this.#show(placeholders(count), waiting);
    try {
      const [shown, words] = await work(running.signal);
      if (this.#running === running) this.#show(shown, words);
    } catch (error) {
      if (this.#running !== running) return;
      if (!(error instanceof EngineError)) throw error;
      this.fail(error.message);
    } finally {
      running.abort(); // the other half of a pair, if one failed
      if (this.#running === running) this.#end();
    }
  }

  fail(message) {
    this.#show([element("p", { class: "fault", role: "alert" }, message)], "");
  }

  #show(shown, words) {
    this.place.replaceChildren(...shown);
    this.status.textContent = words;
  }

  #end() {
    this.#running = null;
    this.stop.hidden = true;
    this.onBusy(false);
  }
}
