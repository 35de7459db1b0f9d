/** One chat: what the server's frames make of it, and what the user can do. */
import { toasts } from '../../lib/toasts.svelte';
import type {
  ClientFrame,
  GenDefaults,
  HistoryItem,
  Image,
  ServerFrame,
  SessionItem,
  Spotlight,
} from './frames';
import {
  AssistantMessage,
  messageOf,
  Problem,
  ToolPart,
  UserMessage,
  type Message,
  type Source,
} from './messages.svelte';
import { Pace } from './pace';
import { ChatSocket } from './socket.svelte';

interface Served {
  model: string;
  vision: boolean;
  audio: boolean;
  thinking: boolean;
  genDefaults: GenDefaults;
}

interface Siblings {
  entryId?: string | null;
  index: number;
  count: number;
  siblingIds: string[];
}

export class Chat {
  messages = $state<Message[]>([]);
  streaming = $state(false);
  served = $state.raw<Served | undefined>();
  queued = $state.raw<{ steering: string[]; followUp: string[] }>({ steering: [], followUp: [] });
  sessions = $state.raw<SessionItem[] | undefined>();
  activePath = $state<string | undefined>();
  siblings = $state.raw<Siblings | undefined>();
  window = $state.raw<
    { tokens: number | null; size: number; percent: number | null } | undefined
  >();
  codingTools = $state.raw({ active: false, pending: false });
  alwaysAllow = $state.raw<string[]>([]);
  temporary = $state(false);
  /** What the model was given with the question under way. */
  sources: Source[] = [];

  readonly socket: ChatSocket;
  /** Called with each greeting of the server: what it has to be told of this page. */
  onready: () => void = () => undefined;
  /** Called when an answer ended, well or not. */
  onend: () => void = () => undefined;
  onnavigate: (route: string) => void = () => undefined;
  onspotlight: (spotlight: Spotlight) => void = () => undefined;

  #pace = new Pace();
  #reopen: string | undefined;

  constructor() {
    this.socket = new ChatSocket((frame) => this.receive(frame));
  }

