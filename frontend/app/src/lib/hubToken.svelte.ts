/** Whether a token of the Hub is kept; the token itself never comes back from the server. */
import { get, post } from './http';

class HubToken {
  /** undefined: not known. */
  saved = $state<boolean | undefined>();

  async load(): Promise<void> {
    const answer = await get<{ hasToken: boolean }>('/api/settings/hf-token').catch(
      () => undefined,
    );
    this.saved = answer?.hasToken;
  }

  /** Throws what the server said against it. */
  async save(token: string): Promise<void> {
    await post('/api/settings/hf-token', { token });
    this.saved = true;
  }
}

export const hubToken = new HubToken();
