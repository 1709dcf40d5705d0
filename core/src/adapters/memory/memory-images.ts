/** Images of rooms that live and die with the process. */
import { concatBytes } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Images } from '../../ports/store.js';

export class MemoryImages implements Images {
  readonly #rooms = new Map<RoomId, Uint8Array>();

  put(room: RoomId, bytes: readonly Uint8Array[]): Promise<void> {
    this.#rooms.set(room, concatBytes(bytes));
    return Promise.resolve();
  }

  /** A copy, so that no reader can change the image. */
  get(room: RoomId): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#rooms.get(room)?.slice());
  }

  remove(room: RoomId): Promise<void> {
    this.#rooms.delete(room);
    return Promise.resolve();
  }
}
