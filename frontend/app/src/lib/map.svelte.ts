/** Whether the server has a page that maps what it does: asked until it has answered. */
class ServerMap {
  there = $state<boolean | undefined>();

  async look(): Promise<void> {
    if (this.there !== undefined) return;
    const answer = await fetch('/dag', { method: 'HEAD' }).catch(() => undefined);
    // Any other answer is none: the server may be starting, or ask for a key first.
    if (answer?.ok) this.there = true;
    else if (answer?.status === 404) this.there = false;
  }
}

export const map = new ServerMap();
