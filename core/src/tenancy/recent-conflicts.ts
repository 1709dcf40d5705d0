/**
 * Recent conflicts of a room, each with when this host has seen it come: the newest, since the room was opened. [CF2]
 *
 * A conflict itself has no time: it is there as soon as somebody holds both writes.
 */
import type { Conflict } from '../crdt/conflicts.js';
import type { Clock } from '../ports/clock.js';
import type { Room } from '../room/room.js';

export interface SeenConflict extends Conflict {
  /** Unix milliseconds. */
  readonly at: number;
}

const KEPT = 1024;

export class RecentConflicts {
  #seen: SeenConflict[] = [];

  constructor(room: Room, clock: Clock) {
    let counted = room.conflicts.counted;
    room.onCommit(() => {
      if (room.conflicts.counted === counted) return;
      const at = clock.now();
      const fresh = room.conflicts.after(counted).map((conflict) => ({ ...conflict, at }));
      this.#seen = [...this.#seen, ...fresh].slice(-KEPT);
      counted = room.conflicts.counted;
    });
  }

  /** Conflicts of that time and later, oldest first. */
  since(unixMs = 0): readonly SeenConflict[] {
    return this.#seen.filter(({ at }) => at >= unixMs);
  }
}
