/** A value of this browser that outlives the page. Storage may be full or forbidden: then it
 * lives as long as the page does. */
export class Stored<T> {
  #value: T;
  readonly #key: string;

  constructor(name: string, initial: T) {
    this.#key = `mlxsite.${name}`;
    this.#value = $state(read(this.#key) ?? initial) as T;
  }

  get value(): T {
    return this.#value;
  }

  set value(value: T) {
    this.#value = value;
    try {
      localStorage.setItem(this.#key, JSON.stringify(value));
    } catch {
      // Kept for this visit only.
    }
  }
}

function read(key: string): unknown {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