  get #isBlank(): boolean {
    return this.messages.length === 0 && this.activePath === undefined;
  }

  get answer(): AssistantMessage | undefined {
    const last = this.messages.at(-1);
    return last?.role === 'assistant' ? last : undefined;
  }

  get lastUser(): UserMessage | undefined {
    return this.messages.findLast((message) => message.role === 'user');
  }

  /** Sends a frame, or says why it cannot be sent. */
  send(frame: ClientFrame): boolean {
    if (this.socket.send(frame)) return true;
    toasts.show('The server is not connected. Your text stays here.', 'error');
    return false;
  }

  /** text: for the model; shown: for the thread, where files are left out. */
  prompt(text: string, images: Image[] = [], shown = text, sources: Source[] = []): boolean {
    if (!this.send({ type: 'prompt', text, images })) return false;
    if (!this.streaming) {
      this.sources = sources;
      this.messages.push(new UserMessage(shown, images));
    }
    return true;
  }

  regenerate(): void {
    if (this.send({ type: 'regenerate' })) this.#dropAnswers();
  }

  editResend(text: string): void {
    if (!this.send({ type: 'edit_resend', text })) return;
    this.#dropAnswers();
    this.messages.pop();
    this.messages.push(new UserMessage(text));
  }

  /** Takes a question, or a whole answer, out of the chat. */
  remove(message: UserMessage | AssistantMessage): void {
    if (message.entryId) this.send({ type: 'delete_message', entryId: message.entryId });
  }

  start(temporary = false): void {
    if (!this.send({ type: 'new_session', temporary })) return;
    this.temporary = temporary;
    this.#clear();
  }

  openSession(path: string): void {
    if (this.send({ type: 'open_session', path })) this.temporary = false;
  }

  receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'ready':
        this.served = frame;
        this.onready();
        this.#reopen = this.activePath ?? this.#reopen;
        if (this.#reopen) this.socket.send({ type: 'open_session', path: this.#reopen });
        this.socket.send({ type: 'list_sessions' });
        break;
      case 'turn_start':
        this.#begin();
        break;
      case 'text_delta':
      case 'thinking_delta':
        this.#pace.token();
        this.#current().write(frame.type === 'text_delta' ? 'text' : 'thinking', frame.delta);
        break;
      case 'tool_start':
      case 'tool_approval_request':
        this.#tool(frame.callId, frame.tool, frame.args).state =
          frame.type === 'tool_start' ? 'running' : 'asking';
        break;
      case 'tool_update':
        this.answer?.call(frame.callId)?.print(frame.chunk);
        break;
      case 'tool_end':
        this.answer?.call(frame.callId)?.end(frame.ok, frame.result);
        break;
      case 'logprobs':
        if (this.answer) this.answer.scores = frame.tokens;
        break;
      case 'turn_end':
        if (this.answer) this.answer.entryId = frame.entryId ?? undefined;
        this.#end(frame.lane ?? undefined, frame.usage ?? undefined);
        break;
      case 'error':
        this.#fail(frame.message);
        break;
      default:
        this.#about(frame);
    }
  }

  /** Frames about the chat as a whole. */
  #about(frame: ServerFrame): void {
    switch (frame.type) {
      case 'queue_update':
        this.#queue(frame.steering, frame.followUp);
        break;
      case 'history':
        this.#show(frame.items);
        break;
      case 'sessions':
        this.sessions = frame.items;
        this.activePath = frame.activePath ?? undefined;
        break;
      case 'siblings':
        this.siblings = frame;
        if (this.lastUser) this.lastUser.entryId = frame.entryId ?? undefined;
        break;
      case 'context':
        this.window = { ...frame, size: frame.contextWindow };
        break;
      case 'coding_tools':
        this.codingTools = frame;
        // What was chosen is for the next chat; one in which nothing was said becomes that.
        if (frame.active !== frame.pending && this.#isBlank) this.start(this.temporary);
        break;
      case 'tool_approvals':
        this.alwaysAllow = frame.alwaysAllow;
        break;
      case 'ui_navigate':
        this.onnavigate(frame.route);
        break;
      case 'ui_spotlight':
        this.onspotlight(frame);
        break;
    }
  }

  #begin(): void {
    this.streaming = true;
    this.#pace = new Pace();
    const answer = new AssistantMessage();
    answer.streaming = true;
    answer.sources = this.sources;
    this.messages.push(answer);
  }

  #current(): AssistantMessage {
    if (!this.answer?.streaming) this.#begin();
    return this.answer as AssistantMessage;
  }

  #tool(callId: string, tool: string, args: Record<string, unknown>): ToolPart {
    const answer = this.#current();
    const known = answer.call(callId);
    if (known) {
      known.edited ||= JSON.stringify(known.args) !== JSON.stringify(args);
      known.args = args;
      return known;
    }
    answer.parts.push(new ToolPart(callId, tool, args));
    return answer.parts.at(-1) as ToolPart;
  }

  #end(lane: string | undefined, usage: AssistantMessage['usage']): void {
    const answer = this.answer;
    if (answer?.streaming) {
      answer.streaming = false;
      answer.lane = lane;
      answer.usage = usage;
      answer.firstTokenMs = this.#pace.firstMs;
      answer.tokensPerSecond = this.#pace.rate(usage?.completion_tokens);
      if (answer.isEmpty) this.messages.pop();
    }
    this.streaming = false;
    this.sources = [];
    this.onend();
  }

  #fail(message: string): void {
    toasts.show(message, 'error');
    this.#end(undefined, undefined);
    this.messages.push(new Problem(message));
  }

  // A message that waited is shown when its turn comes.
  #queue(steering: string[], followUp: string[]): void {
    const before = this.queued.followUp;
    const next = before[0];
    if (next !== undefined && followUp.length === before.length - 1 && followUp[0] !== next) {
      this.messages.push(new UserMessage(next));
    }
    this.queued = { steering, followUp };
  }

  #show(items: HistoryItem[]): void {
    this.messages = items.map(messageOf);
    this.streaming = false;
  }

  #dropAnswers(): void {
    while (this.messages.length && this.messages.at(-1)?.role !== 'user') this.messages.pop();
  }

  #clear(): void {
    this.messages = [];
    this.streaming = false;
    this.siblings = this.window = this.activePath = undefined;
    this.#reopen = undefined;
    this.queued = { steering: [], followUp: [] };
  }
}

export const chat = new Chat();
