/** Points at something for the user, for a moment, and without getting in the way. */
import { router } from './router.svelte';
import { byRef, isVisible, labelOf } from './snapshot';
import { toasts } from './toasts.svelte';

export interface Target {
  ref?: string | null;
  selector?: string | null;
  label?: string | null;
  target?: string | null;
  route?: string | null;
  message?: string | null;
}

const MILLISECONDS = 3000;
const SETTLE = 250; // milliseconds that another page takes to be drawn
const ENOUGH = 50;

class Spotlight {
  box = $state.raw<DOMRect | undefined>();
  message = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  async show(target: Target): Promise<void> {
    if (target.route && target.route !== router.route) {
      router.go(target.route);
      await new Promise((done) => setTimeout(done, SETTLE));
    }
    const element = find(target);
    if (!element) {
      toasts.show(target.message || 'What the assistant points at is not on this page.');
      return;
    }
    element.scrollIntoView({ block: 'center' });
    this.box = element.getBoundingClientRect();
    this.message = target.message ?? '';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.dismiss(), MILLISECONDS);
  }

  dismiss(): void {
    this.box = undefined;
  }
}

export const spotlight = new Spotlight();

/** The element meant: by reference, by selector, by label, by its place in the catalogue. */
export function find(target: Target): Element | undefined {
  const found = [
    target.ref ? byRef(target.ref) : undefined,
    target.selector ? select(target.selector) : undefined,
    target.label ? byLabel(target.label) : undefined,
    target.target ? select(`[data-spotlight="${CSS.escape(target.target)}"]`) : undefined,
  ];
  return found.find((element) => element && isVisible(element));
}

// A selector of the model's may be none at all. What is there for narrow and for wide screens is
// shown in one of its places.
function select(selector: string): Element | undefined {
  try {
    const found = [...document.querySelectorAll(selector)];
    return found.find(isVisible) ?? found[0];
  } catch {
    return undefined;
  }
}

function byLabel(label: string): Element | undefined {
  const scored = [...document.querySelectorAll('button, a[href], input, select, textarea')]
    .filter(isVisible)
    .map((element) => ({ element, score: similarity(label, labelOf(element)) }))
    .sort((one, other) => other.score - one.score);
  const best = scored[0];
  return best && best.score >= ENOUGH ? best.element : undefined;
}

/** From 0 to 100: the same, one within the other, or words in common. */
export function similarity(wanted: string, label: string): number {
  const [one, other] = [wanted, label].map((text) => text.toLowerCase().trim()) as [string, string];
  if (!one || !other) return 0;
  if (one === other) return 100;
  if (one.includes(other) || other.includes(one)) return 85;
  const words = one.split(/\W+/);
  const others = other.split(/\W+/);
  const shared = others.filter((word) => words.includes(word)).length;
  return shared ? 50 + (35 * shared) / Math.max(words.length, others.length) : 0;
}
