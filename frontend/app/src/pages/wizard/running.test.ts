import { render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, it } from 'vitest';

import { Job } from './job.svelte';
import Running from './Running.svelte';

/** Gives the log a place and a height, which nothing has without a screen. */
function scrolled(log: HTMLElement, top: number): void {
  const measures = { scrollHeight: 1000, clientHeight: 200 };
  for (const [name, value] of Object.entries(measures)) {
    Object.defineProperty(log, name, { configurable: true, value });
  }
  log.scrollTop = top;
}

it.each([
  ['follows its end', 790, 1000],
  ['lets who reads further up be', 300, 300],
])('the log %s', async (_, from, to) => {
  const job = new Job();
  render(Running, { job });
  const log = screen.getByLabelText('Log');
  scrolled(log, from);

  job.take({ type: 'log', line: 'one more' });
  await tick();

  expect(log.textContent).toContain('one more');
  expect(log.scrollTop).toBe(to);
});
