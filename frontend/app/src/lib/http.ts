/** Requests to this server: JSON in, JSON out, and one kind of error for every route. */
import { signIn } from './signIn.svelte';

export class ApiError extends Error {
  constructor(
    message: string,
    /** HTTP status, or 0 when the server could not be reached. */
    readonly status: number,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

type Json = Record<string, unknown>;

/** Fetches JSON; throws ApiError with the server's own words where it gave some. */
export async function request<T>(method: string, path: string, body?: Json): Promise<T> {
  const options: RequestInit = { method, headers: { accept: 'application/json' } };
  if (body !== undefined) {
    options.headers = { ...options.headers, 'content-type': 'application/json' };
    options.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError('The server cannot be reached.', 0);
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    if (response.status === 401) signIn.needed = true;
    throw new ApiError(
      errorText(answer) ?? `The server answered ${response.status}.`,
      response.status,
    );
  }
  return answer as T;
}

export const get = <T>(path: string): Promise<T> => request<T>('GET', path);
export const post = <T>(path: string, body: Json): Promise<T> => request<T>('POST', path, body);
export const remove = <T>(path: string, body?: Json): Promise<T> =>
  request<T>('DELETE', path, body);

/** `/v1` says `{error: {message}}`, the pages' own routes `{ok: false, error}`. */
export function errorText(answer: unknown): string | undefined {
  const error = (answer as { error?: unknown } | undefined)?.error;
  if (typeof error === 'string') return error;
  const message = (error as { message?: unknown } | undefined)?.message;
  return typeof message === 'string' ? message : undefined;
}

export const wordsOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
