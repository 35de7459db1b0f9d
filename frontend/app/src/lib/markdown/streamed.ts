/** Markdown that grows at its end: what cannot change any more is not parsed again. */
import type { Env } from 'markdown-it';

import { blocks, type Block } from './parser';

export class StreamedMarkdown {
  /** HTML of each block; all but the last stay as they are. */
  blocks: string[] = [];
  #source = '';
  #fixed: string[] = [];
  #tail = 0; // where the last block begins
  #env: Env;

  /** citations: how many passages the text may name by their numbers. */
  constructor(private readonly citations = 0) {
    this.#env = { citations };
  }

  /** Takes in the whole text so far, which is longer than before, or another text. */
  update(source: string): string[] {
    if (!source.startsWith(this.#source)) this.#restart();
    this.#source = source;
    const tail = source.slice(this.#tail);
    const found = blocks(tail, this.#env);
    this.blocks = [...this.#fixed, ...found.map((block) => block.html)];
    // Only the last block can take in what follows: a line, an item, a row.
    const last = found.at(-1);
    if (last && found.length > 1) this.#fix(tail, found, last);
    return this.blocks;
  }

  /** The text is whole: renders it once more from its beginning, as if it had come at once. */
  finish(source: string): string[] {
    this.#restart();
    this.#source = source;
    this.blocks = blocks(source, this.#env).map((block) => block.html);
    return this.blocks;
  }

  #fix(tail: string, found: Block[], last: Block): void {
    this.#fixed.push(...found.slice(0, -1).map((block) => block.html));
    let at = 0;
    for (let line = 0; line < last.line; line++) at = tail.indexOf('\n', at) + 1;
    this.#tail += at;
  }

  #restart(): void {
    this.#fixed = [];
    this.#tail = 0;
    this.#env = { citations: this.citations };
  }
}
