/**
 * Courier: the one process of a cluster that tells webhooks. It is whoever owns a name in the store as rooms are owned, so a
 * courier that dies is followed by another one, and what one writes who has lost his lease is refused.
 *
 * The others bring it the names of rooms that have changed. What they could not bring it finds by comparing all logs: when it
 * begins, when a process has left or could not be reached, and every so often where one does not know these words.
 */
import type { RoomId, Telemetry } from '@weft/core';
import type { WebhookDesk } from '../webhooks/webhook-desk.js';
import type { Claims } from './claims.js';

/** Name that is owned by the courier; peers can enter none that begins so. */
export const COURIER = '~webhooks' as RoomId;

/** Webhooks that have begun to tell. */
export interface Telling extends WebhookDesk {
  changed(room: RoomId): void;
  compare(): Promise<void>;
  close(): Promise<void>;
  readonly waiting: number;
}

export interface CourierParts {
  readonly claims: Claims;
  readonly self: () => string;
  /** Tells another process; false where it cannot be reached, or would not know the word. */
  readonly tell: (process: string, what: 'changed', rooms: readonly RoomId[]) => boolean;
  readonly isThere: (process: string) => boolean;
  readonly begin: () => Promise<Telling>;
  readonly telemetry: Telemetry;
}

/** Milliseconds for which changed rooms are gathered. */
const GATHER_MS = 100;
/** Rooms that wait to be told of; beyond, all are compared. */
const MOST_WAITING = 10_000;
/** Looks between two comparisons where some process brings nothing. */
const COMPARE_EVERY = 20;

export class Courier {
  readonly #parts: CourierParts;
  readonly #waiting = new Set<RoomId>();
  #telling: Telling | undefined;
  #beginning: Promise<void> | undefined;
  #owner: string | undefined;
  #isBehind = false;
  #looks = 0;
  #gathering: NodeJS.Timeout | undefined;
  #isClosed = false;
  #hasFailed = false;

  constructor(parts: CourierParts) {
    this.#parts = parts;
  }

  /** Webhooks of this process, where it is the courier. */
  get telling(): Telling | undefined {
    return this.#telling;
  }

  /** A room has changed here. */
  changed(room: RoomId): void {
    if (this.#telling) return this.#telling.changed(room);
    if (this.#waiting.size < MOST_WAITING) this.#waiting.add(room);
    else this.#isBehind = true;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#bring();
    }, GATHER_MS).unref();
  }

  /** Another process brings rooms that have changed there; none of them where it may have brought some in vain. */
  brought(rooms: readonly RoomId[]): void {
    if (rooms.length === 0) this.compare();
    for (const room of rooms) this.#telling?.changed(room);
  }

  /** A link to a process has begun: what was said over the last one may be lost. */
  met(process: string): void {
    if (process === this.#owner) this.#isBehind = true;
    this.#bring();
  }

  /** Compares all, where this is the courier. */
  compare(): void {
    this.#telling
      ?.compare()
      .catch((error: unknown) => this.#failed('webhooks could not be compared with the logs', error));
  }

  /** Takes over from a courier that has gone. `areAllHeard`: every process brings what changes there. */
  async look(areAllHeard: boolean): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (!this.#telling && (this.#owner === undefined || !this.#parts.isThere(this.#owner))) await this.owner();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#failed('webhooks cannot be told of anything', error);
      this.#hasFailed = true;
    }
    this.#bring();
    if (!areAllHeard && this.#looks++ % COMPARE_EVERY === 0) this.compare();
  }

  /** The process that tells webhooks: this one from now on, if there is none. */
  async owner(): Promise<string> {
    const owner = await this.#parts.claims.ownerOf(COURIER);
    if (owner === this.#parts.self()) await (this.#beginning ??= this.#begin());
    else if (owner !== this.#owner) this.#isBehind = true;
    this.#owner = owner;
    return owner;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#gathering);
    await this.#beginning?.catch(() => undefined);
    await this.#telling?.close();
  }

  async #begin(): Promise<void> {
    try {
      this.#telling = await this.#parts.begin();
      this.#waiting.clear();
      this.#parts.telemetry.tell?.({ level: 'info', message: 'this process tells webhooks from now on' });
    } catch (error) {
      this.#beginning = undefined; // tried again at the next look
      throw error;
    }
  }

  #bring(): void {
    const owner = this.#owner;
    if (this.#telling || owner === undefined || (this.#waiting.size === 0 && !this.#isBehind)) return;
    if (!this.#parts.tell(owner, 'changed', this.#isBehind ? [] : [...this.#waiting])) return;
    this.#waiting.clear();
    this.#isBehind = false;
  }

  #failed(message: string, error: unknown): void {
    this.#parts.telemetry.tell?.({ level: 'warn', message, error });
  }
}
