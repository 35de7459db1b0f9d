/** The connection to `/ws/chat`: opened once, and again whenever it was lost. */
import type { ClientFrame, ServerFrame } from './frames';

export type SocketState = 'connecting' | 'open' | 'lost';

const RETRY_MILLISECONDS = 2200;

export class ChatSocket {
  state = $state<SocketState>('connecting');
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #receive: (frame: ServerFrame) => void;
  readonly #onlost: () => void;

  /** onlost: called when a connection is gone that was not closed on purpose. */
  constructor(receive: (frame: ServerFrame) => void, onlost: () => void = () => undefined) {
    this.#receive = receive;
    this.#onlost = onlost;
  }

  open(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}/ws/chat`);
    this.#socket = socket;
    socket.onopen = () => {
      this.state = 'open';
    };
    socket.onmessage = (event) => {
      this.#receive(JSON.parse(String(event.data)) as ServerFrame);
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.state = 'lost';
      this.#onlost();
      this.#timer = setTimeout(() => this.open(), RETRY_MILLISECONDS);
    };
  }

  /** Sends a frame; false, and nothing sent, while there is no connection. */
  send(frame: ClientFrame): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }
}
