import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { chat } from '../chat.svelte';
import { AssistantMessage } from '../messages.svelte';
import Answer from '../thread/Answer.svelte';
import type { Artifact } from './artifacts';
import ArtifactView from './ArtifactView.svelte';
import { shown } from './shown.svelte';

// The simulated browser has no frames.
vi.mock('../../../lib/markdown/preview', () => ({
  frameOf: () => document.createElement('figure'),
}));

function answer(text: string): AssistantMessage {
  const message = new AssistantMessage();
  message.write('text', text);
  return message;
}

const drawing = (name: string): string =>
  `\`\`\`svg\n<svg><title>Sun</title><g id="${name}"/></svg>\n\`\`\``;

function onlyOne(): Artifact {
  const [artifact] = shown.all;
  if (!artifact) throw new Error('the chat has made nothing');
  return artifact;
}

beforeEach(() => {
  chat.messages = [answer(drawing('first')), answer(drawing('second'))];
});
afterEach(() => {
  shown.hide();
  chat.messages = [];
});

it('opens from the answer that made it, at its version, and closes again', async () => {
  render(Answer, { message: chat.messages[0] as AssistantMessage, isLast: false });
  const button = screen.getByRole('button', { name: /Sun/ });
  expect(button.textContent).toContain('version 1');

  await fireEvent.click(button);
  expect([shown.artifact?.title, shown.version, button.getAttribute('aria-pressed')]).toEqual([
    'Sun',
    0,
    'true',
  ]);
  await fireEvent.click(button);
  expect(shown.artifact).toBeUndefined();
});

it('goes from version to version, and follows the newest', async () => {
  const artifact = onlyOne();
  shown.show(artifact);
  const { rerender } = render(ArtifactView, { artifact });
  await fireEvent.click(screen.getByRole('button', { name: 'Source' }));
  const source = screen.getByLabelText('Source', { selector: 'pre' });
  await expect.poll(() => source.textContent).toContain('second');

  await fireEvent.click(screen.getByRole('button', { name: 'Earlier version' }));
  await expect.poll(() => source.textContent).toContain('first');
  await fireEvent.click(screen.getByRole('button', { name: 'Later version' }));

  chat.messages.push(answer(drawing('third')));
  await rerender({ artifact: onlyOne() });
  await expect.poll(() => source.textContent).toContain('third');
  expect(screen.getByRole('status').textContent).toBe('version 3 of 3');
});

it('is looked at first, and read when that is asked for', async () => {
  shown.show(onlyOne());
  const { container } = render(ArtifactView, { artifact: onlyOne() });
  expect(container.querySelector('figure')).toBeTruthy();

  await fireEvent.click(screen.getByRole('button', { name: 'Source' }));
  expect(container.querySelector('figure')).toBeNull();
});

it('does not open in another chat that made one of the same name', () => {
  shown.show(onlyOne());
  chat.visit++;

  expect(shown.all).toHaveLength(1);
  expect(shown.artifact).toBeUndefined();
});

it('is gone with its chat', () => {
  shown.show(onlyOne());
  chat.messages = [];
  expect(shown.artifact).toBeUndefined();
});
