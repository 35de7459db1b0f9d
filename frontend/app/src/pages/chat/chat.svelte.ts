/** One chat: what the server's frames make of it, and what the user can do. */
import { toasts } from '../../lib/toasts.svelte';
import type {
  ClientFrame,
  GenDefaults,
  HistoryItem,
  ServerFrame,
  SessionItem,
  Spotlight,
} from './frames';
import { isAlike, messageIn } from './history';
import {
  AssistantMessage,
  Problem,
  Seam,
  ToolPart,
  UserMessage,
  type Message,
  type TurnEnd,
} from './messages.svelte';
import { Outbox } from './outbox.svelte';
import { Pace } from './pace';
import { reworded } from './question';
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

const NOTHING_WAITS = { steering: [], followUp: [] };

export class Chat {
  messages = $state<Message[]>([]);
  streaming = $state(false);
  served = $state.raw<Served | undefined>();
  queued = $state.raw<{ steering: string[]; followUp: string[] }>(NOTHING_WAITS);
  sessions = $state.raw<SessionItem[] | undefined>();
  activePath = $state<string | undefined>();
  siblings = $state.raw<Siblings | undefined>();
  window = $state.raw<
    { tokens: number | null; size: number; percent: number | null } | undefined
  >();
  codingTools = $state.raw({ active: false, pending: false });
  alwaysAllow = $state.raw<string[]>([]);
  temporary = $state(false);

  readonly socket: ChatSocket;
  /** Called with each greeting of the server: what it has to be told of this page. */
  onready: () => void = () => undefined;
  /** Called when an answer began. */
  onbegin: () => void = () => undefined;
  /** Called when an answer ended, well or not. */
  onend: () => void = () => undefined;
  onnavigate: (route: string) => void = () => undefined;
  onspotlight: (spotlight: Spotlight) => void = () => undefined;

  /** The connection was lost, and the chat is not here again yet. */
  returning = $state(false);
  /** Counts the chats that were shown, one after another. */
  visit = $state(0);

  #pace = new Pace();
  /** The connection has not been greeted on yet. */
  #fresh = true;
  /** How many chats were asked for that are not here yet. */
  #entering = 0;
  /** The answer that is being written. */
  #turn: AssistantMessage | undefined;
  /** What went wrong with it, if the next frame about it is its end. */
  #trouble: string | undefined;
  readonly #outbox = new Outbox();

  constructor() {
    this.socket = new ChatSocket(
      (frame) => this.receive(frame),
      () => this.#lose(),
    );
  }

