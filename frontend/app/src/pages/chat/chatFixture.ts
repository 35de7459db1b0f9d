/** For tests: a chat on a connection that a test speaks through. */
import { afterEach, beforeEach, vi } from 'vitest';

import { toasts } from '../../lib/toasts.svelte';
import { Chat } from './chat.svelte';
import { FakeSocket } from './fakeSocket';
import type { ServerFrame } from './frames';
import { UserMessage, type AssistantMessage, type ToolPart } from './messages.svelte';

export const READY: ServerFrame = {
  type: 'ready',
  model: 'owner/tiny',
  vision: false,
  audio: false,
  thinking: true,
  genDefaults: {},
};

/** Another one for each test. */
export let chat: Chat;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.install();
  toasts.list = [];
  chat = new Chat();
  chat.socket.open();
  FakeSocket.last.accept();
});
afterEach(() => {
  chat.socket.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

export const say = (text: string): boolean => chat.prompt(new UserMessage(text));
export const hear = (...frames: ServerFrame[]): void =>
  frames.forEach((frame) => chat.receive(frame));
export const answer = (): AssistantMessage => chat.answer as AssistantMessage;
export const call = (id = 'c1'): ToolPart => answer().call(id) as ToolPart;
export const sent = (type: string): unknown[] =>
  FakeSocket.last.sent.filter((frame) => frame.type === type);

/** What the page shows, message by message. */
export const thread = (): string[] =>
  chat.messages.map((message) =>
    message.role === 'user' || message.role === 'assistant' ? message.text : message.role,
  );

export const sessions = (activePath?: string): ServerFrame => ({
  type: 'sessions',
  items: [],
  ...(activePath ? { activePath } : {}),
});
/** What the server tells of a question that has no other beside it. */
export const named = (entryId: string): ServerFrame => ({
  type: 'siblings',
  entryId,
  index: 0,
  count: 1,
  siblingIds: [entryId],
});
/** What the server tells of a chat that was entered. */
export const entered = (path?: string): ServerFrame[] => [
  { type: 'history', items: [] },
  { type: 'siblings', index: 0, count: 0, siblingIds: [] },
  { type: 'coding_tools', active: false, pending: false },
  sessions(path),
];

export function comeBack(): void {
  FakeSocket.last.close();
  vi.advanceTimersByTime(2200);
  FakeSocket.last.accept();
}
