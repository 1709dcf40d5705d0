/**
 * Where blobs live: bytes named by their SHA-256, and the inventory of which room has which.
 *
 * A blob is there whole or not at all: its bytes are hashed on the way in, and what `put` has answered would
 * survive a power failure. Transfers are streams; none holds more than one chunk in memory.
 *
 * A room's entry is *staged* when its bytes came in for that room, and *linked* when the room may read them.
 * Who knows a hash alone can do neither, so a hash that leaks out of one room opens nothing in another.
 *
 * To collect garbage: mark with `unlinked`, sweep with `collect`, which looks again. What was put, linked or
 * unlinked within the grace period stays, so a link that is made between the two wins.
 */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import type { RoomId } from '../codec/bytes/room-id.js';

/** Bytes from `from` up to, not with, `to`; what lies beyond the end is cut off. */
export interface ByteRange {
  readonly from: number;
  readonly to?: number;
}

export interface BlobContent {
  /** Size of the whole blob, whatever the range. */
  readonly size: number;
  /** To be read once. Nothing is held open before the first chunk is asked for, nor after the reader stops. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface Released {
  readonly blobs: number;
  readonly bytes: number;
}

/** Bytes that are to come in for a room. */
export interface BlobClaim {
  readonly room: RoomId;
  readonly hash: BlobHash;
  readonly size: number;
  /** Who brings them: a person, or a key that was proved. Absent: they count for the room and the store alone. */
  readonly by?: string | undefined;
}

/** Most bytes of a room, of all that one person or key has brought, and of the whole store. */
export type BlobBounds = Readonly<Record<BlobBound, number>>;
export type BlobBound = 'room' | 'key' | 'server';

/** Space for bytes on their way, until they are staged or linked, or given up; or the bound that has none. */
export type BlobSpace = { leave(): void } | { readonly lacks: BlobBound };

export interface BlobStore {
  /**
   * Reads `bytes` to their end, also when the blob is there: only who has them gets an answer. Rejects with a
   * `BlobError` when they are more than `limit` or not what `hash` says, with their own error when they break
   * off; then nothing of them stays. Chunks may be changed once the next one is asked for.
   */
  put(hash: BlobHash, bytes: AsyncIterable<Uint8Array>, limit: number): Promise<{ readonly size: number }>;
  get(hash: BlobHash, range?: ByteRange): Promise<BlobContent | undefined>;
  size(hash: BlobHash): Promise<number | undefined>;
  /** Takes the blob out of every room and out of the store; answers whether it was there. */
  delete(hash: BlobHash): Promise<boolean>;
  /** Every blob, in the order of their hashes. */
  all(): AsyncIterable<BlobHash>;

  /**
   * Notes that its bytes came in for this room, of which type they are said to be, and who brought them; false when there is no such
   * blob. The type of the last time holds, and a time without one leaves it as it is. Who brought it first did.
   */
  stage(room: RoomId, hash: BlobHash, contentType?: string, by?: string): Promise<boolean>;
  /** Media type that it was staged with in this room. */
  contentType(room: RoomId, hash: BlobHash): Promise<string | undefined>;
  /** Whether it is staged or linked. */
  isStaged(room: RoomId, hash: BlobHash): Promise<boolean>;
  /** Lets the room read it, by whose bytes; false when there is no such blob. */
  link(room: RoomId, hash: BlobHash, by?: string): Promise<boolean>;
  isLinked(room: RoomId, hash: BlobHash): Promise<boolean>;
  /** What the room may read, in the order of the hashes. */
  linked(room: RoomId): AsyncIterable<BlobHash>;
  /** Rooms that have a blob, staged or linked; each once, in bytewise order of their ids. */
  rooms(): AsyncIterable<RoomId>;
  /** Takes it from the room, unless it was linked or staged there less than `idleMs` ago; answers whether it did. */
  unlink(room: RoomId, hash: BlobHash, idleMs?: number): Promise<boolean>;
  /**
   * Takes all that it has from a room, staged and linked, and deletes the bytes of what no room has any more, unless they were put
   * less than `idleMs` ago: those wait for their collection. Answers what was deleted.
   */
  release(room: RoomId, idleMs: number): Promise<Released>;

  /**
   * Sets space aside, so that what comes in at once stays within the bounds too; each is left once. What the room has already needs
   * none. [BL16]
   */
  reserve(claim: BlobClaim, bounds: BlobBounds): Promise<BlobSpace>;
  /** Bytes of all blobs, whichever room has them, each once. */
  stored(): Promise<number>;

  /** Blobs that no room is linked to, and that were put and unlinked at least `idleMs` ago. */
  unlinked(idleMs: number): AsyncIterable<BlobHash>;
  /** Deletes the blob if `unlinked(idleMs)` would still list it; answers whether it did. */
  collect(hash: BlobHash, idleMs: number): Promise<boolean>;
}

export type BlobFault = 'hash-mismatch' | 'too-large';

/** The bytes are at fault, not the store: whoever sent them is told. */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly fault: BlobFault;

  constructor(fault: BlobFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
