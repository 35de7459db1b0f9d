/** Which page is shown: the part of the address after `#/`. */

export interface Route {
  id: string;
  label: string;
  /** Shown only with the Developer switch on. */
  developer: boolean;
}

export const ROUTES: readonly Route[] = [
  { id: 'chat', label: 'Chat', developer: false },
  { id: 'quantize', label: 'Quantize', developer: true },
  { id: 'finetune', label: 'Fine-tune', developer: true },
  { id: 'dataset', label: 'Build Dataset', developer: true },
  { id: 'status', label: 'Status', developer: true },
  { id: 'routes', label: 'Routes', developer: true },
];

const FALLBACK = 'chat';

export function routeOf(hash: string): string {
  const id = hash.replace(/^#\/?/, '').split(/[/?]/)[0] ?? '';
  return ROUTES.some((route) => route.id === id) ? id : FALLBACK;
}

class Router {
  route = $state(routeOf(location.hash));

  constructor() {
    addEventListener('hashchange', () => {
      this.route = routeOf(location.hash);
    });
  }

  go(id: string): void {
    location.hash = `#/${id}`;
  }
}

export const router = new Router();
