/** What the palette and the keyboard can do. Pages add theirs while they are shown. */
import { untrack } from 'svelte';

export interface Command {
  id: string;
  label: string;
  run: () => void;
  /** As shown to the user: `⌘⇧O`. */
  keys?: string;
}

class Commands {
  list = $state.raw<Command[]>([]);

  /** Returns what takes them away again. */
  add(commands: Command[]): () => void {
    const ids = new Set(commands.map((command) => command.id));
    // An effect that adds commands is not to run again because there are more.
    const others = (): Command[] =>
      untrack(() => this.list.filter((command) => !ids.has(command.id)));
    this.list = [...others(), ...commands];
    return () => {
      this.list = others();
    };
  }

  run(id: string): boolean {
    const command = this.list.find((each) => each.id === id);
    command?.run();
    return command !== undefined;
  }
}

export const commands = new Commands();
