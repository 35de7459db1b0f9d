import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import { AssistantMessage } from '../messages.svelte';
import Answer from './Answer.svelte';

const passage = (file: string) => ({ file, start: 0, end: 3, text: 'abc' });

it('leads from a number to its passage, as often as it is clicked', async () => {
  const message = new AssistantMessage();
  message.write('text', 'So [2], as in `xs[1]`.');
  message.sources = [passage('a.txt'), passage('b.txt')];
  const { container } = render(Answer, { message, isLast: true });
  const list = container.querySelector('details') as HTMLDetailsElement;
  expect(screen.queryByRole('button', { name: 'Source [1]' })).toBeNull();

  for (let time = 0; time < 2; time++) {
    await fireEvent.click(screen.getByRole('button', { name: 'Source [2]' }));
    await vi.waitFor(() => expect(document.activeElement?.textContent).toContain('b.txt'));
    expect(list.open).toBe(true);
    list.open = false;
    await fireEvent(list, new Event('toggle'));
  }
});
