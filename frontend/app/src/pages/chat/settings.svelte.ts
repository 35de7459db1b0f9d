/** What the user chose for chats: kept in this browser, and told to the server on every greeting. */
import { codingTools } from '../../lib/preferences';
import { Stored } from '../../lib/stored.svelte';
import { chat } from './chat.svelte';
import type { Sampling } from './frames';

export type Scope = 'session' | 'next_turn';

export interface Preset {
  name: string;
  prompt: string;
  sampling: Sampling;
}

export const thinking = new Stored('thinking', true);
export const systemPrompt = new Stored('system-prompt', '');
export const presets = new Stored<Preset[]>('presets', []);
export const consentDismissed = new Stored('memory-dismissed', false);

export const PROMPT_LIMIT = 4000; // characters

class ChatSettings {
  sampling = $state<Sampling>({});
  /** For the next answer alone. */
  once = $state.raw<Sampling | undefined>();
  /** The one that the answer under way was given. */
  #spent: Sampling | undefined;
  adapter = $state<string | undefined>();
  schema = $state.raw<Record<string, unknown> | undefined>();
  logprobs = $state(false);

  get isSampled(): boolean {
    return isChosen(this.sampling);
  }

  /** What waits for the next answer, unless the one under way has it. */
  get armed(): Sampling | undefined {
    return this.once === this.#spent ? undefined : this.once;
  }

  beginTurn(): void {
    this.#spent = this.once;
  }

  /** What was chosen for the answer has had its turn; what was chosen amid it waits for the next. */
  endTurn(): void {
    if (this.once === this.#spent) this.once = undefined;
    this.#spent = undefined;
    // The server lets go of it where an answer fails. What waits there has taken it by now.
    if (this.once && !chat.busy) this.setSampling(this.once, 'next_turn');
  }

  setSampling(values: Sampling, scope: Scope): void {
    if (scope === 'next_turn') this.once = isChosen(values) ? values : undefined;
    else this.sampling = values;
    chat.socket.send({ type: 'set_sampling', scope, ...blank, ...values });
  }

  setPrompt(text: string): void {
    systemPrompt.value = text.slice(0, PROMPT_LIMIT);
    chat.socket.send({ type: 'set_system_prompt', text: systemPrompt.value.trim() || null });
  }

  setThinking(enabled: boolean): void {
    thinking.value = enabled;
    chat.socket.send({ type: 'set_thinking', enabled });
  }

  /** From the next chat on: one under way keeps the tools it began with. */
  setCodingTools(enabled: boolean): void {
    codingTools.value = enabled;
    chat.socket.send({ type: 'set_coding_tools', enabled });
  }

  setAdapter(id: string | undefined): void {
    this.adapter = id;
    chat.socket.send({ type: 'set_adapter', id: id ?? null });
  }

  setSchema(schema: Record<string, unknown> | undefined): void {
    this.schema = schema;
    chat.socket.send({ type: 'set_structured', schema: schema ?? null });
  }

  setLogprobs(enabled: boolean): void {
    this.logprobs = enabled;
    chat.socket.send({ type: 'set_logprobs', enabled });
  }
}

const isChosen = (values: Sampling): boolean =>
  Object.values(values).some((value) => value !== null && value !== undefined);

/** Every field, unset: what is not chosen has to be taken back. */
const blank: Sampling = {
  temperature: null,
  top_p: null,
  top_k: null,
  min_p: null,
  xtc_probability: null,
  xtc_threshold: null,
  repetition_penalty: null,
  repetition_context_size: null,
  presence_penalty: null,
  frequency_penalty: null,
  seed: null,
};

export const settings = new ChatSettings();

/** Tells a new connection everything that it cannot know. */
export function greet(): void {
  settings.setThinking(thinking.value);
  settings.setCodingTools(codingTools.value);
  settings.setPrompt(systemPrompt.value);
  if (settings.isSampled) settings.setSampling(settings.sampling, 'session');
  if (settings.armed) settings.setSampling(settings.armed, 'next_turn');
  if (settings.adapter) settings.setAdapter(settings.adapter);
  if (settings.schema) settings.setSchema(settings.schema);
  if (settings.logprobs) settings.setLogprobs(true);
}
