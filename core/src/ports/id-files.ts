/**
 * Files of ids: those of the old nodes of a room, beside its image, so that they take no memory. A cache, as images are: whoever loses
 * them reads the log.
 *
 * Files are whole and durable before an image names them, and are never changed.
 */
import type { FiledIds } from '../codec/nodes/filed-ids.js';
import type { RoomId } from '../codec/bytes/room-id.js';

export interface IdFiles {
  /** Opens the files that a room's image names; undefined when one of them is not there as it was written. */
  open(room: RoomId, names: readonly string[]): Promise<FiledIds | undefined>;
  /** Writes what follows what is `held`, which may be of another room: whole pages of ids, which nobody changes meanwhile. */
  add(room: RoomId, held: FiledIds | undefined, words: Int32Array): Promise<FiledIds>;
  /** Whether they are files of this room. */
  isOf(room: RoomId, ids: FiledIds): boolean;
  /** Removes the files of a room that its image does not name. Whoever has them open reads on. */
  keep(room: RoomId, names: readonly string[]): Promise<void>;
}
