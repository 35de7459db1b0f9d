import { afterEach, describe, expect, it, vi } from 'vitest';

import { named, withStyles } from '../../scripts/shell';
import worker from '../../public/sw.js?raw';
import { newVersion } from './newVersion.svelte';

const SHELL = ['/', '/assets/app.js', '/assets/hljs.js', '/assets/hljs.css'];

type Listener = (event: Record<string, unknown>) => void;

/** Runs sw.js with a cache that is empty at first; returns what it did. */
function start(text: string, names: string[] = []) {
  const listeners: Record<string, Listener> = {};
  const added: { path: string; cache: string }[] = [];
  const dropped: string[] = [];
  const opened: string[] = [];
  const cache = {
    addAll: async (all: { path: string; cache: string }[]) => added.push(...all),
    match: async (request: { url: string }) => (request.url.endsWith('/') ? 'kept' : undefined),
  };
  const scope = {
    self: {
      addEventListener: (name: string, listener: Listener) => (listeners[name] = listener),
      skipWaiting: () => undefined,
      clients: { claim: () => undefined },
    },
    caches: {
      open: async (name: string) => (opened.push(name), cache),
      keys: async () => names,
      delete: async (name: string) => dropped.push(name),
    },
    Request: class {
      cache: string;
      constructor(
        readonly path: string,
        options: { cache: string },
      ) {
        this.cache = options.cache;
      }
    },
    location: { origin: 'http://here' },
    fetch: vi.fn(async () => 'fetched'),
  };
  new Function(...Object.keys(scope), text)(...Object.values(scope));
  async function happen(name: string, event: Record<string, unknown> = {}): Promise<unknown> {
    let result: unknown;
    listeners[name]?.({
      ...event,
      waitUntil: (done: unknown) => (result = done),
      respondWith: (answer: unknown) => (result = answer),
    });
    return result;
  }
  const ask = (path: string, method = 'GET') =>
    happen('fetch', { request: { url: `http://here${path}`, method } });
  return { happen, ask, added, dropped, opened };
}

describe('the service worker', () => {
  it('fetches the shell as a whole, past the cache of the browser', async () => {
    const { happen, added } = start(worker);

    await happen('install');

    expect(added.map(({ path, cache }) => [path, cache])).toEqual(
      SHELL.map((path) => [path, 'reload']),
    );
  });

  it('answers for the shell alone, and changes no file by itself', async () => {
    const { ask } = start(worker);

    expect(await ask('/')).toBe('kept');
    expect(await ask('/assets/app.js')).toBe('fetched');
    expect(await ask('/assets/app.js?x')).toBeUndefined();
    expect(await ask('/v1/models')).toBeUndefined();
    expect(await ask('/', 'POST')).toBeUndefined();
  });

  it('drops what another build has kept', async () => {
    const text = named(worker, ['one']);
    const { happen, dropped, opened } = start(text, ['shell-1', 'shell-old']);
    await happen('install');
    expect(opened).toHaveLength(1);

    await happen('activate');

    expect(dropped).toEqual(['shell-1', 'shell-old']);
    expect(opened[0]).toMatch(/^shell-[0-9a-f]{16}$/);
  });

  it('is another one as soon as one of its files is', () => {
    const names = [
      ['a', 'b'],
      ['a', 'c'],
      ['ab', ''],
    ].map((files) => named(worker, files));

    expect(new Set(names).size).toBe(3);
    expect(named(worker, ['a', 'b'])).toBe(names[0]);
  });

  it('needs no styles beside the page', () => {
    const page = '<link rel="stylesheet" crossorigin href="/assets/app.css">';

    expect(withStyles(page, 'a { content: "$&" }\n')).toBe('<style>a { content: "$&" }</style>');
    expect(() => withStyles('<p>', '')).toThrow('no link');
  });
});

describe('a newer build', () => {
  afterEach(() => {
    newVersion.isThere = false;
    vi.unstubAllGlobals();
  });

  function workers(controller: object | null) {
    const target = new EventTarget();
    return Object.assign(target, { controller, register: async () => ({}) });
  }

  it('is there when a worker follows another, and not with the first', async () => {
    const container = workers(null);
    await newVersion.watch(container as unknown as ServiceWorkerContainer);

    container.dispatchEvent(new Event('controllerchange'));
    expect(newVersion.isThere).toBe(false);
    container.dispatchEvent(new Event('controllerchange'));
    expect(newVersion.isThere).toBe(true);
  });

  it.each([
    ['is there', 'from a server that answers', true],
    ['may be none', 'while the server is away', false],
  ])('%s when a part of the page is missing %s', async (_, __, answers) => {
    const asked = vi.fn(async () => {
      if (!answers) throw new TypeError('away');
      return new Response();
    });
    vi.stubGlobal('fetch', asked);
    await newVersion.watch(undefined);

    dispatchEvent(new Event('vite:preloadError'));

    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    await new Promise((done) => setTimeout(done));
    expect(newVersion.isThere).toBe(answers);
  });
});
