/** What an artifact is saved as. */
import type { Artifact } from './artifacts';

const EXTENSIONS: Record<string, string> = {
  ...{ markdown: 'md', mermaid: 'mmd', python: 'py', javascript: 'js', typescript: 'ts' },
  ...{ bash: 'sh', shell: 'sh', rust: 'rs', ruby: 'rb', kotlin: 'kt', csharp: 'cs', '': 'txt' },
};

export function fileNameOf({ title, language }: Pick<Artifact, 'title' | 'language'>): string {
  const last = title.split('/').at(-1) ?? '';
  const name = last.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  const extension = EXTENSIONS[language] ?? language.replaceAll(/[^a-z0-9]/g, '');
  return /\.[a-z]\w{0,9}$/i.test(name) ? name : `${name || 'artifact'}.${extension || 'txt'}`;
}
