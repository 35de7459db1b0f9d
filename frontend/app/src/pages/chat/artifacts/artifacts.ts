/** What a chat has made that stands by itself: pages, drawings, diagrams, documents, programs.
 *
 * They are blocks of code in answers, and files that the agent wrote. One that comes again under
 * its title is a version of it. Nothing is stored: they are read off the messages. */
import { fencesOf } from '../../../lib/markdown/fences';
import type { AssistantMessage, Message, ToolPart } from '../messages.svelte';
import { titleOf } from './title';

export interface Version {
  code: string;
  /** The answer that made it. */
  message: AssistantMessage;
}

export interface Artifact {
  id: string;
  title: string;
  language: string;
  versions: Version[];
}

/** Lines of code from which a block is more than an example. */
const LONG = 15;
const LOOKED_AT = new Set(['html', 'svg', 'mermaid', 'markdown', 'md']);

const BY_EXTENSION: Record<string, string> = {
  ...{ htm: 'html', js: 'javascript', ts: 'typescript', py: 'python', rs: 'rust', rb: 'ruby' },
  ...{ md: 'markdown', yml: 'yaml', sh: 'bash', mmd: 'mermaid', kt: 'kotlin', cs: 'csharp' },
};

export const isLookedAt = (language: string): boolean => LOOKED_AT.has(language);

export function artifactsOf(messages: readonly Message[]): Artifact[] {
  const found = new Map<string, Artifact>();
  const untitled = new Map<string, number>();

  function add(title: string, language: string, version: Version): void {
    const id = `${language}:${title}`;
    const known = found.get(id);
    if (known) known.versions.push(version);
    else found.set(id, { id, title, language, versions: [version] });
  }

  function addBlocks(text: string, message: AssistantMessage): void {
    for (const { language, info, code } of fencesOf(text)) {
      if (!isLookedAt(language) && code.trimEnd().split('\n').length < LONG) continue;
      const title = titleOf(language, info, code);
      if (title.own) {
        add(title.text, language, { code, message });
        continue;
      }
      const number = (untitled.get(title.text) ?? 0) + 1;
      untitled.set(title.text, number);
      add(number === 1 ? title.text : `${title.text} ${number}`, language, { code, message });
    }
  }

  function addFile(call: ToolPart, message: AssistantMessage): void {
    const path = String(call.args['path'] ?? '');
    const name = path.split('/').at(-1) ?? '';
    const extension = name.includes('.') ? (name.split('.').at(-1)?.toLowerCase() ?? '') : '';
    const language = BY_EXTENSION[extension] ?? extension;
    if (!path) return;
    if (call.tool === 'write') {
      add(path, language, { code: String(call.args['content'] ?? ''), message });
      return;
    }
    // A change to a file that was not written here shows no whole file.
    const before = found.get(`${language}:${path}`)?.versions.at(-1)?.code;
    const old = String(call.args['old_text'] ?? '');
    if (before === undefined || !old || before.split(old).length !== 2) return;
    const after = before.split(old).join(String(call.args['new_text'] ?? ''));
    add(path, language, { code: after, message });
  }

  for (const message of messages) {
    // What is being written is no artifact yet.
    if (message.role !== 'assistant' || message.streaming) continue;
    for (const part of message.parts) {
      if (part.type === 'text') addBlocks(part.text, message);
      else if (part.type === 'tool' && part.state === 'done' && /^(write|edit)$/.test(part.tool)) {
        addFile(part, message);
      }
    }
  }
  return [...found.values()];
}
