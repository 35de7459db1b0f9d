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
