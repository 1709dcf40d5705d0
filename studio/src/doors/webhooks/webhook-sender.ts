/**
 * Webhook delivery: at least once and in order for each webhook, one request at a time, retried with back-off until it is
 * accepted.
 *
 * A webhook about events is a cursor in the feed, as a stream reader is; nothing is queued for it. The cursor is recorded after a
 * request was accepted, so a crash in between sends that request twice and never loses one. One about what needs a person is told
 * of one item at a time, under an id that is recorded before: sent twice, it says so itself.
 */
import { createHmac } from 'node:crypto';
import { type WebhookState, type Webhooks, webhookFault } from '../../operations/kernel/webhook-sending.js';
import { itemToTell, markTaken } from '../../operations/host/attention-deliveries.js';
import { type Webhook, batchFor, markTold } from '../../operations/host/deliveries.js';
import type { OperationParts } from '../../operations/kernel/context.js';

export interface WebhookOptions {
  /** Allow-list of host names, besides this machine, to which events may be sent over https. */
  readonly hosts: readonly string[];
  /** Timeout of a request. */
  readonly timeoutMs: number;
  /** Back-off after the first failure; it doubles with each, up to the maximum. */
  readonly firstWaitMs: number;
  readonly mostWaitMs: number;
  /** Rest between two looks at what needs a person, which is a fold over the record. */
  readonly restMs: number;
}

export const WEBHOOK_DEFAULTS: WebhookOptions = {
  hosts: [],
  timeoutMs: 10_000,
  firstWaitMs: 1000,
  mostWaitMs: 300_000,
  restMs: 1000,
};

/** Request that is due, and what is recorded when it was taken. */
interface Delivery {
  readonly body: object;
  /** Id that is the same each time it is sent. */
  readonly deliveryId?: string;
  taken(): Promise<void>;
}

const MOST_EVENTS = 50;

export class WebhookSender implements Webhooks {
  /** Follows the webhook aggregate, so that new ones are noticed. */
  readonly aggregate = { name: 'webhook' } as const;
  readonly #options: WebhookOptions;
  readonly #hostSecret: string;
  readonly #states = new Map<string, WebhookState>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #wakes = new Set<() => void>();
  #shared: OperationParts | undefined;
  #stopFollowing: () => void = () => undefined;

  /** Derives each webhook's key from the host's secret, so that none has to be stored. */
  constructor(hostSecret: string, options: WebhookOptions) {
    this.#hostSecret = hostSecret;
    this.#options = options;
  }

  start(shared: OperationParts): void {
    this.#shared = shared;
    this.#stopFollowing = shared.ledger.feed.onEvent(() => this.#wake());
    this.fold();
  }

