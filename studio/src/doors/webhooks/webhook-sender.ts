/**
 * Webhook delivery: at least once and in order for each webhook, one request at a time, retried with back-off until it is
 * accepted.
 *
 * A webhook is a cursor in the feed, as a stream reader is; nothing is queued for it. The cursor is recorded after a request
 * was accepted, so a crash in between sends that request twice and never loses one.
 */
import { createHmac } from 'node:crypto';
import { type WebhookState, type Webhooks } from '../../operations/kernel/webhook-sending.js';
import { type Batch, type Webhook, batchFor, markTold } from '../../operations/host/deliveries.js';
import type { OperationParts } from '../../operations/kernel/context.js';

export interface WebhookOptions {
  /** Allow-list of host names, besides this machine, to which events may be sent over https. */
  readonly hosts: readonly string[];
  /** Timeout of a request. */
  readonly timeoutMs: number;
  /** Back-off after the first failure; it doubles with each, up to the maximum. */
  readonly firstWaitMs: number;
  readonly mostWaitMs: number;
}

export const WEBHOOK_DEFAULTS: WebhookOptions = {
  hosts: [],
  timeoutMs: 10_000,
  firstWaitMs: 1000,
  mostWaitMs: 300_000,
};

const MOST_EVENTS = 50;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

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
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return `${text} is no http address`;
    if (url.username !== '' || url.password !== '') return 'an address with a password in it is not kept';
    if (LOOPBACK.test(url.hostname)) return undefined;
    if (!this.#options.hosts.includes(url.hostname)) return `${url.hostname} is not among the hosts that are allowed`;
    return url.protocol === 'https:' ? undefined : 'beyond this machine only https is used';
  }

  /** Delivery loop of one webhook. Ends when it is removed, or when the host stops. */
  async #run(webhookId: string): Promise<void> {
    const shared = this.#shared!;
    let after = shared.records.webhooks.get(webhookId)?.toldUpTo ?? 0;
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      const webhook = shared.records.webhooks.get(webhookId);
      if (!webhook) break;
      const batch = batchFor(shared, webhook, after, MOST_EVENTS);
      if (batch.events.length === 0) {
        if (batch.upTo === after) await this.#sleep(undefined);
        else await new Promise((resolve) => setImmediate(resolve)); // there may be many that are not for it
        after = batch.upTo;
        continue;
      }
      const failure = await this.#send(webhook, batch);
      if (this.#stopping.signal.aborted && failure !== undefined) break;
      if (failure === undefined) {
        after = batch.upTo;
        failures = 0;
        this.#states.delete(webhookId);
        await this.#mark(webhookId, after);
      } else {
        this.#states.set(webhookId, { failures: ++failures, lastFailure: failure });
        await this.#sleep(Math.min(this.#options.firstWaitMs * 2 ** (failures - 1), this.#options.mostWaitMs), webhook);
      }
    }
    this.#states.delete(webhookId);
  }

  /** Sends one batch. Answers why it failed. */
  async #send({ webhookId, url }: Webhook, { events }: Batch): Promise<string | undefined> {
    const fault = this.faultOf(url); // what the operator allows may have changed
    if (fault !== undefined) return fault;
    const body = JSON.stringify({ webhookId, events });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const mac = createHmac('sha256', this.secretOf(webhookId)).update(`${timestamp}.${body}`).digest('hex');
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#options.timeoutMs)]);
    try {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'weft-studio',
        'weft-timestamp': timestamp,
        'weft-signature': `v1=${mac}`,
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

  async #mark(webhookId: string, upTo: number): Promise<void> {
    const shared = this.#shared!;
    try {
      await markTold(shared, webhookId, upTo);
    } catch (error) {
      // It was delivered; at worst it is sent again after a restart.
      shared.log({
        level: 'error',
        message: 'the place of a webhook could not be recorded',
        about: { webhookId },
        error,
      });
    }
  }

  /** Waits for the next event; after a failure only a change of the webhook itself cuts the wait short. */
  #sleep(ms: number | undefined, failed?: Webhook): Promise<void> {
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
