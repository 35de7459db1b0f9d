import { render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { identity } from '../../lib/identity.svelte';
import { library } from '../../lib/library.svelte';
import { toasts } from '../../lib/toasts.svelte';
import TopBar from '../../shell/TopBar.svelte';
import HubPanel from './HubPanel.svelte';
import { serving } from './serving.svelte';

const model = { repo_id: 'a/b', model_type: 'llama', size_bytes: 1, supported: true };
const download = {
  repo_id: 'a/new',
  state: 'active',
  received_bytes: 1,
  total_bytes: 4,
  bytes_per_sec: 0,
};

beforeEach(() => {
  identity.model = { id: 'a/served' } as typeof identity.model;
  identity.connection = 'live';
});
afterEach(() => {
  identity.model = undefined;
  identity.downloads = [];
  identity.arrived = [];
  library.models = undefined;
  serving.refusal = undefined;
  toasts.list = [];
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function serve(answers: Record<string, [number, object]>): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string, options: RequestInit = {}) => {
    const live = String(options.body ?? '').includes('live') ? ' live' : '';
    const key = `${options.method ?? 'GET'} ${path}${live}`;
    asked.push(key);
    const [status, body] = answers[key] ?? [200, {}];
    return new Response(JSON.stringify(body), { status });
  });
  return asked;
}

const LIBRARY = { models: [model] };

describe('the Hub panel', () => {
  it('asks for downloads often while it is open', async () => {
    vi.useFakeTimers();
    const asked = serve({
      'GET /library': [200, LIBRARY],
      'GET /downloads': [200, { downloads: [] }],
    });
    const { unmount } = render(HubPanel);
    const times = (): number => asked.filter((each) => each === 'GET /downloads').length;

    await vi.advanceTimersByTimeAsync(3100);
    expect(times()).toBe(3);
    unmount();
    await vi.advanceTimersByTimeAsync(3100);
    expect(times()).toBe(3);
  });

  it('shows a download until its model is in the list', async () => {
    const answers: Record<string, [number, object]> = {
      'GET /library': [200, LIBRARY],
      'GET /library?refresh=1': [200, LIBRARY],
      'GET /downloads': [200, { downloads: [{ ...download, state: 'done' }] }],
    };
    const asked = serve(answers);
    identity.downloads = [download as (typeof identity.downloads)[number]];
    render(HubPanel);
    await screen.findByText('Downloaded · 4 B');
    await waitFor(() => expect(asked).toContain('GET /library?refresh=1'));

    answers['GET /library'] = [200, { models: [model, { ...model, repo_id: 'a/new' }] }];
    await library.load();

    await waitFor(() => expect(screen.queryByText('Downloaded · 4 B')).toBeNull());
    expect(screen.getAllByText('a/new')).toHaveLength(1);
  });

  it('tries a failed download again', async () => {
    const failed = { downloads: [{ ...download, state: 'error', error: 'no space is left' }] };
    const asked = serve({ 'GET /library': [200, LIBRARY], 'GET /downloads': [200, failed] });
    render(HubPanel);
    await screen.findByText('no space is left');

    screen.getByRole('button', { name: 'Try again' }).click();

    await waitFor(() => expect(asked).toContain('POST /api/hub/download'));
  });

  it.each([400, 409])(
    'shows the command to run where serving is refused with %d',
    async (status) => {
      serve({
        'GET /library': [200, LIBRARY],
        'GET /downloads': [200, { downloads: [] }],
        'POST /api/hub/serve live': [status, { ok: false, error: 'it is served alone' }],
        'POST /api/hub/serve': [
          200,
          { ok: false, restart_required: true, command: 'manage.py runserver_mlx a/b' },
        ],
      });
      render(HubPanel);
      (await screen.findByRole('button', { name: 'Serve' })).click();

      expect(await screen.findByText('manage.py runserver_mlx a/b')).toBeTruthy();
      expect(screen.getByText(/it is served alone/)).toBeTruthy();
      expect(screen.getByText(/chats stay on disk/)).toBeTruthy();
      expect(toasts.list.map(({ text }) => text)).toContain('it is served alone');
    },
  );
});

describe('a change of the served model', () => {
  const loading = { state: 'loading', target: 'a/b', message: 'Loading', progress: 0.25 };

  it('that another page began is shown, also past an answer that failed', async () => {
    const answers: Record<string, [number, object]> = {
      'GET /library': [200, LIBRARY],
      'GET /api/hub/serve': [200, loading],
    };
    vi.useFakeTimers();
    serve(answers);
    render(HubPanel);
    await vi.advanceTimersByTimeAsync(50);
    expect(screen.getByText('Switching to a/b: Loading')).toBeTruthy();
    expect(screen.getByRole('button', { name: '25 %' })).toBeTruthy();

    answers['GET /api/hub/serve'] = [503, {}];
    await vi.advanceTimersByTimeAsync(600);
    expect(screen.getByText('Switching to a/b: Loading')).toBeTruthy();
    answers['GET /api/hub/serve'] = [200, { ...loading, state: 'ready' }];
    await vi.advanceTimersByTimeAsync(600);

    expect(screen.queryByText(/Switching to/)).toBeNull();
    expect(toasts.list.map(({ text }) => text)).toContain('Now serving a/b');
  });
});

describe('the top bar', () => {
  it('tells that the server is away, whatever it served before', async () => {
    serve({});
    identity.connection = 'unreachable';
    render(TopBar);

    expect(screen.getByText('server unreachable')).toBeTruthy();
  });
});
