import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { commands } from '../lib/commands.svelte';
import { overlays } from '../lib/overlays.svelte';
import Palette from './Palette.svelte';
import SignIn from './SignIn.svelte';
import TabList from './TabList.svelte';

afterEach(() => {
  overlays.open = [];
  vi.unstubAllGlobals();
});

describe('tabs', () => {
  const tabs = [
    ['a', 'First'],
    ['b', 'Second'],
    ['c', 'Third'],
  ] as const;

  it.each([
    ['ArrowRight', 'Second'],
    ['ArrowLeft', 'Third'],
    ['End', 'Third'],
    ['Home', 'First'],
  ])('are gone through by %s', async (key, name) => {
    render(TabList, { name: 'x', label: 'Tabs', tabs, chosen: 'a' });

    await fireEvent.keyDown(screen.getByRole('tab', { name: 'First' }), { key });

    const chosen = screen.getByRole('tab', { selected: true });
    expect(chosen.textContent).toBe(name);
    expect(document.activeElement).toBe(chosen);
    expect(chosen.tabIndex).toBe(0);
    expect(screen.getAllByRole('tab').filter((tab) => tab.tabIndex === -1)).toHaveLength(2);
  });
});

describe('the palette', () => {
  it('runs what is chosen by the keyboard, and closes', async () => {
    const ran: string[] = [];
    const forget = commands.add([
      { id: 'one', label: 'Alpha one', run: () => ran.push('one') },
      { id: 'two', label: 'Alpha two', run: () => ran.push('two') },
    ]);
    overlays.show('palette');
    render(Palette);
    const box = screen.getByRole('combobox');

    await fireEvent.input(box, { target: { value: 'alpha' } });
    await fireEvent.keyDown(box, { key: 'ArrowDown' });
    await fireEvent.keyDown(box, { key: 'Enter' });

    expect(ran).toEqual(['two']);
    expect(screen.queryByRole('dialog')).toBeNull();
    forget();
  });

  it('shows what finders find, and drops what an older query found', async () => {
    const found = (label: string) => [{ id: label, label, run: () => undefined }];
    let answerFirst: (found: ReturnType<typeof Array<never>>) => void = () => undefined;
    const forget = commands.addFinder((query) =>
      query === 'old' ? new Promise((done) => (answerFirst = done)) : found(`for ${query}`),
    );
    overlays.show('palette');
    render(Palette);
    const box = screen.getByRole('combobox');

    await fireEvent.input(box, { target: { value: 'old' } });
    await new Promise((done) => setTimeout(done, 250));
    await fireEvent.input(box, { target: { value: 'new' } });
    answerFirst(found('stale') as never);

    await waitFor(() => expect(screen.getByRole('option', { name: 'for new' })).toBeTruthy());
    expect(screen.queryByText('stale')).toBeNull();
    forget();
  });
});

describe('the form that asks for a key', () => {
  it('tells why a key is refused', async () => {
    const body = JSON.stringify({ ok: false, error: 'This is no key of this server.' });
    vi.stubGlobal('fetch', async () => new Response(body, { status: 401 }));
    render(SignIn);

    await fireEvent.input(screen.getByLabelText('API key'), { target: { value: 'x' } });
    await fireEvent.submit(screen.getByRole('button').closest('form') as HTMLFormElement);

    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('no key'));
  });
});
