import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Flow } from './flow.svelte';

class SilentSource {
  addEventListener(): void {}
  close(): void {}
}

function answer(status: number, body: object): void {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status }));
}

beforeEach(() => vi.stubGlobal('EventSource', SilentSource));
afterEach(() => vi.unstubAllGlobals());

it('goes on to the step that shows the job, and to the last when that is done', async () => {
  const done = vi.fn();
  const flow = new Flow('quantize', ['Source', 'Configure', 'Run', 'Done'], done);
  answer(200, { ok: true, job_id: 'a' });
  await flow.submit('/api/quantize/submit', {});
  expect([flow.step, flow.job.id, flow.job.state]).toEqual([2, 'a', 'running']);
  expect(done).not.toHaveBeenCalled();

  flow.job.take({ type: 'done', output_dir: '/x', summary: {} });
  expect([flow.step, done.mock.calls.length]).toEqual([3, 1]);
});

it('stays where it is when the server refuses, and tells why', async () => {
  const flow = new Flow('dataset', ['Template', 'Inputs', 'Generate', 'Done']);
  flow.step = 1;
  answer(400, { ok: false, error: 'no such template' });
  await flow.submit('/api/dataset/submit', {});
  expect([flow.step, flow.problem, flow.job.state]).toEqual([1, 'no such template', 'idle']);

  answer(200, { ok: true, rows: 3 });
  expect(await flow.ask('/api/anything', {})).toEqual({ ok: true, rows: 3 });
  expect(flow.problem).toBe('');
});

it('finds a job that was begun before the page was loaded, and shows it', async () => {
  const flow = new Flow('finetune', ['Base', 'Dataset', 'Settings', 'Train', 'Done']);
  const rows = [
    { id: 'old', status: 'done', config_json: '{}' },
    { id: 'now', status: 'running', config_json: '{"model_dir": "/m"}' },
  ];
  answer(200, { ok: true, jobs: rows });
  await flow.look();
  expect([flow.underWay?.id, flow.step]).toEqual(['now', 0]);

  expect(flow.resume()).toEqual({ model_dir: '/m' });
  expect([flow.job.id, flow.step, flow.underWay]).toEqual(['now', 3, undefined]);
  await flow.look();
  expect(flow.underWay).toBeUndefined();
});

it('offers no job where none can be asked for', async () => {
  const flow = new Flow('quantize', ['Source', 'Configure', 'Run', 'Done']);
  answer(503, {});
  await flow.look();

  expect([flow.underWay, flow.problem]).toEqual([undefined, '']);
});
