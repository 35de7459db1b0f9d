import { render } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import Markdown from './Markdown.svelte';

it('has only its whole blocks read out while it is being written', async () => {
  const { container, rerender } = render(Markdown, { source: 'One.\n\nTw', streaming: true });
  const blocks = (): (string | null)[][] =>
    [...container.querySelectorAll('.markdown > div')].map((block) => [
      block.textContent.trim(),
      block.getAttribute('aria-live'),
    ]);
  await vi.waitFor(() =>
    expect(blocks()).toEqual([
      ['One.', null],
      ['Tw', 'off'],
    ]),
  );
  const growing = container.querySelector('[aria-live]');

  await rerender({ source: 'One.\n\nTwo.', streaming: false });

  expect(blocks()).toEqual([
    ['One.', null],
    ['Two.', null],
  ]);
  expect(growing?.isConnected).toBe(false);
});
