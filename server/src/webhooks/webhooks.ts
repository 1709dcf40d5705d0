/** Webhooks of rooms: an operator names an address and a pattern, and the address is told what such rooms have become. */
import { randomBytes, randomUUID } from 'node:crypto';
import { type NodeLog, type Notes, type RoomId, Glob, isReserved } from '@weft/core';
import { ConfigError } from '../config/config-error.js';
import { secureUrl } from '../entry/secure-url.js';
import { InvalidInput, NotThere, OperatorError } from '../operator/define.js';
import { FileJournal } from './file-journal.js';
import { Journal } from './journal.js';
import { NotedJournal } from './noted-journal.js';
import { type SenderParts, type SenderTimes, Sender } from './sender.js';
import type { AddedWebhook, ListedWebhook, WantedWebhook, WebhookDesk } from './webhook-desk.js';

const MOST_WEBHOOKS = 16;
const TIMES: SenderTimes = { timeoutMs: 10_000, firstWaitMs: 1000, mostWaitMs: 300_000 };

/** Rooms whose heads are asked for at once. */
const ROOMS_AT_ONCE = 5000;

export interface WebhooksOptions {
  /** File or notes in which they are kept; in memory without either. */
  readonly path?: string | undefined;
  readonly notes?: Notes | undefined;
  /** Heads of many rooms by one question, where the store answers it. */
  readonly heads?: ((rooms: readonly RoomId[]) => Promise<ReadonlyMap<RoomId, number>>) | undefined;
  /** Logs of the store; the host must write by way of `followedStore` and `changed`. */
  readonly log: () => NodeLog;
  readonly times?: SenderTimes;
}

export class Webhooks implements WebhookDesk {
  readonly #journal: Journal;
  readonly #log: () => NodeLog;
  readonly #times: SenderTimes;
  readonly #senders = new Map<string, { readonly glob: Glob; readonly sender: Sender }>();
  readonly #heads: WebhooksOptions['heads'];
  #parts: Pick<SenderParts, 'nodes' | 'telemetry'> | undefined;
  #adding: Promise<unknown> = Promise.resolve();

  private constructor(journal: Journal, { log, heads, times = TIMES }: WebhooksOptions) {
    this.#journal = journal;
    this.#heads = heads;
    this.#log = log;
    this.#times = times;
  }

  static async open(options: WebhooksOptions): Promise<Webhooks> {
    const { path, notes } = options;
    const journal = notes ? NotedJournal.open(notes) : path === undefined ? new Journal() : FileJournal.open(path);
    return new Webhooks(await journal, options);
  }

  /** Begins to tell: first what has happened while nobody did. */
  async start(parts: Pick<SenderParts, 'nodes' | 'telemetry'>): Promise<void> {
    this.#parts = parts;
    for (const webhook of this.#journal.webhooks.values()) this.#begin(webhook);
    await this.compare();
  }

  /** Compares all logs with what was told: finds what nobody has heard of. */
  async compare(): Promise<void> {
    if (this.#senders.size === 0) return;
    const found = new Set<RoomId>();
    for await (const [room, head] of this.#allHeads()) {
      found.add(room);
      for (const { glob, sender } of this.#senders.values())
        if (glob.matches(room) && this.#journal.toldOf(sender.webhook.id, room)?.seq !== head) sender.changed(room);
    }
    // Rooms that were deleted meanwhile are in no list of rooms.
    for (const { sender } of this.#senders.values())
      for (const room of this.#journal.toldRooms(sender.webhook.id)) if (!found.has(room)) sender.changed(room);
  }

  async *#allHeads(): AsyncGenerator<readonly [RoomId, number]> {
    const log = this.#log();
    let rooms: RoomId[] = [];
    for await (const room of log.rooms()) {
      if (isReserved(room)) continue;
      if (!this.#heads) yield [room, await log.head(room)];
      else if (rooms.push(room) === ROOMS_AT_ONCE) {
        yield* await this.#heads(rooms);
        rooms = [];
      }
    }
    if (this.#heads && rooms.length > 0) yield* await this.#heads(rooms);
  }

  /** Notes that a room has changed. */
  changed(room: RoomId): void {
    if (this.#senders.size === 0 || isReserved(room)) return;
    for (const { glob, sender } of this.#senders.values()) if (glob.matches(room)) sender.changed(room);
  }

  list(): ListedWebhook[] {
    return [...this.#journal.webhooks.values()].map(({ id, url, rooms }) => {
      const state = this.#senders.get(id)?.sender.state ?? { waiting: 0, failures: 0, lastFailure: undefined };
      return { id, url, rooms, ...state };
    });
  }

  /** Rooms of which some webhook has not been told everything. */
  get waiting(): number {
    return [...this.#senders.values()].reduce((sum, { sender }) => sum + sender.state.waiting, 0);
  }

  /** Adds one, which is told of everything from now on, or of what there is already, too. */
  add(wanted: WantedWebhook): Promise<AddedWebhook> {
    const added = this.#adding.then(async () => {
      if (this.#journal.webhooks.size >= MOST_WEBHOOKS)
        throw new OperatorError(`there are ${MOST_WEBHOOKS} webhooks already; remove one first`);
      const { url, rooms } = wanted;
      const [glob, address] = [new Glob(rooms), addressOf(url)];
      const webhook = { id: randomUUID(), url: address.href, rooms, secret: randomBytes(32).toString('hex') };
      const known = new Map<RoomId, number>();
      if (!wanted.fromStart)
        for await (const [room, head] of this.#allHeads()) if (glob.matches(room)) known.set(room, head);
      await this.#journal.add(webhook, known);
      if (this.#parts) {
        this.#begin(webhook);
        await this.compare();
      }
      return webhook;
    });
    this.#adding = added.catch(() => undefined);
    return added;
  }

  async remove(id: string): Promise<void> {
    if (!this.#journal.webhooks.has(id))
      throw new NotThere(`there is no webhook ${id}; weft webhook list shows those there are`);
    const { sender } = this.#senders.get(id) ?? {};
    this.#senders.delete(id);
    await sender?.stop();
    await this.#journal.remove(id);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#senders.values()].map(({ sender }) => sender.stop()));
    this.#senders.clear();
    await this.#journal.close();
  }

  #begin(webhook: AddedWebhook): void {
    const parts = { ...this.#parts!, ...this.#times, log: this.#log(), journal: this.#journal };
    this.#senders.set(webhook.id, { glob: new Glob(webhook.rooms), sender: new Sender(webhook, parts) });
  }
}

function addressOf(url: string): URL {
  try {
    return secureUrl(url, 'url');
  } catch (error) {
    if (error instanceof ConfigError) throw new InvalidInput(error.message);
    throw error;
  }
}
