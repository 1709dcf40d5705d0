import { addressFault } from '../../workspace/files/allowed-address.js';

/** Health of a webhook, as far as this process knows. */
export interface WebhookState {
  readonly failures: number;
  readonly lastFailure?: string;
}

/** Port to the sender of webhooks: what operations ask of it. */
export interface Webhooks {
  stateOf(webhookId: string): WebhookState;
  secretOf(webhookId: string): string;
  /** Why nothing may be sent to an address; undefined when it may. */
  faultOf(url: string): string | undefined;
}

/** What is wrong with the address of a webhook; undefined where the operator allows it. */
export function webhookFault(url: string, hosts: readonly string[]): string | undefined {
  return addressFault(url, hosts);
}
