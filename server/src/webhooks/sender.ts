/**
 * Delivery to one webhook: at least once, and for each room in the order of its log. A room's place is noted after a request
 * was accepted, so a crash in between sends that request again and loses none. Nothing is queued but the names of rooms.
 */
import type { NodeLog, RoomId, Telemetry } from '@weft/core';
import { signedPost } from '../signed-post.js';
import type { Journal, Told } from './journal.js';
import type { ReadsNodes, ToldNode } from './told-nodes.js';
import type { AddedWebhook } from './webhook-desk.js';

export interface SenderTimes {
  /** Timeout of a request. */
  readonly timeoutMs: number;
  /** Back-off after the first failure; it doubles with each, up to the maximum. */
  readonly firstWaitMs: number;
  readonly mostWaitMs: number;
}

export interface SenderParts extends SenderTimes {
  readonly nodes: ReadsNodes;
  readonly log: NodeLog;
  readonly journal: Journal;
  readonly telemetry: Pick<Telemetry, 'record' | 'tell'>;
}

/** Rooms that are told of at a time. */
const AT_ONCE = 4;

class Unreadable extends Error {}

interface Next {
  readonly from: number;
  /** Id of the node before. */
  readonly after: string | undefined;
  readonly nodes: readonly ToldNode[];
}

export class Sender {
  readonly webhook: AddedWebhook;
  readonly #url: URL;
  readonly #parts: SenderParts;
  readonly #waiting = new Set<RoomId>();
  /** Rooms that could not be read, as one that is shut: they are tried again together, and hold up nobody. */
  readonly #unreadable = new Set<RoomId>();
  readonly #busy = new Set<RoomId>();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #failures = 0;
  #lastFailure: string | undefined;
  #restUntil = 0;
  #rest: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(webhook: AddedWebhook, parts: SenderParts) {
    this.webhook = webhook;
    this.#url = new URL(webhook.url);
    this.#parts = parts;
  }

  /** Rooms of which not everything is told, failures in a row, and why the last request failed. */
  get state(): { readonly waiting: number; readonly failures: number; readonly lastFailure: string | undefined } {
    return {
      waiting: new Set([...this.#waiting, ...this.#busy, ...this.#unreadable]).size,
      failures: this.#failures,
      lastFailure: this.#lastFailure,
    };
  }

  /** Notes that a room may have something to tell. */
  changed(room: RoomId): void {
    this.#waiting.add(room);
    this.#go();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#rest);
    clearTimeout(this.#retry);
    await Promise.all(this.#running);
  }

  #go(): void {
    const restMs = this.#restUntil - performance.now();
    if (restMs > 0 && !this.#stopping.signal.aborted) {
      this.#rest ??= setTimeout(() => {
        this.#rest = undefined;
        this.#go();
      }, restMs).unref();
      return;
    }
    for (const room of this.#waiting) {
      if (this.#stopping.signal.aborted || this.#busy.size >= AT_ONCE) return;
      if (this.#busy.has(room)) continue;
      this.#waiting.delete(room);
      this.#busy.add(room);
      const running = this.#tell(room).finally(() => {
        this.#busy.delete(room);
        this.#running.delete(running);
        this.#go();
      });
      this.#running.add(running);
    }
  }

  /** Tells of a room as far as its log goes, or until a request fails. */
  async #tell(room: RoomId): Promise<void> {
    try {
      while (!this.#stopping.signal.aborted && (await this.#tellNext(room)));
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (error instanceof Unreadable) return this.#postpone(room, error);
      this.#failed(error);
      // Behind the others: a room that the receiver refuses holds up nobody else.
      this.#waiting.add(room);
    }
  }

  /** One request. Answers whether it may have left something to tell. */
  async #tellNext(room: RoomId): Promise<boolean> {
    const { journal, log } = this.#parts;
    const { id } = this.webhook;
    const told = journal.toldOf(id, room) ?? { seq: 0 };
    const head = await log.head(room);
    if (head === told.seq) return false;
    if (head === 0) {
      await this.#post({ webhook: id, room, deleted: true });
      await journal.told(id, room, { seq: 0 });
      return true;
    }
    if (head < told.seq) {
      // An older state of the room was restored; what comes after it is new.
      await journal.told(id, room, { seq: head });
      return true;
    }
    const { from, after, nodes } = await this.#next(room, told).catch((error: unknown) => {
      throw new Unreadable(`room ${room} cannot be read: ${reasonOf(error)}`, { cause: error });
    });
    const to = from + nodes.length;
    await this.#post({ webhook: id, room, from, ...(after === undefined ? {} : { after }), to, head, nodes });
    await journal.told(id, room, { seq: to, node: nodes.at(-1)!.node });
    return true;
  }

  /** What is told next: all from the beginning where the room is not the one that was told of any more. */
  async #next(room: RoomId, { seq, node }: Told): Promise<Next> {
    const { nodes } = this.#parts;
    if (seq === 0) return { from: 0, after: undefined, nodes: await nodes(room, 0) };
    const [last, ...more] = await nodes(room, seq - 1);
    const isSame = node === undefined || last!.node === node;
    return isSame
      ? { from: seq, after: last!.node, nodes: more }
      : { from: 0, after: undefined, nodes: await nodes(room, 0) };
  }

  async #post(content: object): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(this.#parts.timeoutMs)]);
    const response = await signedPost(this.#url, this.webhook.secret, content, signal);
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
    this.#parts.telemetry.record('webhook_requests_total', 1, 'taken');
    this.#failures = 0;
    this.#lastFailure = undefined;
  }

  #postpone(room: RoomId, { message }: Unreadable): void {
    this.#lastFailure = message;
    this.#unreadable.add(room);
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      for (const again of this.#unreadable) this.#waiting.add(again);
      this.#unreadable.clear();
      this.#go();
    }, this.#parts.mostWaitMs).unref();
  }

  #failed(error: unknown): void {
    const { telemetry, firstWaitMs, mostWaitMs } = this.#parts;
    telemetry.record('webhook_requests_total', 1, 'failed');
    this.#lastFailure = reasonOf(error);
    if (this.#failures === 0) {
      const about = { webhook: this.webhook.id, reason: this.#lastFailure };
      telemetry.tell?.({ level: 'warn', message: 'a webhook does not take what it is told', about });
    }
    this.#restUntil = performance.now() + Math.min(firstWaitMs * 2 ** Math.min(this.#failures++, 20), mostWaitMs);
  }
}

/** What undici says is often in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'the receiver did not answer in time';
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
