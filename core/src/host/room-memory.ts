/**
 * Memory for rooms: those in which nothing happens leave it, after a while, or at once where another room needs it. They are looked
 * through now and then, and what of their history is due is given up on the way.
 */
import type { RoomId } from '../codec/bytes/room-id.js';
import { ComeBack } from '../rejection.js';
import type { GivingUp } from './giving-up.js';
import type { HostParts } from './parts.js';
import type { OpenRoom, RoomsInMemory } from './rooms-in-memory.js';
import { sumOf } from './sum.js';

/** Share of the memory for rooms that is in use after rooms were put to sleep for want of it. */
const LEFT_SHARE = 0.9;
/** Rooms are not looked through again within so many milliseconds when that was in vain. */
const PRESSED_MS = 250;
/** Who is refused for want of memory comes back within so many milliseconds. */
const FULL_MS = 30_000;
/** Sweeps in the time that a room may be idle. */
const SWEEPS = 5;

export class RoomMemory {
  readonly #parts: HostParts;
  readonly #rooms: RoomsInMemory;
  readonly #givingUp: GivingUp;
  #cancelSweep: (() => void) | undefined;
  /** Rooms being put to sleep because there is too little memory. */
  #pressing: Promise<void> | undefined;
  /** When that was last over, in vain. */
  #pressedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: HostParts, rooms: RoomsInMemory, givingUp: GivingUp) {
    this.#parts = parts;
    this.#rooms = rooms;
    this.#givingUp = givingUp;
    rooms.onBegun(() => {
      if (!this.#cancelSweep) this.#sweepLater();
    });
  }

  get bytes(): number {
    return sumOf(this.#rooms, ([, { ready }]) => ready?.room.weight ?? 0);
  }

  /** Puts rooms to sleep in which nothing happens, the longest silent first; refuses where that was not enough. [LM11] */
  async makeSpace(): Promise<void> {
    const { limits, clock } = this.#parts;
    if (this.bytes < limits.hostRoomsBytes) return;
    if (clock.now() - this.#pressedAt > PRESSED_MS)
      this.#pressing ??= this.#press(limits.hostRoomsBytes * LEFT_SHARE).finally(() => (this.#pressing = undefined));
    await this.#pressing;
    if (this.bytes < limits.hostRoomsBytes) return;
    this.#pressedAt = clock.now();
    const wait = Math.ceil(FULL_MS * (0.2 + 0.8 * Math.random()));
    throw new ComeBack('server-full', 'the server has no memory for another room just now', wait);
  }

  async #press(enough: number): Promise<void> {
    const before = this.#rooms.size;
    const quiet = (room: OpenRoom): number =>
      Math.max(room.idleSince, ...(room.ready?.members ?? []).map(({ silentSince }) => silentSince ?? Infinity));
    const byQuiet = [...this.#rooms].map(([id, room]) => ({ id, room, since: quiet(room) }));
    byQuiet.sort((a, b) => a.since - b.since);
    for (const { id, room } of byQuiet) {
      if (this.bytes <= enough) break;
      await this.#rooms.rest(id, room, this.#parts.clock.now());
    }
    const about = { rooms: before, left: this.#rooms.size, bytes: this.bytes };
    this.#parts.telemetry.tell?.({ level: 'warn', message: 'rooms were put to sleep for want of memory', about });
  }

  #sweepLater(): void {
    const { clock, limits } = this.#parts;
    this.#cancelSweep = clock.after(limits.idleMs / SWEEPS, () => {
      this.#sweep().catch((error: unknown) => this.#parts.onFault(error));
    });
  }

  async #sweep(): Promise<void> {
    for (const [id, room] of this.#rooms) await this.#lookAt(id, room);
    this.#cancelSweep = undefined;
    if (this.#rooms.size > 0 && !this.#rooms.isClosed) this.#sweepLater();
  }

  async #lookAt(id: RoomId, room: OpenRoom): Promise<void> {
    const { clock, limits } = this.#parts;
    await room.tenancy.catch(() => undefined);
    if (await this.#rooms.stored.deletions.isDeleted(id)) return this.#rooms.deletedElsewhere(id);
    if (room.ready?.room.fault) return this.#rooms.beginAnew(id);
    await this.#givingUp.pruneDue(id, room);
    if (this.#rooms.get(id) === room) await this.#rooms.rest(id, room, clock.now() - limits.idleMs);
  }

  /** Looks through rooms no more. */
  stop(): void {
    this.#cancelSweep?.();
  }
}
