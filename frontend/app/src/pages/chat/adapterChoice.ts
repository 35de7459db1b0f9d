/** Lets an adapter answer, mounting it first where that is needed. */
import { adapters, type AvailableAdapter } from '../../lib/adapters.svelte';
import { toasts } from '../../lib/toasts.svelte';
import { settings } from './settings.svelte';

/** adapter: undefined for the base model. True once it is chosen. */
export async function chooseAdapter(adapter: AvailableAdapter | undefined): Promise<boolean> {
  if (adapter && !(await adapters.mount(adapter))) return false;
  settings.setAdapter(adapter?.id);
  const who = adapter ? adapter.id : 'the base model';
  toasts.show(`Answers by ${who} from now on. Each chat reads its messages anew for it.`);
  return true;
}

/** Sees to it that what was chosen can still answer; else the base model does. */
export async function keepAdapter(): Promise<void> {
  const chosen = settings.adapter;
  if (!chosen || adapters.error) return;
  for (const id of chosen.split('+')) {
    const adapter = adapters.available?.find((each) => each.id === id);
    const canAnswer = adapter?.compatible && (await adapters.mount(adapter));
    if (settings.adapter !== chosen) return;
    if (!canAnswer) {
      settings.setAdapter(undefined);
      toasts.show(`The adapter ${id} cannot answer here: the base model does.`, 'error');
      return;
    }
  }
}
