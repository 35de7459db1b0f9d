/** The message being written, and what goes with it. */
import { toasts } from '../../../lib/toasts.svelte';
import { chat } from '../chat.svelte';
import { settings, thinking } from '../settings.svelte';
import { readFile, type Attachment } from './attachments';
import { withFiles } from './prompt';

const RESET = new Set(['/new', '/clear', '/reload']);

class Composer {
  text = $state('');
  attachments = $state.raw<Attachment[]>([]);
  box: HTMLTextAreaElement | undefined;

  focus(): void {
    this.box?.focus();
  }

  put(text: string): void {
    this.text = text;
    this.focus();
  }

  toggleThinking(): void {
    settings.setThinking(!thinking.value);
  }

  async attach(files: Iterable<File>): Promise<void> {
    for (const file of files) {
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
    const images = this.attachments.flatMap((each) => (each.image ? [each.image] : []));
    const { prompt, sources } = withFiles(text, this.attachments);
    if (!chat.prompt(prompt, images, text, sources)) return;
    this.text = '';
    this.attachments = [];
  }

  /** What was chosen for one message has had its turn. */
  endOfTurn(): void {
    settings.once = undefined;
  }
}

export const composer = new Composer();
