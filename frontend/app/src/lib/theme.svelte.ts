/** Applies the colour scheme: the chosen one, or with `auto` the system's, also when it changes. */
import { theme } from './preferences';

const system = matchMedia('(prefers-color-scheme: dark)');

class Scheme {
  #system = $state(system.matches);

  constructor() {
    system.addEventListener('change', (event) => (this.#system = event.matches));
  }

  get dark(): boolean {
    return theme.value === 'auto' ? this.#system : theme.value === 'dark';
  }
}

export const scheme = new Scheme();
