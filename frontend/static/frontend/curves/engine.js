// Requests to the server whose model draws the samples; this page's own, or another one.

const WAIT = 4000; // ms, for a sign of life

/** Its message is meant for the reader. */
export class EngineError extends Error {}

export class Engine {
  /** address: an origin; null while there is none to ask. */
  constructor(address) {
    this.address = address;
  }

  /** "ready", "loading" where the server answers but no model does, or "away". */
  async state() {
    const url = `${this.address}/health`;
    const isOwn = this.address === location.origin;
    try {
      // Another origin lets nobody read this; that it answers at all has to do.
      const mode = isOwn ? "same-origin" : "no-cors";
      const answer = await fetch(url, { mode, cache: "no-store", signal: AbortSignal.timeout(WAIT) });
      return answer.ok || answer.type === "opaque" ? "ready" : "loading";
    } catch {
      return "away";
    }
  }

  /** Tokens by likelihood: `{bins, vocab}`. */
  readSignal(prompt, signal) {
    return this.#post("/signal", { prompt }, signal);
  }

  /** `{mode, recipe, samples}` and so on. */
  generate(body, signal) {
    return this.#post("/generate", body, signal);
  }

  async #post(path, body, signal) {
    if (!this.address) throw new EngineError("There is no engine at that address.");
    let answer;
    try {
      answer = await fetch(this.address + path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new EngineError(`No engine answers at ${this.address}. Is the server running there?`);
    }
    const told = await answer.json().catch(() => null);
    if (answer.ok && told) return told;
    throw new EngineError(reason(answer.status, told));
  }
}

function reason(status, told) {
  if (status === 401) return "This server asks for an API key. Sign in to the web app first.";
  const error = told?.error;
  return (typeof error === "string" ? error : error?.message) ?? `The server answered ${status}.`;
}

/** The origin that a reader typed; null if it is none, or one that this page may not ask. */
export function readAddress(text) {
  const full = text.includes("://") ? text : `http://${text}`;
  if (!URL.canParse(full)) return null;
  const { protocol, hostname, origin } = new URL(full);
  const isNear = protocol === "http:" && ["127.0.0.1", "localhost"].includes(hostname);
  return isNear || origin === location.origin ? origin : null;
}
