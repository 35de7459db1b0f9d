/** What is told below an answer of how it came. */
import { count, figure, latency } from '../../lib/format';
import type { AssistantMessage } from './messages.svelte';

export interface Figure {
  text: string;
  title?: string;
}

export function figuresOf(message: AssistantMessage): Figure[] {
  const { usage, tokensPerSecond, firstTokenMs } = message;
  const found: Figure[] = [];
  if (tokensPerSecond) found.push({ text: `${figure(tokensPerSecond)} tok/s` });
  if (usage) found.push({ text: `${count(usage.completion_tokens)} tokens` });
  if (firstTokenMs !== undefined) found.push({ text: `first token ${latency(firstTokenMs)}` });
  if (usage?.cached_tokens) {
    const title = `Of ${count(usage.prompt_tokens)} tokens of the prompt, these were known already`;
    found.push({ text: `${count(usage.cached_tokens)} cached`, title });
  }
  return found;
}
