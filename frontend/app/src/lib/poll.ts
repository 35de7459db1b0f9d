/** Calls `ask` now and then every so often, one call at a time, and rests while the page is
 * hidden. Returns what ends it. A failed call is `ask`'s own affair. */
export function poll(ask: () => Promise<void>, milliseconds: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = true;
  let asking = false;

  async function turn(): Promise<void> {
    clearTimeout(timer);
    if (!running || asking) return;
    asking = true;
    if (!document.hidden) await ask().catch(() => undefined);
    asking = false;
    if (running) timer = setTimeout(turn, milliseconds);
  }

  const wake = (): void => void (document.hidden || turn());
  document.addEventListener('visibilitychange', wake);
  void turn();
  return () => {
    running = false;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', wake);
  };
}
