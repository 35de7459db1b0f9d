import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ApiError, errorText, get, post } from './http';
import { signIn } from './signIn.svelte';

const answers = (body: unknown, status = 200): void => {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(body), { status }));
};

beforeEach(() => (signIn.needed = false));
afterEach(() => vi.unstubAllGlobals());

it('gives what the server answers', async () => {
  answers({ a: 1 });

  expect(await get('/x')).toEqual({ a: 1 });
});

it.each([
  [{ error: { message: 'too long' } }, 'too long'],
  [{ ok: false, error: 'no such model' }, 'no such model'],
  [{ error: { message: 7 } }, 'The server answered 400.'],
  ['text', 'The server answered 400.'],
])('throws in the words of the server: %j', async (body, words) => {
  answers(body, 400);

  await expect(post('/x', {})).rejects.toThrow(words);
});

it('throws its own words where nobody answers', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('failed');
  });

  const error = await get('/x').catch((each: unknown) => each);
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).status).toBe(0);
});

it('asks for a key where the server wants one', async () => {
  answers({ error: { message: 'missing or incorrect API key' } }, 401);

  await get('/x').catch(() => undefined);

  expect(signIn.needed).toBe(true);
});

it('finds no text where there is none', () => {
  expect([errorText(undefined), errorText(null), errorText({})]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
