/** What the palette and the keyboard can do. Pages add theirs while they are shown. */

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
    this.list = [...this.list.filter((command) => !ids.has(command.id)), ...commands];
    return () => {
      this.list = this.list.filter((command) => !ids.has(command.id));
    };
  }

  run(id: string): boolean {
    const command = this.list.find((each) => each.id === id);
    command?.run();
    return command !== undefined;
  }
}

export const commands = new Commands();
