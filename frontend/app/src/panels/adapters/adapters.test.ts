import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { adapters } from '../../lib/adapters.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { settings } from '../../pages/chat/settings.svelte';
import AdaptersPanel from './AdaptersPanel.svelte';

const one = (id: string, more: object = {}) => ({
  id,
  path: `/a/${id}`,
  rank: 8,
  scale: 20,
  base_model: 'tiny',
  mounted: false,
  compatible: true,
  ...more,
});
let available: ReturnType<typeof one>[];

const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  available = [one('poet'), one('clerk')];
  vi.stubGlobal('fetch', async (path: string, options: RequestInit) => {
    if (options.method === 'POST') {
      const { id } = JSON.parse(String(options.body)) as { id: string };
      available = available.map((each) => (each.id === id ? { ...each, mounted: true } : each));
      return json({});
    }
    if (path === '/v1/adapters/available') return json({ adapters: available });
    const mounted = available.filter((each) => each.mounted);
    return json({ adapters: mounted.map(({ id }) => ({ id, size_bytes: 1, ram_bytes: 2 })) });
  });
});
afterEach(() => {
  adapters.available = adapters.error = undefined;
  settings.adapter = undefined;
  toasts.list = [];
  vi.unstubAllGlobals();
});

const buttons = (name: string) => screen.getAllByRole<HTMLButtonElement>('button', { name });

it('mounts and selects, with the words of the chip', async () => {
  render(AdaptersPanel);
  await screen.findByText('poet');
  await fireEvent.click(buttons('Select')[0] as HTMLElement);

  expect(await screen.findByText('answering')).toBeTruthy();
  expect(settings.adapter).toBe('poet');
  expect(toasts.list.at(-1)?.text).toContain('poet');
  await fireEvent.click(buttons('Unselect')[0] as HTMLElement);
  await waitFor(() => expect(settings.adapter).toBeUndefined());
});

it('stacks two that were mounted while nothing was selected', async () => {
  available = available.map((each) => ({ ...each, mounted: true }));
  render(AdaptersPanel);
  for (const box of await screen.findAllByRole('checkbox')) await fireEvent.click(box);

  await fireEvent.click(buttons('Apply poet + clerk')[0] as HTMLElement);

  expect(settings.adapter).toBe('poet+clerk');
});

it('tells why one cannot answer', async () => {
  available = [
    one('other', { compatible: false, base_model: 'large' }),
    one('torn', { compatible: false, base_model: null, rank: null }),
  ];
  render(AdaptersPanel);

  expect(await screen.findByText(/made for large/)).toBeTruthy();
  expect(screen.getByText(/not readable/)).toBeTruthy();
  expect(screen.queryByText(/null/)).toBeNull();
  expect(buttons('Select').every((each) => each.disabled)).toBe(true);
});
