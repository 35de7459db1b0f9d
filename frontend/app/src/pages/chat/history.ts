/** What a history tells, as messages. */
import type { HistoryItem } from './frames';
import {
  AssistantMessage,
  Seam,
  ToolPart,
  UserMessage,
  type Message,
  type Part,
} from './messages.svelte';
import { questionIn } from './question';

/** known: what is shown of the same entry, which may have more to it than was written. */
export function messageIn(item: HistoryItem, known?: Message): Message {
  if (item.role === 'compaction') return new Seam(item.summary, item.entryId);
  if (item.role === 'user') {
    const isSame = known?.role === 'user' && known.prompt === item.text;
    return isSame ? new UserMessage(known.text, known, item.entryId) : questionIn(item);
  }
  const answer = answerIn(item);
  if (known?.role === 'assistant') answer.sources = known.sources;
  return answer;
}

/** Whether two messages of the same entry show the same. */
export function isAlike(one: Message, other: Message): boolean {
  if (one.role === 'user') return other.role === 'user' && one.prompt === other.prompt;
  if (one.role === 'seam') return other.role === 'seam' && one.summary === other.summary;
  if (one.role !== 'assistant' || other.role !== 'assistant') return false;
  if (one.parts.length !== other.parts.length) return false;
  // Of an answer that broke off, only what was written tells what it took.
  if (!one.usage && other.usage) return false;
  return one.parts.every((part, index) => showsSame(part, other.parts[index] as Part));
}

function showsSame(one: Part, other: Part): boolean {
  if (one.type !== 'tool') return one.type === other.type && one.text === other.text;
  if (other.type !== 'tool' || one.callId !== other.callId) return false;
  return one.state === other.state && one.output === other.output;
}

export function answerIn(item: Extract<HistoryItem, { role: 'assistant' }>): AssistantMessage {
  const message = new AssistantMessage();
  message.entryId = item.entryId;
  message.usage = item.usage ?? undefined;
  message.lane = item.lane ?? undefined;
  for (const part of item.parts) {
    if (part.type !== 'tool') {
      message.write(part.type, part.text);
      continue;
    }
    const tool = new ToolPart(part.callId, part.tool, part.args);
    tool.end(part.ok ?? false, part.result ?? '');
    message.parts.push(tool);
  }
  return message;
}
