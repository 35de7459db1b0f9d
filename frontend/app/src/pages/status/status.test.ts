import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { status } from './status.svelte';

let answers: Record<string, () => Response>;
const json = (body: object, code = 200) => new Response(JSON.stringify(body), { status: code });
const stats = (model: string) => () => json({ server: { model } });

beforeEach(() => {
  vi.useFakeTimers();
  answers = {
    '/stats': stats('one'),
    '/fit': () => json({ of: 'one' }),
    '/v1/models': () => json({ data: [] }),
    '/downloads': () => json({ downloads: [] }),
    '/library': () => json({ models: [] }),
  };
  vi.stubGlobal('fetch', async (path: string) => (answers[path] ?? (() => json({}, 404)))());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const tick = (): Promise<unknown> => vi.advanceTimersByTimeAsync(2100);

it('keeps the last good figures, and those of a model to that model', async () => {
  const stop = status.watch();
  await tick();
  expect([status.stats?.server.model, status.fit, status.stale]).toEqual([
    'one',
    { of: 'one' },
    false,
  ]);

  answers['/stats'] = () => json({}, 503);
  await tick();
  expect([status.stats?.server.model, status.stale]).toEqual(['one', true]);

  answers['/stats'] = stats('two');
  answers['/fit'] = () => json({}, 503);
  await tick();
  expect([status.stats?.server.model, status.fit, status.stale]).toEqual(['two', undefined, false]);

  answers['/fit'] = () => json({ of: 'two' });
  await tick();
  expect(status.fit).toEqual({ of: 'two' });
  stop();
});

it('asks how fast the model was measured to be with every visit', async () => {
  const first = status.watch();
  await tick();
  first();
  answers['/stats'] = stats('two');
  answers['/fit'] = () => json({ of: 'two', measured_decode_tps: 12 });

  const second = status.watch();
  await tick();

  expect(status.fit).toMatchObject({ measured_decode_tps: 12 });
  second();
});
