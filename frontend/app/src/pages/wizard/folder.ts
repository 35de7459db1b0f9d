/** Finds a folder that the browser can name, but not open. Only its name goes to the server, which
 * looks for it among the models of this machine; no file is read or sent. */
import { post, wordsOf } from '../../lib/http';
import { toasts } from '../../lib/toasts.svelte';

interface Resolved {
  ok: boolean;
  path?: string;
  error?: string;
}

/** relative: of a file in it, beginning with its name, where one is known. Says why it has none. */
export async function resolveFolder(name: string, relative = ''): Promise<string | undefined> {
  const body = { folder_name: name, ...(relative ? { rel_path: relative } : {}) };
  try {
    const answer = await post<Resolved>('/api/model/resolve-folder', body);
    if (answer.ok && answer.path) return answer.path;
    toasts.show(answer.error ?? 'The folder could not be found.', 'error');
  } catch (error) {
    toasts.show(wordsOf(error), 'error');
  }
  return undefined;
}

/** The name of a folder that was dropped; undefined for anything else. */
export function droppedFolder(transfer: DataTransfer | null): string | undefined {
  const entry = transfer?.items[0]?.webkitGetAsEntry();
  return entry?.isDirectory ? entry.name : undefined;
}
