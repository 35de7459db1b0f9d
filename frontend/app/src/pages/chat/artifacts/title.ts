/** What an artifact is called: by its own words where it has any. */

export interface Title {
  text: string;
  /** Its own, not that of its kind. */
  own: boolean;
}

const KINDS: Record<string, string> = {
  html: 'Page',
  svg: 'Drawing',
  mermaid: 'Diagram',
  markdown: 'Document',
  md: 'Document',
};

const FILE = /[\w./-]*\w\.[a-z]\w{0,9}/i;
const LONGEST = 80; // characters

export function titleOf(language: string, info: string, code: string): Title {
  const own = named(info) ?? within(language, code);
  if (own) return { text: own.slice(0, LONGEST), own: true };
  return { text: KINDS[language] ?? `${language || 'Text'} code`, own: false };
}

// ```python title="app.py"   or   ```python app.py
function named(info: string): string | undefined {
  return /(?:title|filename|file)=["']?([^"']+)["']?/.exec(info)?.[1] ?? FILE.exec(info)?.[0];
}

function within(language: string, code: string): string | undefined {
  if (language === 'html' || language === 'svg') {
    return /<title[^>]*>\s*([^<]+?)\s*<\/title>/i.exec(code)?.[1];
  }
  if (language === 'markdown' || language === 'md') return /^#{1,3}\s+(.+?)\s*#*$/m.exec(code)?.[1];
  if (language === 'mermaid') return /^\s*title:?\s+(.+?)\s*$/m.exec(code)?.[1];
  // A comment on the first line that is a file's name alone.
  const first = code.trimStart().split('\n', 1)[0] ?? '';
  const comment = /^(?:#|\/\/|--|;|\/\*)\s*(\S+?)\s*(?:\*\/)?$/.exec(first)?.[1];
  return comment && FILE.exec(comment)?.[0] === comment ? comment : undefined;
}
