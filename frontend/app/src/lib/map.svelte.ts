/** Whether the server has a page that maps what it does: asked once. */
class ServerMap {
  there = $state<boolean | undefined>();

  async look(): Promise<void> {
    if (this.there !== undefined) return;
    const answer = await fetch('/dag', { method: 'HEAD' }).catch(() => undefined);
    this.there = answer?.ok ?? false;
  }
}

export const map = new ServerMap();
