/** What an operator may do with webhooks of rooms. */

export interface WantedWebhook {
  readonly url: string;
  /** Glob over ids of rooms. */
  readonly rooms: string;
  /** Whether it is told of what there is already, too. */
  readonly fromStart: boolean;
}

export interface AddedWebhook {
  readonly id: string;
  readonly url: string;
  readonly rooms: string;
  /** What requests are signed with. */
  readonly secret: string;
}

export interface ListedWebhook {
  readonly id: string;
  readonly url: string;
  readonly rooms: string;
  /** Rooms of which not everything was told. */
  readonly waiting: number;
  /** Requests in a row that were not taken. */
  readonly failures: number;
  readonly lastFailure?: string | undefined;
}

export interface WebhookDesk {
  list(): ListedWebhook[];
  /** Rejects for an address that others could read, and beyond the limit. */
  add(wanted: WantedWebhook): Promise<AddedWebhook>;
  /** Rejects when it is not there. */
  remove(id: string): Promise<void>;
}