  async stop(): Promise<void> {
    this.#stopFollowing();
    this.#stopping.abort();
    this.#wake();
    await Promise.all(this.#running.values());
  }

  fold(): 'folded' {
    for (const { webhookId } of this.#shared?.records.webhooks.all() ?? []) {
      if (this.#running.has(webhookId) || this.#stopping.signal.aborted) continue;
      const run = this.#run(webhookId).finally(() => this.#running.delete(webhookId));
      this.#running.set(webhookId, run);
    }
    this.#wake();
    return 'folded';
  }

  stateOf(webhookId: string): WebhookState {
    return this.#states.get(webhookId) ?? { failures: 0 };
  }

  secretOf(webhookId: string): string {
    return createHmac('sha256', this.#hostSecret).update(`webhook ${webhookId}`).digest('hex');
  }

  faultOf(text: string): string | undefined {
    return webhookFault(text, this.#options.hosts);
  }

  /** Delivery loop of one webhook. Ends when it is removed, or when the host stops. */
  async #run(webhookId: string): Promise<void> {
    const shared = this.#shared!;
    const cursor = { after: shared.records.webhooks.get(webhookId)?.toldUpTo ?? 0 };
    // Deliveries that were taken, and that the disk did not take.
    const unrecorded = new Set<string>();
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      const webhook = shared.records.webhooks.get(webhookId);
      if (!webhook) break;
      const seen = shared.ledger.feed.last;
      const isAboutEvents = webhook.about !== 'attention';
      let failure: string | undefined;
      try {
        const delivery = isAboutEvents
          ? this.#eventsFor(webhook, cursor)
          : await this.#itemFor(webhook, (id) => unrecorded.has(id));
        if (!delivery) {
          if (!isAboutEvents) await this.#sleep(this.#options.restMs, webhook);
          const isSame = shared.ledger.feed.last === seen && shared.records.webhooks.get(webhookId) === webhook;
          if (isSame) await this.#sleep(undefined);
          continue;
        }
        if (delivery === 'others') {
          await new Promise((resolve) => setImmediate(resolve)); // there may be many that are not for it
          continue;
        }
        failure = await this.#send(webhook, delivery);
        if (failure === undefined) {
          if (delivery.deliveryId !== undefined) unrecorded.add(delivery.deliveryId);
          failures = 0;
          this.#states.delete(webhookId);
          await this.#mark(webhookId, delivery);
        }
      } catch (error) {
        failure = messageOf(error);
      }
      if (failure === undefined) continue;
      if (this.#stopping.signal.aborted) break;
      this.#states.set(webhookId, { failures: ++failures, lastFailure: failure });
      await this.#sleep(Math.min(this.#options.firstWaitMs * 2 ** (failures - 1), this.#options.mostWaitMs), webhook);
    }
    this.#states.delete(webhookId);
  }

  /** Next events of a webhook: `others` where those that were looked at are not for it. */
  #eventsFor(webhook: Webhook, cursor: { after: number }): Delivery | 'others' | undefined {
    const shared = this.#shared!;
    const { webhookId } = webhook;
    const { events, upTo } = batchFor(shared, webhook, cursor.after, MOST_EVENTS);
    if (events.length === 0) {
      if (upTo === cursor.after) return undefined;
      cursor.after = upTo;
      return 'others';
    }
    return {
      body: { webhookId, events },
      taken: async () => {
        cursor.after = upTo;
        await markTold(shared, webhookId, upTo);
      },
    };
  }

  async #itemFor(webhook: Webhook, isTaken: (deliveryId: string) => boolean): Promise<Delivery | undefined> {
    const shared = this.#shared!;
    const due = await itemToTell(shared, webhook, isTaken);
    return due && { ...due, taken: () => markTaken(shared, webhook.webhookId, due.item) };
  }

  /** Sends what is due. Answers why it failed. */
  async #send(webhook: Webhook, { body: given, deliveryId }: Delivery): Promise<string | undefined> {
    const { webhookId, url, credentialRef } = webhook;
    const fault = this.faultOf(url); // what the operator allows may have changed
    if (fault !== undefined) return fault;
    const key = credentialRef === undefined ? undefined : await this.#shared!.credentials.keyOf(credentialRef);
    if (credentialRef !== undefined && key === undefined)
      return `the key ${credentialRef} is missing: weft key set ${credentialRef}`;
    const body = JSON.stringify(given);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const mac = createHmac('sha256', this.secretOf(webhookId)).update(`${timestamp}.${body}`).digest('hex');
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#options.timeoutMs)]);
    try {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'weft-studio',
        'weft-timestamp': timestamp,
        'weft-signature': `v1=${mac}`,
        ...(deliveryId === undefined ? {} : { 'weft-delivery': deliveryId, 'idempotency-key': deliveryId }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      };
      // A redirect could lead to an address that is not allowed.
      const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      await answer.body?.cancel();
      return answer.ok ? undefined : `it answered ${answer.status}`;
    } catch (error) {
      if (signal.aborted && !this.#stopping.signal.aborted) return 'it did not answer in time';
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return cause instanceof Error ? cause.message || cause.name : String(cause);
    }
  }

  async #mark(webhookId: string, delivery: Delivery): Promise<void> {
    try {
      await delivery.taken();
    } catch (error) {
      // It was delivered; at worst it is sent again after a restart.
      this.#shared!.log({
        level: 'error',
        message: 'the place of a webhook could not be recorded',
        about: { webhookId },
        error,
      });
    }
  }

  /** Waits for the next event; after a failure, or at rest, only a change of the webhook itself cuts the wait short. */
  #sleep(ms: number | undefined, failed?: Webhook): Promise<void> {
    if (this.#stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        const isSame = failed && this.#shared?.records.webhooks.get(failed.webhookId) === failed;
        if (isSame && !this.#stopping.signal.aborted) return;
        done();
      };
      const done = (): void => {
        clearTimeout(timer);
        this.#wakes.delete(wake);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      this.#wakes.add(wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
