/** How a webhook does, as far as this process knows. */
export interface WebhookState {
  readonly failures: number;
  readonly lastFailure?: string;
}

/** Port to the sender of webhooks: what operations ask of it. */
export interface Webhooks {
  stateOf(webhookId: string): WebhookState;
  secretOf(webhookId: string): string;
  /** Why nothing is sent to an address; undefined when it is. */
  faultOf(url: string): string | undefined;
}
