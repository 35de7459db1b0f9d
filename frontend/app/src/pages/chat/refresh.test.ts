import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { adapters, type AvailableAdapter } from '../../lib/adapters.svelte';
import { memory } from '../../lib/memory.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { refresh } from './refresh';
import { settings } from './settings.svelte';

const poet: AvailableAdapter = {
  id: 'poet',
  path: '/a/poet',
  rank: 8,
  scale: 20,
  base_model: 'tiny',
  mounted: false,
  compatible: true,
};

let available: AvailableAdapter[];
let asked: string[];

beforeEach(() => {
  available = [poet];
  asked = [];
  vi.stubGlobal('fetch', async (path: string, options: RequestInit) => {
    asked.push(`${options.method} ${path}`);
    const mounted = available.filter((each) => each.mounted);
    if (options.method === 'POST') available = available.map((e) => ({ ...e, mounted: true }));
    const answers: Record<string, object> = {
      '/v1/adapters/available': { adapters: available },
      '/v1/adapters': { adapters: mounted },
      '/api/memory/status': { enabled: false, root: '~/wiki' },
    };
    return new Response(JSON.stringify(answers[path] ?? {}));
  });
});
afterEach(() => {
  settings.adapter = undefined;
  adapters.available = undefined;
  toasts.list = [];
  vi.unstubAllGlobals();
});

it('asks for adapters and memory anew', async () => {
  await refresh();

  expect(adapters.available?.map((each) => each.id)).toEqual(['poet']);
  expect(memory.root).toBe('~/wiki');
  expect(asked).toContain('GET /v1/models');
});

it('mounts the chosen adapter on a server that began anew, whatever was known of the old one', async () => {
  adapters.available = [{ ...poet, mounted: true }];
  settings.adapter = 'poet';

  await refresh();

  expect(asked).toContain('POST /v1/adapters');
  expect(settings.adapter).toBe('poet');
});

it('mounts nothing twice', async () => {
  available = [{ ...poet, mounted: true }];
  settings.adapter = 'poet';

  await refresh();

  expect(asked).not.toContain('POST /v1/adapters');
  expect(settings.adapter).toBe('poet');
});

it.each([
  ['is made for another model', 'poet', [{ ...poet, compatible: false }]],
  ['is gone', 'poet', []],
  ['belongs to a stack of which one is gone', 'poet+other', [poet]],
])('lets the base model answer where the chosen adapter %s, and says so', async (_, id, left) => {
  available = left;
  settings.adapter = id;

  await refresh();

  expect(settings.adapter).toBeUndefined();
  expect(toasts.list.at(-1)?.text).toContain('base model');
});

it('keeps the choice while the server cannot be asked', async () => {
  vi.stubGlobal('fetch', async () => new Response('{}', { status: 503 }));
  settings.adapter = 'poet';

  await refresh();

  expect(settings.adapter).toBe('poet');
});
