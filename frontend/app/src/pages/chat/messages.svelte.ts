/** What the thread shows: messages, and what each is made of. */
import type { Attachment } from './composer/attachments';
import type { Image, TokenScore, Usage } from './frames';

export type ToolState = 'running' | 'asking' | 'done' | 'failed' | 'denied';

export class TextPart {
  readonly type = 'text';
  text = $state('');
}

export class ThinkingPart {
  readonly type = 'thinking';
  text = $state('');
}

/** What the server gives a call as its result that the user did not allow. */
const DENIED = /^Denied(?: by user\.|: the user did not answer)/;
const LIVE_TAIL = 8000; // characters of a running tool's output that are shown
const FINAL_TAIL = 12_000;

export class ToolPart {
  readonly type = 'tool';
  state = $state<ToolState>('running');
  args = $state.raw<Record<string, unknown>>({});
  output = $state('');
  /** What the user was asked, and how it ended. */
  edited = $state(false);

  constructor(
    readonly callId: string,
    readonly tool: string,
    args: Record<string, unknown>,
  ) {
    this.args = args;
  }

  print(chunk: string): void {
    this.output = (this.output + chunk).slice(-LIVE_TAIL);
  }

  end(ok: boolean, result: string): void {
    this.output = result.slice(-FINAL_TAIL);
    // A question that nobody answered in time was denied by the server.
    if (!ok && (this.state === 'asking' || DENIED.test(result))) this.state = 'denied';
    if (this.state !== 'denied') this.state = ok ? 'done' : 'failed';
  }

  /** Nothing more comes of it. */
  breakOff(): void {
    if (this.state === 'running' || this.state === 'asking') this.state = 'failed';
  }
}

export type Part = TextPart | ThinkingPart | ToolPart;

/** A source that was given with a question, for the `[n]` of its answer. */
export interface Source {
  file: string;
  start: number;
  end: number;
  text: string;
}

/** A file whose text went with a question: whole, or in passages that were looked up in it. */
export interface SentFile {
  name: string;
  mode: 'inline' | 'retrieval';
}

/** What goes with the words of a question. */
interface With {
  /** All that the model reads. */
  prompt: string;
  /** What stands in it before the words. */
  before: string;
  files: readonly SentFile[];
  sources: Source[];
  images: readonly Image[];
  /** The files themselves, while this page has them. */
  attachments: readonly Attachment[];
}

export class UserMessage {
  readonly role = 'user';
  readonly prompt: string;
  readonly before: string;
  readonly files: readonly SentFile[];
  readonly sources: Source[];
  readonly images: readonly Image[];
  readonly attachments: readonly Attachment[];
  entryId = $state<string | undefined>();

  /** text: what the user wrote, which alone is shown. */
  constructor(
    readonly text: string,
    extra: Partial<With> = {},
    entryId?: string,
  ) {
    this.prompt = extra.prompt ?? text;
    this.before = extra.before ?? '';
    this.files = extra.files ?? [];
    this.sources = extra.sources ?? [];
    this.images = extra.images ?? [];
    this.attachments = extra.attachments ?? [];
    this.entryId = entryId;
  }
}

/** How an answer ended, as far as it is known. */
export interface TurnEnd {
  lane?: string | null;
  usage?: Usage | null;
  entryId?: string | null;
}

export class AssistantMessage {
  readonly role = 'assistant';
  parts = $state<Part[]>([]);
  streaming = $state(false);
  usage = $state.raw<Usage | undefined>();
  lane = $state<string | undefined>();
  scores = $state.raw<TokenScore[] | undefined>();
  sources = $state.raw<Source[]>([]);
  firstTokenMs = $state<number | undefined>();
  tokensPerSecond = $state<number | undefined>();
  entryId = $state<string | undefined>();

  get text(): string {
    return this.parts
      .filter((part) => part.type === 'text')
      .map((part) => part.text)
      .join('\n\n');
  }

  get isEmpty(): boolean {
    return this.parts.every((part) => part.type !== 'tool' && !part.text.trim());
  }

  write(type: 'text' | 'thinking', delta: string): void {
    const last = this.parts.at(-1);
    if (last?.type === type) {
      last.text += delta;
      return;
    }
    this.parts.push(type === 'text' ? new TextPart() : new ThinkingPart());
    this.write(type, delta);
  }

  /** It is whole, or as far as it came: calls that did not end never will. */
  end({ lane, usage, entryId }: TurnEnd): void {
    this.streaming = false;
    this.lane = lane ?? undefined;
    this.usage = usage ?? undefined;
    this.entryId = entryId ?? undefined;
    for (const part of this.parts) if (part.type === 'tool') part.breakOff();
  }

  call(callId: string): ToolPart | undefined {
    return this.parts.find((part) => part.type === 'tool' && part.callId === callId) as
      ToolPart | undefined;
  }
}

/** Where earlier messages were put in short. */
export class Seam {
  readonly role = 'seam';

  /** Nothing is known of it while the chat in which it was made is still open. */
  constructor(
    readonly summary?: string,
    readonly entryId?: string,
  ) {}
}

/** Something that went wrong, told where it happened. */
export class Problem {
  readonly role = 'problem';

  constructor(readonly text: string) {}
}

export type Message = UserMessage | AssistantMessage | Seam | Problem;
