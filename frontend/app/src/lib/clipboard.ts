import { toasts } from './toasts.svelte';

/** Copies text and says so; a page without permission says that instead. */
export async function copy(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toasts.show(what, 'ok');
  } catch {
    toasts.show('The browser does not allow copying here.', 'error');
  }
}
