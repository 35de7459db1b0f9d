/** Short notices that leave by themselves. */

export type Tone = 'neutral' | 'ok' | 'error';

export interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const SECONDS = 4;
const MOST = 4; // on the screen at once

class Toasts {
  list = $state<Toast[]>([]);
  #next = 0;

  show(text: string, tone: Tone = 'neutral'): void {
    const id = this.#next++;
    this.list = [...this.list, { id, text, tone }].slice(-MOST);
    setTimeout(() => this.dismiss(id), SECONDS * 1000);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
