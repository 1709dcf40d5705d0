/** Names that somebody in this process uses, though no room of that name has a log. For stores that one process has alone. */
import type { RoomId } from '../codec/bytes/room-id.js';

export class OccupiedNames {
  readonly #users = new Map<RoomId, number>();

  has(room: RoomId): boolean {
    return this.#users.has(room);
  }

  /** Answers what ends it, which may be called again without harm. */
  add(room: RoomId): () => void {
    this.#users.set(room, (this.#users.get(room) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = this.#users.get(room)! - 1;
      if (left === 0) this.#users.delete(room);
      else this.#users.set(room, left);
    };
  }
}
