import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { labelOf, refOf, snapshot } from './snapshot';
import { find, similarity, spotlight } from './spotlight.svelte';
import { toasts } from './toasts.svelte';

beforeEach(() => {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 10, 10));
  Element.prototype.scrollIntoView = () => undefined;
});
afterEach(() => {
  vi.restoreAllMocks();
  document.body.innerHTML = '';
  toasts.list = [];
  spotlight.dismiss();
});

const page = (html: string): void => {
  document.body.innerHTML = html;
};

describe('a snapshot', () => {
  it('names what can be clicked and filled in', () => {
    page('<button data-spotlight="send">Send</button><input placeholder="Search"><p>text</p>');

    expect(snapshot()).toMatchObject([
      { tag: 'button', label: 'Send', spotlightId: 'send', selector: '[data-spotlight="send"]' },
      { tag: 'input', label: 'Search', kind: 'interactive' },
    ]);
  });

  it('leaves out what a conversation, a notice or an article shows', () => {
    page(`<div data-agent-chrome><a href="https://evil.example">Click</a></div>
      <div role="status"><button>Notice</button></div>
      <div class="markdown"><a href="#x">Article</a></div><button>Own</button>`);

    expect(snapshot().map((element) => element.label)).toEqual(['Own']);
  });

  it('holds 120 elements at most', () => {
    page('<button>x</button>'.repeat(200));

    expect(snapshot()).toHaveLength(120);
  });

  it('gives an element the same name each time', () => {
    page('<button id="a">A</button>');
    const [button] = document.getElementsByTagName('button');

    expect(snapshot()[0]?.ref).toBe(refOf(button as Element));
  });

  it.each([
    ['<button aria-label="Close">×</button>', 'Close'],
    ['<label>Name <input></label>', 'Name'],
    ['<b id="t">Title</b><button aria-labelledby="t">x</button>', 'Title'],
    ['<input name="q">', 'q'],
    ['<button>  two\n words </button>', 'two words'],
  ])('labels %s', (html, label) => {
    page(html);

    expect(labelOf(document.querySelector('button, input') as Element)).toBe(label);
  });
});

describe('a spotlight', () => {
  it('finds the place that is shown of those with one name', () => {
    page(
      '<button data-spotlight="x" style="visibility: hidden"></button><b data-spotlight="x"></b>',
    );

    expect(find({ target: 'x' })?.tagName).toBe('B');
  });

  it('finds by reference, selector, label and place', () => {
    page('<button data-spotlight="send" id="s">Send message</button>');
    const button = document.getElementById('s') as Element;

    for (const target of [
      { ref: refOf(button) },
      { selector: '#s' },
      { label: 'send message' },
      { label: 'message send now' },
      { target: 'send' },
    ]) {
      expect(find(target)).toBe(button);
    }
  });

  it.each(['!!', '<script>', '[x', 'a:nope(', '#'])(
    'takes a bad selector for a miss: %j',
    async (selector) => {
      page('<button>x</button>');

      await spotlight.show({ selector });

      expect(spotlight.box).toBeUndefined();
      expect(toasts.list).toHaveLength(1);
    },
  );

  it('shows a ring for a moment', async () => {
    vi.useFakeTimers();
    page('<button id="s">x</button>');

    await spotlight.show({ selector: '#s', message: 'here' });
    expect([spotlight.box?.width, spotlight.message]).toEqual([10, 'here']);
    vi.advanceTimersByTime(3000);

    expect(spotlight.box).toBeUndefined();
    vi.useRealTimers();
  });

  it('knows how alike two labels are', () => {
    expect(similarity('Send', 'send')).toBe(100);
    expect(similarity('Send', 'Send message')).toBe(85);
    expect(similarity('open settings', 'Settings now')).toBeGreaterThanOrEqual(50);
    expect(similarity('x', 'y')).toBe(0);
    expect(similarity('', 'y')).toBe(0);
  });
});
