/** What the palette and the keyboard can do. Pages add theirs while they are shown. */
import { untrack } from 'svelte';

export interface Command {
  id: string;
  label: string;
  run: () => void;
  /** As shown to the user: `⌘⇧O`. */
  keys?: string;
  /** Whether it leaves open what lies over the page; the others lead away from there. */
  stays?: boolean;
  /** What is found, where it is no command: a chat, say. */
  kind?: string;
}

/** What else can be found by words: asked once nothing was typed for a moment. */
export type Finder = (query: string) => Command[] | Promise<Command[]>;

class Commands {
  list = $state.raw<Command[]>([]);
  finders = $state.raw<Finder[]>([]);

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

  /** Returns what takes it away again. */
  addFinder(finder: Finder): () => void {
    const others = (): Finder[] => untrack(() => this.finders.filter((other) => other !== finder));
    this.finders = [...others(), finder];
    return () => {
      this.finders = others();
    };
  }

  run(id: string): boolean {
    const command = this.list.find((each) => each.id === id);
    command?.run();
    return command !== undefined;
  }
}

export const commands = new Commands();
