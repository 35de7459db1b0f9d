import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { FakeSocket } from './fakeSocket';
import { ChatSocket } from './socket.svelte';

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.install();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('speaks to the host of the page', () => {
  new ChatSocket(() => undefined).open();

  expect(FakeSocket.last.url).toBe(`ws://${location.host}/ws/chat`);
});

it('sends nothing before it is open, and says so', () => {
  const socket = new ChatSocket(() => undefined);
  socket.open();

  expect(socket.send({ type: 'abort' })).toBe(false);
  FakeSocket.last.accept();
  expect(socket.send({ type: 'abort' })).toBe(true);
  expect(FakeSocket.last.sent).toEqual([{ type: 'abort' }]);
});

it('comes back after it was lost, and tells that it was', () => {
  const lost = vi.fn();
  const socket = new ChatSocket(() => undefined, lost);
  socket.open();
  FakeSocket.last.accept();

  FakeSocket.last.close();
  expect([socket.state, lost.mock.calls.length]).toEqual(['lost', 1]);
  vi.advanceTimersByTime(2200);
  FakeSocket.last.accept();

  expect(FakeSocket.all).toHaveLength(2);
  expect(socket.state).toBe('open');
});

it('stays closed once it was closed on purpose', () => {
  const socket = new ChatSocket(() => undefined);
  socket.open();
  socket.close();

  vi.advanceTimersByTime(60_000);

  expect(FakeSocket.all).toHaveLength(1);
});

it('passes on what the server says', () => {
  const heard: unknown[] = [];
  new ChatSocket((frame) => heard.push(frame)).open();

  FakeSocket.last.say({ type: 'turn_start' });

  expect(heard).toEqual([{ type: 'turn_start' }]);
});
