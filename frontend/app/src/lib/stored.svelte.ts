const PREFIX = 'mlxsite.';

/** A value of this browser that outlives the page. Storage may be full or forbidden: then it
 * lives as long as the page does. */
export class Stored<T> {
  #value: T;
  readonly #key: string;

  constructor(name: string, initial: T) {
    this.#key = PREFIX + name;
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

/** Whether a value was ever chosen, or kept for this browser. */
export const isKept = (name: string): boolean => read(PREFIX + name) !== undefined;

/** Whether this browser holds anything of the app. */
export function knowsThisApp(): boolean {
  try {
    return Object.keys(localStorage).some((key) => key.startsWith(PREFIX));
  } catch {
    return false;
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
