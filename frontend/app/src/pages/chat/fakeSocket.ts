/** For tests: a WebSocket that a test opens, speaks through and closes. */
import { vi } from 'vitest';

import type { ClientFrame, ServerFrame } from './frames';

export class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: ClientFrame[] = [];
  onopen: () => void = () => undefined;
  onclose: () => void = () => undefined;
  onmessage: (event: { data: string }) => void = () => undefined;

  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }

  /** Puts it in the place of the browser's. */
  static install(): void {
    FakeSocket.all = [];
    vi.stubGlobal('WebSocket', FakeSocket);
  }

  static get last(): FakeSocket {
    const last = FakeSocket.all.at(-1);
    if (!last) throw new Error('no socket was opened');
    return last;
  }

  accept(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }

  say(frame: ServerFrame): void {
    this.onmessage({ data: JSON.stringify(frame) });
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientFrame);
  }

  close(): void {
    this.readyState = 3;
    this.onclose();
  }
}
