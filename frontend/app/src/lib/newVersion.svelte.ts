/** A newer build of this app: whether there is one, and how this page becomes it. */

class NewVersion {
  /** Another build is ready, or this one lacks a part that the server no longer has. */
  isThere = $state(false);
  #registration: ServiceWorkerRegistration | undefined;

  /** Begins to keep the shell, and to look for a newer one. */
  async watch(workers: ServiceWorkerContainer | undefined = serviceWorkers()): Promise<void> {
    addEventListener('vite:preloadError', () => void this.#miss());
    if (!workers) return;
    // The first worker ever keeps what this page is made of; one that follows it, something newer.
    let hadOne = workers.controller !== null;
    workers.addEventListener('controllerchange', () => {
      if (hadOne) this.isThere = true;
      hadOne = true;
    });
    this.#registration = await workers.register('/sw.js').catch(() => undefined);
  }

  /** A part of this page could not be loaded: while the server is away, that is no other build. */
  async #miss(): Promise<void> {
    const answer = await fetch('/sw.js', { method: 'HEAD' }).catch(() => undefined);
    if (answer?.ok) this.isThere = true;
  }

  /** Asks the server; called when it may be another than before. */
  async look(): Promise<void> {
    await this.#registration?.update().catch(() => undefined);
  }

  /** Shows the newest build in the place of this one. */
  async reload(): Promise<void> {
    await this.look();
    const next = this.#registration?.installing ?? this.#registration?.waiting;
    if (next) await settled(next);
    // Where no worker may be, the browser's own cache still holds the last build.
    else await Promise.allSettled(FIXED.map((path) => fetch(path, { cache: 'reload' })));
    location.reload();
  }
}

/** Files whose names tell no build. */
const FIXED = ['/assets/app.js', '/assets/hljs.js', '/assets/hljs.css'];

/** A page over plain HTTP from another machine may have none. */
const serviceWorkers = (): ServiceWorkerContainer | undefined =>
  import.meta.env.PROD && isSecureContext ? navigator.serviceWorker : undefined;

function settled(worker: ServiceWorker): Promise<void> {
  return new Promise((done) => {
    const look = (): void => {
      if (worker.state === 'activated' || worker.state === 'redundant') done();
    };
    worker.addEventListener('statechange', look);
    look();
  });
}

export const newVersion = new NewVersion();
