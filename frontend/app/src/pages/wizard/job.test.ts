import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { toasts } from '../../lib/toasts.svelte';
import { seriesOf } from '../finetune/series';
import { Job, type Metric } from './job.svelte';

class FakeSource {
  static last: FakeSource;
  onopen: () => void = () => undefined;
  onmessage: (event: { data: string }) => void = () => undefined;
  end: () => void = () => undefined;
  onerror: () => void = () => undefined;
  readyState = 1;
  closed = false;
  constructor(readonly url: string) {
    FakeSource.last = this;
  }
  addEventListener(_name: string, listener: () => void): void {
    this.end = listener;
  }
  close(): void {
    this.closed = true;
  }
  say(event: object): void {
    this.onmessage({ data: JSON.stringify(event) });
  }
}

beforeEach(() => vi.stubGlobal('EventSource', FakeSource));
afterEach(() => {
  toasts.list = [];
  vi.unstubAllGlobals();
});

const metric = (step: number, loss: number, kind: Metric['kind'] = 'train') => ({
  type: 'metric' as const,
  kind,
  step,
  loss,
});

it('follows a job from its first event to its end', () => {
  const job = new Job();
  job.follow('a/b');
  const source = FakeSource.last;
  expect(source.url).toBe('/api/jobs/a%2Fb/stream');

  source.say({ type: 'started', ts: 1 });
  source.say({ type: 'stage', stage: 'load', progress: 0.25, message: 'Loading', n_train: 3 });
  source.say({ type: 'log', line: 'hello' });
  source.say({ ...metric(1, 2.5), progress: 0.5 });
  expect([job.state, job.progress, job.message, job.log, job.details['n_train']]).toEqual([
    'running',
    0.5,
    'Loading',
    ['hello'],
    3,
  ]);

  source.say({ type: 'done', output_dir: '/x', summary: { loss: 1 } });
  source.end();
  expect([job.state, job.progress, job.outputDir, source.closed]).toEqual(['done', 1, '/x', true]);
});

it('tells why a job failed', () => {
  const job = new Job();
  job.follow('a');
  FakeSource.last.say({ type: 'failed', error: 'no memory' });

  expect([job.state, job.error]).toEqual(['failed', 'no memory']);
  expect(toasts.list.map(({ text, tone }) => [text, tone])).toEqual([
    ['The job failed: no memory', 'error'],
  ]);
});

it('says once that it is done, however often it is told', () => {
  const done = vi.fn();
  const job = new Job(done);
  for (let time = 0; time < 2; time++) job.take({ type: 'done', output_dir: '/x', summary: {} });

  expect([done.mock.calls.length, toasts.list.length]).toEqual([1, 1]);
});

it('waits for a broken connection, and not for a server that refuses', () => {
  const job = new Job();
  job.follow('a');
  FakeSource.last.readyState = 0;
  FakeSource.last.onerror();
  expect(job.state).toBe('running');

  FakeSource.last.readyState = 2;
  FakeSource.last.onerror();
  expect(job.state).toBe('failed');
});

it('keeps the last 200 lines of the log', () => {
  const job = new Job();
  for (let line = 0; line < 300; line++) job.take({ type: 'log', line: String(line) });

  expect([job.log.length, job.log.at(-1)]).toEqual([200, '299']);
});

it('tells nothing twice when the stream comes back', () => {
  const job = new Job();
  job.follow('a');
  for (let time = 0; time < 2; time++) {
    FakeSource.last.onopen();
    FakeSource.last.say({ type: 'log', line: 'hello' });
    FakeSource.last.say(metric(1, 2));
  }

  expect([job.log, job.metrics.length]).toEqual([['hello'], 1]);
});

it('puts losses of one step side by side, and gaps where there is none', () => {
  const metrics = [metric(2, 1.5), metric(1, 2), metric(2, 1.8, 'val')];

  expect(seriesOf(metrics)).toEqual([
    [1, 2],
    [2, 1.5],
    [null, 1.8],
  ]);
  expect(seriesOf([])).toEqual([[], [], []]);
});
