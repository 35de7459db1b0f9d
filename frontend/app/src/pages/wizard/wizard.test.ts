import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { toasts } from '../../lib/toasts.svelte';
import DatasetPage from '../dataset/DatasetPage.svelte';
import FinetunePage from '../finetune/FinetunePage.svelte';
import QuantizePage from '../quantize/QuantizePage.svelte';
import { droppedFolder } from './folder';

/** Paths, with what answers them; what is asked with a body is kept. */
let answers: Record<string, () => Promise<Response> | Response>;
let told: string[];

const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  told = [];
  answers = { '/library': () => json({ models: [] }) };
  vi.stubGlobal('fetch', async (path: string, options: RequestInit = {}) => {
    if (options.body) told.push(`${path} ${String(options.body)}`);
    return (answers[path] ?? (() => json({}, 404)))();
  });
});
afterEach(() => {
  toasts.list = [];
  vi.unstubAllGlobals();
});

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

describe('an inspection', () => {
  it.each([
    ['quantize', QuantizePage, '/api/quantize/inspect', 'owner/name, or a folder'],
    ['finetune', FinetunePage, '/api/finetune/inspect-dataset', 'a folder with train.jsonl'],
  ] as const)('of %s says nothing of a path that came later', async (_, Page, url, hint) => {
    let answer: (response: Response) => void = () => undefined;
    answers[url] = () => new Promise((done) => (answer = done));
    render(Page, { active: true });
    if (Page === FinetunePage) {
      await fireEvent.input(screen.getByLabelText('Base model'), { target: { value: 'a/b' } });
      await fireEvent.click(button('Continue'));
    }
    const box = screen.getByPlaceholderText(hint);
    await fireEvent.input(box, { target: { value: 'first' } });
    await fireEvent.click(button('Inspect'));
    expect(button('Inspecting…').disabled).toBe(true);

    await fireEvent.input(box, { target: { value: 'second' } });
    answer(json({ ok: true, support: true, n_train: 1 }));
    await new Promise((done) => setTimeout(done, 10));

    expect(button('Continue').disabled).toBe(true);
    await fireEvent.click(button('Inspect'));
    answer(json({ ok: true, support: true, n_train: 1 }));
    await waitFor(() => expect(button('Continue').disabled).toBe(false));
  });
});

describe('hyperparameters', () => {
  it('that were edited stay so after a look at another step', async () => {
    answers['/api/finetune/inspect-dataset'] = () => json({ ok: true, n_train: 1 });
    render(FinetunePage, { active: true });
    await fireEvent.input(screen.getByLabelText('Base model'), { target: { value: 'a/b' } });
    await fireEvent.click(button('Continue'));
    const box = screen.getByPlaceholderText('a folder with train.jsonl');
    await fireEvent.input(box, { target: { value: 'rows' } });
    await fireEvent.click(button('Inspect'));
    await waitFor(() => expect(button('Continue').disabled).toBe(false));
    await fireEvent.click(button('Continue'));
    await fireEvent.input(screen.getByLabelText('Rank'), { target: { value: '4' } });

    await fireEvent.click(button('Back'));
    await fireEvent.click(button('Continue'));
    await fireEvent.click(screen.getByRole('radio', { name: /ORPO/ }));

    expect(screen.getByLabelText<HTMLInputElement>('Rank').value).toBe('4');
    expect(screen.getByLabelText<HTMLInputElement>('Learning rate').value).toBe('0.00001');
  });
});

describe('templates', () => {
  it('that could not be asked for are not said to be none, and are asked for again', async () => {
    answers['/api/dataset/templates'] = () => json({ ok: false, error: 'busy' }, 503);
    render(DatasetPage, { active: true });

    expect((await screen.findByRole('alert')).textContent).toBe('busy');
    expect(screen.queryByText(/No templates/)).toBeNull();
    answers['/api/dataset/templates'] = () => json({ templates: [] });
    await fireEvent.click(button('Try again'));

    expect(await screen.findByText(/No templates/)).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('a folder', () => {
  const transfer = (isDirectory: boolean) =>
    ({
      types: ['Files'],
      items: [{ webkitGetAsEntry: () => ({ isDirectory, name: 'models--a--b' }) }],
    }) as unknown as DataTransfer;

  async function drop(isDirectory: boolean): Promise<void> {
    render(QuantizePage, { active: true });
    const event = new Event('drop', { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: transfer(isDirectory) });
    await fireEvent(screen.getByRole('group', { name: 'Place to drop a folder' }), event);
  }

  it('that is dropped is sought by its name alone', async () => {
    answers['/api/model/resolve-folder'] = () => json({ ok: true, path: '/cache/a/b' });
    await drop(true);

    const box = screen.getByPlaceholderText<HTMLInputElement>('owner/name, or a folder');
    await waitFor(() => expect(box.value).toBe('/cache/a/b'));
    expect(told).toEqual(['/api/model/resolve-folder {"folder_name":"models--a--b"}']);
  });

  it('is told from a file', async () => {
    await drop(false);

    expect(toasts.list.at(-1)?.text).toContain('folder');
    expect(told).toEqual([]);
    expect(droppedFolder(null)).toBeUndefined();
  });
});
