/**
 * Links by which a peer moves a blob without the room's socket: to a listener of this server, or to any object
 * store that gives out signed links. Whoever holds a link may use it until it expires, for that blob alone.
 */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import type { RoomId } from '../graph/room-id.js';

export interface BlobUrl {
  readonly url: string;
  /** Seconds. */
  readonly expiresAtUnix: number;
}

export interface BlobUrls {
  /**
   * To upload exactly `size` bytes. The blob is staged in the room then and not yet readable there.
   * `contentType` is for stores that keep one; this server hands out every blob as mere bytes.
   */
  forPut(room: RoomId, hash: BlobHash, size: number, contentType?: string): Promise<BlobUrl>;
  /**
   * A peer says that it has uploaded the blob. Where uploads do not pass through this server, this is when their bytes are
   * looked at: afterwards the blob is staged in the room, if it came and is what its name says.
   */
  claim?(room: RoomId, hash: BlobHash): Promise<void>;
  /** To download; the room must still be linked to the blob when the link is used. */
  forGet(room: RoomId, hash: BlobHash): Promise<BlobUrl>;
}
