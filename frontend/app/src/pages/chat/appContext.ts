/** Tells the server where the user is, whenever that changes. */
import { overlays } from '../../lib/overlays.svelte';
import { router } from '../../lib/router.svelte';
import { snapshot } from '../../lib/snapshot';
import { wizardStep } from '../wizard/step.svelte';
import { chat } from './chat.svelte';
import type { AppContext } from './frames';

const VIEWS: Record<string, NonNullable<AppContext['view']>> = {
  memory: 'memory-panel',
  hub: 'hub-panel',
  adapters: 'adapters-panel',
};
const SETTLE = 200; // milliseconds until what was opened is drawn

export function appContext(): AppContext {
  const route = router.route;
  const view = overlays.open.map((name) => VIEWS[name]).findLast((each) => each !== undefined);
  const step = wizardStep.byRoute[route];
  return {
    route,
    ...(view ? { view } : {}),
    ...(step ? { step: { ...step } } : {}),
    snapshot: { route, capturedAt: new Date().toISOString(), elements: snapshot() },
  };
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Sends the context once the page has settled; several changes at once are one. */
export function tellContext(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    chat.socket.send({ type: 'context', context: appContext() });
  }, SETTLE);
}
