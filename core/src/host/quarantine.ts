/**
 * Rooms that are shut: one that does harm is kept from everybody, until an operator resumes it. [QU1]
 *
 * A room is shut when it cannot be opened for good, when it fails again and again, or by an operator. What an operator
 * has shut stays so across restarts; what the host has shut is tried again by the next process, and shut again if need be.
 */
import { z } from 'zod';
import { DecodeError } from '../codec/bytes/bytes.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Clock } from '../ports/clock.js';
import { StoreError } from '../ports/store.js';
import { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';

export interface Shut {
  /** For operators; peers are told that the room is shut, not why. */
  readonly reason: string;
  readonly by: 'host' | 'operator';
  /** Unix milliseconds. */
  readonly since: number;
}

/** Failures within the time that are too many. */
const FAULTS = 10;
const FAULTS_MS = 60_000;

/** Prefix of keys in the room in which a host keeps what concerns itself. */
const PREFIX = 'quarantine/';
const Noted = z.object({ reason: z.string(), since: z.number() });

export class Quarantine {
  readonly #clock: Clock;
  readonly #shut = new Map<RoomId, Shut>();
  readonly #faults = new Map<RoomId, number[]>();
  /** Rooms that the host's own room named when it was last read. */
  #noted: ReadonlySet<RoomId> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get rooms(): ReadonlyMap<RoomId, Shut> {
    return this.#shut;
  }

  /** Throws for a room that is shut. */
  check(room: RoomId): void {
    if (this.#shut.has(room)) throw new Rejection('room-quarantined', 'the room is quarantined', { room });
  }

  shut(room: RoomId, reason: string, by: Shut['by']): Shut {
    const shut = { reason, by, since: this.#clock.now() };
    this.#shut.set(room, shut);
    return shut;
  }

  /** False when it was not shut. */
  resume(room: RoomId): boolean {
    this.#faults.delete(room);
    return this.#shut.delete(room);
  }

  /** Something in a room has failed; true when that was once too often. A store that fails is not the room's fault. */
  failed(room: RoomId, error: unknown): boolean {
    if (error instanceof StoreError) return false;
    const now = this.#clock.now();
    const recent = (this.#faults.get(room) ?? []).filter((at) => at > now - FAULTS_MS);
    recent.push(now);
    if (recent.length < FAULTS) this.#faults.set(room, recent);
    else this.#faults.delete(room);
    return recent.length >= FAULTS;
  }

  /** What an operator has shut, from the host's own room; what was read there before and is not there any more is open again. */
  read(own: Room): void {
    const noted = new Set<RoomId>();
    for (const [key, value] of own.entries(PREFIX)) {
      const { success, data } = Noted.safeParse(value);
      const room = key.slice(PREFIX.length) as RoomId;
      if (!success) continue;
      noted.add(room);
      this.#shut.set(room, { ...data, by: 'operator' });
    }
    for (const room of this.#noted) if (!noted.has(room)) this.#shut.delete(room);
    this.#noted = noted;
  }

  /** Writes down there what an operator has decided. */
  async note(own: Room, room: RoomId, shut: Shut | undefined): Promise<void> {
    await own.set(PREFIX + room, shut && { reason: shut.reason, since: shut.since });
  }
}

/** Whether opening the room again would fail again. */
export function isForGood(error: unknown): boolean {
  return error instanceof DecodeError || (error instanceof StoreError && error.fault === 'damaged');
}
