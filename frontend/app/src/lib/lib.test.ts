import { afterEach, describe, expect, it, vi } from 'vitest';

import { ago, bytes, count, duration, figure, latency, percent, tokens } from './format';
import { poll } from './poll';
import { routeOf } from './router.svelte';
import { Stored } from './stored.svelte';
import { matches } from './subsequence';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
});

describe('figures', () => {
  it('are written as people read them', () => {
    expect([0, 0.42, 7.25, 10, 1234].map(figure)).toEqual(['0', '0.42', '7.3', '10', '1,234']);
    expect([0, 999, 1000, 93e6, 1.5e12].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1 kB',
      '93 MB',
      '1.5 TB',
    ]);
    expect([512, 8192, 131_072, 2 ** 20].map(tokens)).toEqual(['512', '8k', '128k', '1M']);
    expect([0, 59, 60, 3700, 200_000].map(duration)).toEqual([
      '0 s',
      '59 s',
      '1 min',
      '1 h 1 min',
      '2 days',
    ]);
    expect([12, 1500].map(latency)).toEqual(['12 ms', '1.5 s']);
    expect([percent(1, 3), percent(1, 0)]).toEqual(['33 %', '0 %']);
    expect([ago(0, 10_000), ago(0, 120_000)]).toEqual(['just now', '2 min ago']);
    expect(count(1999.6)).toBe('2,000');
  });
});

describe('polling', () => {
  it('asks at once and then every so often, whatever went wrong', async () => {
    vi.useFakeTimers();
    let asked = 0;
    const stop = poll(async () => {
      asked++;
      throw new Error('away');
    }, 1000);
    await vi.advanceTimersByTimeAsync(2500);
    expect(asked).toBe(3);

    stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked).toBe(3);
  });

  it('rests while the page is hidden, and asks when it is seen again', async () => {
    vi.useFakeTimers();
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    const ask = vi.fn(async () => undefined);
    const stop = poll(ask, 1000);
    await vi.advanceTimersByTimeAsync(3000);
    expect(ask).not.toHaveBeenCalled();

    hidden.mockReturnValue(false);
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
    expect(ask).toHaveBeenCalledTimes(1);
    stop();
    hidden.mockRestore();
  });
});

describe('a stored value', () => {
  it('is there for the next page', () => {
    new Stored('x', 1).value = 2;

    expect(new Stored('x', 1).value).toBe(2);
  });

  it('begins anew where what is stored cannot be read', () => {
    localStorage.setItem('mlxsite.x', '{');

    expect(new Stored('x', 1).value).toBe(1);
  });

  it('lives as long as the page where nothing can be stored', () => {
    vi.stubGlobal('localStorage', {
      getItem: () => {
        throw new Error('forbidden');
      },
      setItem: () => {
        throw new Error('full');
      },
      clear: () => undefined,
    });
    const value = new Stored('x', 1);
    value.value = 3;

    expect(value.value).toBe(3);
  });
});

describe('an address', () => {
  it.each([
    ['', 'chat'],
    ['#/status', 'status'],
    ['#status', 'status'],
    ['#/quantize/x', 'quantize'],
    ['#/nope', 'chat'],
  ])('%j shows %s', (hash, route) => {
    expect(routeOf(hash)).toBe(route);
  });
});

describe('the palette', () => {
  it('finds letters in their order', () => {
    expect(matches('devpag', 'Toggle developer pages')).toBe(true);
    expect(matches('pd', 'developer')).toBe(false);
    expect(matches('', 'anything')).toBe(true);
  });
});
