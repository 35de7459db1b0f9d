/** Files that the agent has changed in a chat, each once. */
import type { Message } from './messages.svelte';

export function touchedFiles(messages: readonly Message[]): string[] {
  const paths = messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.parts.flatMap((part) =>
          part.type === 'tool' && part.state === 'done' && /^(edit|write)$/.test(part.tool)
            ? [String(part.args['path'] ?? '')]
            : [],
        )
      : [],
  );
  return [...new Set(paths)].filter(Boolean);
}