  get #isBlank(): boolean {
    const isNew = this.activePath === undefined && this.#entering === 0 && !this.returning;
    return isNew && this.messages.length === 0;
  }

  /** Something was asked that is not answered to its end. */
  get busy(): boolean {
    return this.streaming || !this.#outbox.isEmpty;
  }

  get answer(): AssistantMessage | undefined {
    if (this.#turn) return this.#turn;
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

  /** Asks for an answer, or says why that cannot be. */
  #ask(frame: ClientFrame): boolean {
    if (!this.returning || this.socket.state !== 'open') return this.send(frame);
    toasts.show('The chat is not back yet. Your text stays here.', 'error');
    return false;
  }

  prompt(question: UserMessage): boolean {
    const { prompt: text, images } = question;
    if (!this.#ask({ type: 'prompt', text, images: [...images] })) return false;
    // What waits for another answer is shown when its own begins.
    if (!this.busy) this.messages.push(question);
    this.#outbox.add(question);
    return true;
  }

  /** Ends the answer, and drops what waits for it. */
  abort(): void {
    if (this.send({ type: 'abort' })) this.#outbox.drop();
  }

  regenerate(): void {
    const question = this.lastUser;
    if (!question) return;
    if (this.#isUnwritten(question)) {
      this.#promptInstead(question, question);
      return;
    }
    if (!this.#ask({ type: 'regenerate' })) return;
    this.#dropAnswers();
    this.#outbox.add(question);
  }

  /** Puts the last question in other words; its files stay with it. False where it cannot be. */
  editResend(text: string): boolean {
    const before = this.lastUser;
    const question = before && reworded(before, text);
    if (!question) return false;
    if (this.busy) {
      toasts.show('An answer is under way. Your text stays here.', 'error');
      return false;
    }
    if (this.#isUnwritten(before)) return this.#promptInstead(before, question);
    if (!this.#ask({ type: 'edit_resend', text: question.prompt })) return false;
    this.#dropAnswers();
    this.messages.pop();
    this.messages.push(question);
    this.#outbox.add(question);
    return true;
  }

  /** The server has no such question: its own last one is another, maybe that of another tab. */
  #isUnwritten(question: UserMessage): boolean {
    // One that is being answered is named when it is written.
    if (question.entryId || this.busy) return false;
    const since = this.messages.slice(this.messages.indexOf(question));
    return !since.some((message) => message.role === 'assistant');
  }

  /** Puts a question as a new one, in the place of one that came to nothing. */
  #promptInstead(unwritten: UserMessage, question: UserMessage): boolean {
    const before = this.messages.slice(0, this.messages.indexOf(unwritten));
    if (!this.prompt(question)) return false;
    this.messages = [...before, question];
    return true;
  }

  /** Takes a question, or a whole answer, out of the chat. */
  remove(message: UserMessage | AssistantMessage): void {
    if (message.entryId) this.send({ type: 'delete_message', entryId: message.entryId });
  }

  start(temporary = false): void {
    if (!this.#enter({ type: 'new_session', temporary })) return;
    this.temporary = temporary;
    this.#clear();
  }

  openSession(path: string): void {
    this.#enter({ type: 'open_session', path });
  }

  /** Goes on in a copy of a chat. */
  fork(path: string): void {
    this.#enter({ type: 'fork_session', path });
  }

  deleteSession(path: string): void {
    if (!this.send({ type: 'delete_session', path }) || path !== this.activePath) return;
    this.#outbox.drop();
    this.window = undefined;
    this.visit++;
  }

  /** Asks for another chat; it is here when its history is. */
  #enter(frame: ClientFrame): boolean {
    if (!this.send(frame)) return false;
    this.#entering++;
    this.#outbox.drop();
    this.queued = NOTHING_WAITS;
    this.window = undefined;
    return true;
  }

  receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'ready':
        this.served = frame;
        this.onready();
        // It comes again where another model answers from now on.
        if (this.#fresh) this.#return();
        this.#fresh = false;
        this.socket.send({ type: 'list_sessions' });
        break;
      case 'error':
        this.#fail(frame.message);
        break;
      default:
        this.#about(frame);
    }
  }

  /** Frames about the answer under way. */
  #answering(frame: ServerFrame): void {
    // What comes of a chat that is no longer shown, until the next one is here.
    if (this.#entering > 0 && !this.#turn) return;
    // It goes on. (Scores are told of an answer that is over.)
    if (frame.type !== 'turn_end' && frame.type !== 'logprobs') this.#trouble = undefined;
    switch (frame.type) {
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
        this.#end(frame);
        break;
    }
  }

  /** Frames about the chat as a whole. */
  #about(frame: ServerFrame): void {
    switch (frame.type) {
      case 'queue_update':
        this.queued = frame;
        this.#outbox.told(frame.followUp);
        break;
      case 'history':
        this.#show(frame.items);
        break;
      case 'sessions':
        this.sessions = frame.items;
        if (this.#entering === 0) this.activePath = frame.activePath ?? undefined;
        if (this.activePath) this.temporary = false;
        this.#settle();
        break;
      case 'siblings':
        this.#name(frame);
        break;
      case 'context':
        this.window = { ...frame, size: frame.contextWindow };
        if (frame.tokens === null) this.#putInShort();
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
      default:
        this.#answering(frame);
    }
  }

  /** The newest question is on the disk: that which is answered next, if one is. */
  #name(siblings: Siblings): void {
    this.siblings = siblings;
    const question = (this.streaming ? undefined : this.#outbox.first) ?? this.lastUser;
    // A question that is still on its way does not take the name of the one before it.
    const isKnown = this.messages.some(
      (message) =>
        message !== question && message.role === 'user' && message.entryId === siblings.entryId,
    );
    if (question && !isKnown) question.entryId = siblings.entryId ?? undefined;
  }

  #begin(): void {
    const question = this.#outbox.next();
    if (question && !this.messages.includes(question)) this.messages.push(question);
    this.streaming = true;
    this.#pace = new Pace();
    this.#turn = new AssistantMessage();
    this.#turn.streaming = true;
    this.#turn.sources = this.lastUser?.sources ?? [];
    this.messages.push(this.#turn);
    this.onbegin();
  }

  /** Amid an answer, no number of tokens means that what came before it was put in short. */
  #putInShort(): void {
    const answer = this.#turn;
    if (!answer) return;
    const seam = new Seam();
    if (answer.isEmpty) {
      this.messages.splice(this.messages.indexOf(answer), 0, seam);
      return;
    }
    // What was said so far stands before it, as it will when the chat is opened again.
    const rest = new AssistantMessage();
    rest.streaming = true;
    rest.sources = answer.sources;
    answer.end({});
    this.#turn = rest;
    this.messages.push(seam, rest);
  }

  #current(): AssistantMessage {
    if (!this.#turn) this.#begin();
    return this.#turn as unknown as AssistantMessage;
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

  #end(how: TurnEnd): void {
    const answer = this.#turn;
    this.#turn = undefined;
    this.streaming = false;
    if (answer) {
      answer.end(how);
      answer.firstTokenMs = this.#pace.firstMs;
      answer.tokensPerSecond = this.#pace.rate(how.usage?.completion_tokens);
      if (answer.isEmpty) this.messages = this.messages.filter((other) => other !== answer);
    } else {
      this.#endUnbegun();
    }
    if (this.#trouble) this.messages.push(new Problem(this.#trouble));
    this.#showRefused();
    this.#trouble = undefined;
    this.#settle();
    if (answer) this.onend();
  }

  // An answer that failed is ended by the frame that follows; any other error is none of its
  // business.
  #fail(message: string): void {
    toasts.show(message, 'error');
    if (this.#entering > 0) {
      this.#stay();
      return;
    }
    const next = this.#outbox.first;
    if (!this.#turn && next && this.messages.includes(next)) {
      this.#outbox.next();
      this.messages.push(new Problem(message));
    } else if (this.#turn || next) {
      this.#trouble = message;
      this.#outbox.doubt(message, this.queued.followUp);
    }
  }

  /** What the server would not have wait for the answer stands below it, to be put once more. */
  #showRefused(): void {
    for (const [question, message] of this.#outbox.refused(this.queued.followUp)) {
      this.messages.push(question);
      if (message !== this.#trouble) this.messages.push(new Problem(message));
    }
  }

  /** A turn that ended before an answer began: its question is shown if it was put. */
  #endUnbegun(): void {
    const next = this.#outbox.first;
    if (!next) return;
    const isShown = this.messages.includes(next);
    if (!isShown && !next.entryId && !this.#trouble) return;
    this.#outbox.next();
    if (!isShown) this.messages.push(next);
  }

  /** Lets go of what the server has dropped: its queue is empty, and what it did has ended. */
  #settle(): void {
    if (this.queued.followUp.length === 0) this.#outbox.dropped();
  }

  /** The connection is gone, and with it the answer and what waited for it. */
  #lose(): void {
    this.#outbox.clear();
    this.queued = NOTHING_WAITS;
    this.#trouble = undefined;
    this.#entering = 0;
    this.#fresh = this.returning = true;
    if (this.#turn) this.#end({});
  }

  /** A new connection begins in a new chat, whatever the page shows. */
  #return(): void {
    if (this.temporary) {
      if (this.messages.length)
        toasts.show('The connection was lost, and the temporary chat with it.');
      this.start(true);
    } else if (this.activePath) {
      this.openSession(this.activePath);
    } else {
      this.returning = false;
      if (this.messages.length)
        toasts.show('The connection was lost. What was said is in the list of chats.');
      this.#clear();
    }
  }

  /** The chat that was asked for cannot be had. */
  #stay(): void {
    this.#entering--;
    this.#outbox.keep();
    if (!this.returning || this.#entering > 0) return;
    this.returning = false;
    this.#clear();
  }

  #show(items: HistoryItem[]): void {
    const isSame = this.#entering === 0 || this.returning;
    if (this.#entering > 0) {
      this.#entering--;
      this.#outbox.dropped();
      this.visit++;
    } else {
      // It was meant for a chat that is gone.
      this.#outbox.forgotten(this.queued.followUp);
    }
    this.returning = this.#entering > 0 && this.returning;
    this.messages = this.#read(items, isSame);
    this.#leave();
  }

  /**
   * Files and passages are on no disk: they stay with what this page has shown before.
   *
   * isSame: of the chat that is shown, whose rows stay as they are where nothing has changed.
   */
  #read(items: HistoryItem[], isSame: boolean): Message[] {
    const shown: Record<string, Message> = Object.fromEntries(
      this.messages.flatMap((message) =>
        message.role !== 'problem' && message.entryId ? [[message.entryId, message]] : [],
      ),
    );
    return items.map((item) => {
      const known = shown[item.entryId];
      const told = messageIn(item, known);
      return isSame && known && isAlike(known, told) ? known : told;
    });
  }

  #dropAnswers(): void {
    while (this.messages.length && this.messages.at(-1)?.role !== 'user') this.messages.pop();
  }

  #clear(): void {
    this.messages = [];
    this.#outbox.clear();
    this.siblings = this.activePath = undefined;
    this.visit++;
    this.#leave();
  }

  /** The answer under way is shown no longer, and the frame that ends it finds nothing. */
  #leave(): void {
    const had = this.#turn;
    this.#turn = this.#trouble = undefined;
    this.streaming = false;
    if (had) this.onend();
  }
}

export const chat = new Chat();
