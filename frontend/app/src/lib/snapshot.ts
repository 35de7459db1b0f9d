/** What is on the screen, for the assistant: things that can be clicked or filled in, by label.
 *
 * What a conversation or a panel shows is left out: it may hold words of others, and those must
 * not pass for parts of the app. */

export interface SnapshotElement {
  ref: string;
  tag: string;
  label: string;
  kind: 'interactive' | 'region';
  role?: string;
  selector: string;
  spotlightId?: string;
}

const MOST = 120;
const INTERACTIVE = 'button, a[href], input, select, textarea, [role="button"]';
const REGION = '[data-region]';
const CHROME = '[data-agent-chrome], [role="status"], .markdown, [data-spotlight-ring]';

const refs = new WeakMap<Element, string>();
let next = 1;

/** The same element keeps its name for as long as the page lives. */
export function refOf(element: Element): string {
  let ref = refs.get(element);
  if (!ref) {
    ref = `e${next++}`;
    refs.set(element, ref);
  }
  return ref;
}

export function labelOf(element: Element): string {
  const own = (name: string): string => element.getAttribute(name)?.trim() ?? '';
  const labelled = own('aria-labelledby')
    .split(/\s+/)
    .map((id) => (id ? (document.getElementById(id)?.textContent ?? '') : ''))
    .join(' ');
  const label = (element as HTMLInputElement).labels?.[0]?.textContent ?? '';
  const text = element.matches('input, select, textarea') ? '' : (element.textContent ?? '');
  const found = [
    label,
    own('aria-label'),
    labelled,
    text,
    own('placeholder'),
    own('title'),
    own('name'),
  ]
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .find((each) => each !== '');
  return (found ?? '').slice(0, 100);
}

export const isVisible = (element: Element): boolean => {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== 'hidden';
};

export function snapshot(root: ParentNode = document): SnapshotElement[] {
  return [...root.querySelectorAll(`${INTERACTIVE}, ${REGION}`)]
    .filter((element) => !element.closest(CHROME) && isVisible(element))
    .slice(0, MOST)
    .map(described)
    .filter((element) => element.label !== '');
}

function described(element: Element): SnapshotElement {
  const ref = refOf(element);
  const spotlightId = element.getAttribute('data-spotlight');
  const role = element.getAttribute('role');
  return {
    ref,
    tag: element.tagName.toLowerCase(),
    label: labelOf(element),
    kind: element.matches(REGION) ? 'region' : 'interactive',
    ...(role ? { role } : {}),
    selector: spotlightId ? `[data-spotlight="${spotlightId}"]` : selectorOf(element),
    ...(spotlightId ? { spotlightId } : {}),
  };
}

function selectorOf(element: Element): string {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const parts: string[] = [];
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
    const same = [...(at.parentElement?.children ?? [])].filter((e) => e.tagName === at?.tagName);
    const place = same.length > 1 ? `:nth-of-type(${same.indexOf(at) + 1})` : '';
    parts.unshift(at.tagName.toLowerCase() + place);
    if (at.id) {
      parts[0] = `#${CSS.escape(at.id)}`;
      break;
    }
  }
  return parts.slice(-4).join(' > ');
}

export function byRef(ref: string): Element | undefined {
  return [...document.querySelectorAll(`${INTERACTIVE}, ${REGION}`)].find(
    (element) => refs.get(element) === ref,
  );
}
