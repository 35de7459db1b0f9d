/** The message being written, and what goes with it. */
import { tick } from 'svelte';

import { toasts } from '../../../lib/toasts.svelte';
import { chat } from '../chat.svelte';
import { questionOf } from '../question';
import { settings, thinking } from '../settings.svelte';
import { readFile, type Attachment } from './attachments';

const RESET = new Set(['/new', '/clear', '/reload']);

class Composer {
  text = $state('');
  attachments = $state.raw<Attachment[]>([]);
  /** Where the caret stands in the text. */
  caret = $state(0);
  /** The file that was just named, for its chip to show. */
  pulsed = $state.raw<Attachment | undefined>();
  box: HTMLTextAreaElement | undefined;

  focus(): void {
    this.box?.focus();
  }

  /** Puts a text in the place of a part of the message, and the caret behind it. */
  async replace(start: number, end: number, text: string): Promise<void> {
    this.text = this.text.slice(0, start) + text + this.text.slice(end);
    this.caret = start + text.length;
    await tick();
    this.focus();
    this.box?.setSelectionRange(this.caret, this.caret);
  }

  async pulse(attachment: Attachment): Promise<void> {
    this.pulsed = undefined;
    await tick();
    this.pulsed = attachment;
  }

  put(text: string): void {
    this.text = text;
    this.caret = text.length;
    this.focus();
  }

  toggleThinking(): void {
    settings.setThinking(!thinking.value);
  }

  async attach(files: Iterable<File>): Promise<void> {
    // The list of a file picker empties while the first file is read.
    for (const file of [...files]) {
      const read = await readFile(file, chat.served?.vision ?? false);
      if (read.ok) this.attachments = [...this.attachments, read.attachment];
      else toasts.show(read.reason, 'error');
    }
  }

  detach(attachment: Attachment): void {
    this.attachments = this.attachments.filter((other) => other !== attachment);
  }

  send(): void {
    const text = this.text.trim();
    if (RESET.has(text)) {
      chat.start();
      this.text = '';
      return;
    }
    if (!text && this.attachments.length === 0) return;
    if (!chat.prompt(questionOf(text, this.attachments))) return;
    this.text = '';
    this.attachments = [];
  }
}

export const composer = new Composer();
