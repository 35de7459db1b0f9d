/** Which artifact of the chat is looked at. */
import { MediaQuery } from 'svelte/reactivity';

import { overlays } from '../../../lib/overlays.svelte';
import { chat } from '../chat.svelte';
import type { AssistantMessage } from '../messages.svelte';
import { artifactsOf, type Artifact } from './artifacts';

class Shown {
  /** Room for the artifact beside the chat; elsewhere it lies over it. */
  readonly beside = new MediaQuery('(min-width: 1100px)', true);
  readonly all = $derived(artifactsOf(chat.messages));
  #id = $state<string | undefined>();
  /** In which of the chats, one after another, it was opened. */
  #visit = $state(0);
  /** Undefined is the newest, also of those to come. */
  #version = $state<number | undefined>();

  get artifact(): Artifact | undefined {
    if (this.#visit !== chat.visit) return undefined;
    if (!this.beside.current && !overlays.isOpen('artifacts')) return undefined;
    return this.all.find(({ id }) => id === this.#id);
  }

  /** From 0. */
  get version(): number {
    const newest = (this.artifact?.versions.length ?? 1) - 1;
    return Math.min(this.#version ?? newest, newest);
  }

  madeBy(message: AssistantMessage): { artifact: Artifact; version: number }[] {
    return this.all.flatMap((artifact) =>
      artifact.versions.flatMap((each, version) =>
        each.message === message ? [{ artifact, version }] : [],
      ),
    );
  }

  show(artifact: Artifact, version?: number): void {
    this.#id = artifact.id;
    this.#visit = chat.visit;
    this.#version = version === artifact.versions.length - 1 ? undefined : version;
    if (!this.beside.current) overlays.show('artifacts');
  }

  hide(): void {
    this.#id = undefined;
    overlays.hide('artifacts');
  }
}

export const shown = new Shown();
