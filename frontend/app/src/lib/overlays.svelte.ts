/** What lies over the page. Only the topmost one has the keyboard. */

class Overlays {
  /** Names of what is open, the topmost last. */
  open = $state<string[]>([]);
  /** What an overlay was opened for, such as an article; given by its opener. */
  subject = $state<string | undefined>();

  show(name: string, subject?: string): void {
    this.subject = subject;
    this.open = [...this.open.filter((other) => other !== name), name];
  }

  hide(name: string): void {
    this.open = this.open.filter((other) => other !== name);
  }

  toggle(name: string): void {
    if (this.isOpen(name)) this.hide(name);
    else this.show(name);
  }

  isOpen(name: string): boolean {
    return this.open.includes(name);
  }

  isTop(name: string): boolean {
    return this.open.at(-1) === name;
  }
}

export const overlays = new Overlays();
