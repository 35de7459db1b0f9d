import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => localStorage.clear());

/** As after a reload. */
async function developer() {
  vi.resetModules();
  return (await import('./preferences')).developer;
}

it('shows Chat alone in a browser that is new here, whatever is chosen in it', async () => {
  expect((await developer()).value).toBe(false);
  localStorage.setItem('mlxsite.theme', '"dark"');

  expect((await developer()).value).toBe(false);
});

it('shows developer pages once in a browser that knew the app without the switch', async () => {
  localStorage.setItem('mlxsite.theme', '"dark"');
  const first = await developer();
  expect(first.value).toBe(true);
  first.value = false;

  expect((await developer()).value).toBe(false);
});
