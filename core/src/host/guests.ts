/**
 * Guests: the connections of a host, whichever room each is in. Whoever has to go is told so here, when a room is taken away, a
 * credential is revoked, or the host stops.
 */
import type { Rights } from '../access/rights.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Clock } from '../ports/clock.js';
import type { Rejection } from '../rejection.js';
import { comeBackLater } from './spread.js';
import { wavesOf } from './waves.js';

/** A connection, as far as it concerns the end of the host. */
export interface Guest {
  readonly roomId: RoomId;
  /** Tells it to go. */
  end(): void;
  /** Tells it to go and to come again, if it has entered its room: that is another one from now on. */
  comeAgain(reason: string): void;
  /** Hears nothing of it any more. Once it has the answers to all that it has sent so far, it is told what that resolves to, and to go. */
  dismiss(farewell: Promise<Farewell>): void;
  /** What waits to be sent to it. */
  readonly waitingBytes: number;
  /** Tells it to go for a while, once it has the answers to all that it has sent so far. */
  retire(reason: string): Promise<void>;
  /** Resolves when whatever it had sent is dealt with. */
  settled(): Promise<unknown>;
  readonly rights: Rights;
  /** Asks the authentication hook again, if it was asked about this one. */
  recheck(): Promise<void>;
  /** Sends it away if it is here by a credential of that subject made before that Unix second; whether it was. */
  revoke(subject: string, before: number): boolean;
}

/** Last words to a connection: why it has to go, or for a while. */
export type Farewell = { readonly refusal: Rejection } | { readonly comeAgain: string };

export class Guests {
  readonly #all = new Set<Guest>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): Iterator<Guest> {
    return this.#all.values();
  }

  add(guest: Guest): void {
    this.#all.add(guest);
  }

  /** False where it had gone already. */
  delete(guest: Guest): boolean {
    return this.#all.delete(guest);
  }

  /** Whether anybody is in a room. */
  isAnyIn(id: RoomId): boolean {
    for (const { roomId } of this.#all) if (roomId === id) return true;
    return false;
  }

  dismiss(id: RoomId, farewell: Promise<Farewell>): void {
    for (const guest of this.#all) if (guest.roomId === id) guest.dismiss(farewell);
  }

  /** The room begins anew: whoever has entered it has to come again. */
  comeAgain(id: RoomId): void {
    const guests = [...this.#all].filter(({ roomId }) => roomId === id);
    for (const guest of guests) guest.comeAgain(comeBackLater(guests.length, 'the room begins anew'));
  }

  /** Sends away who is here by a credential of that subject made before that Unix second; answers how many that were. [AU12] */
  revoke(subject: string, before: number): number {
    return [...this.#all].filter((guest) => guest.revoke(subject, before)).length;
  }

  /** Asks the authentication hook again about those who are here by its word. [AU11] */
  async recheck({ room, subject }: { readonly room?: string; readonly subject?: string }): Promise<void> {
    const meant = [...this.#all].filter(
      ({ roomId, rights }) => (room ?? roomId) === roomId && (subject === undefined || rights.subject === subject),
    );
    await Promise.all(meant.map((guest) => guest.recheck()));
  }

  /**
   * Sends everybody away for a while, in waves over so many milliseconds, each with the answers to all that he has sent so far. No new
   * ones may come. [ER4]
   */
  async drain(overMs: number, clock: Clock): Promise<void> {
    const all = this.#all.size;
    const { waves, everyMs } = wavesOf(this.#all, overMs);
    const retiring: Promise<unknown>[] = [];
    for (const [at, wave] of waves.entries()) {
      if (at > 0) await new Promise<void>((resolve) => clock.after(everyMs, resolve));
      retiring.push(Promise.all(wave.map((guest) => guest.retire(comeBackLater(all)))));
    }
    await Promise.all(retiring);
  }

  /** Sends everybody away; resolves when all that they had sent is dealt with. */
  async end(): Promise<void> {
    const guests = [...this.#all];
    for (const guest of guests) guest.end();
    await Promise.all(guests.map((guest) => guest.settled()));
  }
}
