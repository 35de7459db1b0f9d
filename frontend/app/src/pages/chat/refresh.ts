/** What a greeting makes old: it may come from a server that began anew, or after another model
 * took the place of the one before. */
import { adapters } from '../../lib/adapters.svelte';
import { identity } from '../../lib/identity.svelte';
import { library } from '../../lib/library.svelte';
import { memory } from '../../lib/memory.svelte';
import { keepAdapter } from './adapterChoice';

export async function refresh(): Promise<void> {
  await Promise.all([
    identity.refresh(),
    memory.load(),
    adapters.load().then(keepAdapter),
    // Which one is served is told there too.
    library.models ? library.load() : undefined,
  ]);
}
