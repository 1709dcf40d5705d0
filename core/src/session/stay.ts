/**
 * Stay of a session in its room: the lease that keeps the room in memory for as long as the connection lasts, and the place of its hello
 * among those that are worked on.
 */
import type { Place } from '../host/joins.js';
import { ComeBack } from '../rejection.js';
import type { Lease, Tenancy } from '../tenancy/tenancy.js';
import type { SessionParts } from './parts.js';

export class Stay {
  readonly #parts: SessionParts;
  #lease: Promise<Lease> | undefined;
  #place: Place | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Whether the room was asked for. */
  get isAsked(): boolean {
    return this.#lease !== undefined;
  }

  /** Queue of hellos: sessions opened by the application do not stand in it, since it decides itself how many begin at once. */
  async awaitTurn(): Promise<void> {
    if (this.#parts.vouched === undefined) this.#place = await this.#parts.rooms.joins.take();
  }

  /** The hello has been dealt with: another one may be. */
  endTurn(): void {
    this.#place?.leave();
    this.#place = undefined;
  }

  /** Waits for something that is slow for reasons of others, and has no place among the hellos meanwhile. */
  outside<T>(task: () => Promise<T>): Promise<T> {
    return this.#place ? this.#place.outside(task) : task();
  }

  /** The room, opened once for all who wait for it. */
  enter(): Promise<Tenancy> {
    const { rooms, roomId } = this.#parts;
    return rooms.isOpening(roomId) ? this.outside(() => this.#enter()) : this.#enter();
  }

  async #enter(): Promise<Tenancy> {
    const { rooms, roomId } = this.#parts;
    this.#lease ??= rooms.enter(roomId);
    const entering = this.#lease;
    try {
      return (await entering).tenancy;
    } catch (error) {
      // One that was refused for now may be let in by the next word.
      if (error instanceof ComeBack && this.#lease === entering) this.#lease = undefined;
      throw error;
    }
  }

  /** Goes on with a lease that the host gives, unless the room was asked for meanwhile. */
  goOn(lease: Lease): void {
    if (this.#lease) lease.release();
    else this.#lease = Promise.resolve(lease);
  }

  /** The host has taken the room out of memory: there is nothing to be released any more. */
  forget(): void {
    this.#lease = undefined;
  }

  leave(): void {
    this.#lease?.then(
      ({ release }) => release(),
      () => undefined, // it could not be opened: whoever asked was told
    );
    this.#lease = undefined;
  }
}
