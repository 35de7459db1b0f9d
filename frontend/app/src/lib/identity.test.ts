import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Identity, identity } from './identity.svelte';
import { library } from './library.svelte';
import { map } from './map.svelte';
import { toasts } from './toasts.svelte';

let answers: Record<string, object>;

beforeEach(() => {
  answers = { '/v1/models': { data: [{ id: 'a/served' }] }, '/downloads': { downloads: [] } };
  vi.stubGlobal('fetch', async (path: string) => new Response(JSON.stringify(answers[path])));
});
afterEach(() => {
  identity.downloads = [];
  identity.arrived = [];
  toasts.list = [];
  vi.unstubAllGlobals();
});

const download = (state: string) => ({ downloads: [{ repo_id: 'a/new', state }] });

it('says when a download has arrived, and looks through the models again', async () => {
  answers['/library?refresh=1'] = {
    models: [{ repo_id: 'a/new', serving: false, supported: true }],
  };
  answers['/downloads'] = download('active');
  await identity.refresh();
  expect(identity.arrived).toEqual([]);

  answers['/downloads'] = download('done');
  await identity.refreshDownloads();

  expect(identity.arrived).toEqual(['a/new']);
  expect(toasts.list.at(-1)?.text).toContain('a/new');
  await vi.waitFor(() => expect(library.models?.[0]?.repo_id).toBe('a/new'));
  await identity.refreshDownloads();
  expect(identity.arrived).toEqual(['a/new']);
});

it('says nothing of what had arrived before, also where the server was slow to answer', async () => {
  const page = new Identity();
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
  await page.refresh();
  vi.stubGlobal('fetch', fetch);
  answers['/downloads'] = download('done');

  await page.refresh();

  expect([page.connection, page.arrived, toasts.list]).toEqual(['live', [], []]);
});

it('lists a repo once, by its newest try', async () => {
  const tries = [...download('active').downloads, ...download('error').downloads];
  answers['/downloads'] = { downloads: tries };

  await identity.refreshDownloads();

  expect(identity.downloads.map(({ state }) => state)).toEqual(['active']);
});

it.each([
  [200, true],
  [404, false],
  [503, undefined],
])('takes %d for the map being there: %s', async (status, there) => {
  map.there = undefined;
  vi.stubGlobal('fetch', async () => new Response(null, { status }));

  await map.look();

  expect(map.there).toBe(there);
});

it('asks for the map again after an answer that never came', async () => {
  map.there = undefined;
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('away')));
  await map.look();
  vi.stubGlobal('fetch', async () => new Response());

  await map.look();

  expect(map.there).toBe(true);
});
