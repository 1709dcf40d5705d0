/**
 * Members of rooms that are not in memory. [GN5]
 *
 * Nothing happens in such a room: its members are connected, and the first of them who says something, or anybody who
 * enters, brings it back for all of them.
 */
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Member } from '../tenancy/tenancy.js';
import type { SharedFrame } from '../wire/frame.js';

export class Sleepers {
  readonly #byRoom = new Map<RoomId, readonly Member[]>();

  /** The room is about to leave memory. */
  put(room: RoomId, members: readonly Member[]): void {
    if (members.length === 0) return;
    for (const member of members) member.sleep();
    this.#byRoom.set(room, members);
  }

  of(room: RoomId): readonly Member[] {
    return this.#byRoom.get(room) ?? [];
  }

  /** Takes out the members of a room. */
  take(room: RoomId): readonly Member[] {
    const members = this.#byRoom.get(room) ?? [];
    this.#byRoom.delete(room);
    return members;
  }

  /** Takes out one member who has gone, which the frame tells the others. */
  leave(room: RoomId, gone: Member, frame: SharedFrame): void {
    const members = this.#byRoom.get(room);
    if (!members?.includes(gone)) return;
    const left = members.filter((member) => member !== gone);
    if (left.length === 0) this.#byRoom.delete(room);
    else this.#byRoom.set(room, left);
    for (const member of left) member.deliver(frame);
  }
}
