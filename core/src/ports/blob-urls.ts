/**
 * Links by which a peer moves a blob without the room's socket: to a listener of this server, or to any object
 * store that gives out signed links. Whoever holds a link may use it until it expires, for that blob alone.
 */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import type { RoomId } from '../codec/bytes/room-id.js';

export interface BlobUrl {
  readonly url: string;
  /** Seconds. */
  readonly expiresAtUnix: number;
}

/** Why an upload by a link has brought nothing: other bytes, more bytes than granted, none in time, or no space for them. */
export type UploadFault = 'hash-mismatch' | 'too-large' | 'expired' | 'full';

/** What is known of an upload when its link is given out. */
export interface UploadDetails {
  readonly contentType?: string | undefined;
  /** Who is to bring it: see `BlobClaim`. */
  readonly by?: string | undefined;
}

export interface BlobUrls {
  /**
   * To upload exactly `size` bytes. The blob is staged in the room then, with its type if it has one, and not yet readable
   * there.
   */
  forPut(room: RoomId, hash: BlobHash, size: number, details?: UploadDetails): Promise<BlobUrl>;
  /**
   * A peer says that it has uploaded the blob, which is not staged. Where uploads do not pass through this server, this is
   * when their bytes are looked at: afterwards the blob is staged in the room, if it came and is what its name says. Answers
   * what was wrong otherwise, as far as that is known.
   */
  claim(room: RoomId, hash: BlobHash, by?: string): Promise<UploadFault | undefined>;
  /** To download; the room must still be linked to the blob when the link is used. */
  forGet(room: RoomId, hash: BlobHash): Promise<BlobUrl>;
}
