/** Inventory of blobs that a store keeps, which room has which. Who may write what, and when, is decided by `InventoriedBlobs`. */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import type { RoomId } from '../codec/bytes/room-id.js';

export interface InventoryEntry {
  readonly linked: boolean;
  /** Unix milliseconds. */
  readonly at: number;
  readonly contentType?: string | undefined;
}

/** What an entry weighs, and for whom. */
export interface InventoryWeight {
  readonly size: number;
  /** Who brought the bytes: see `BlobClaim`. */
  readonly by?: string | undefined;
}

/** Every change is durable, whole, when it is answered. */
export interface BlobInventory {
  entry(room: RoomId, hash: BlobHash): Promise<InventoryEntry | undefined>;
  /** Undefined where there is no entry, and of one that is older than weights. */
  weight(room: RoomId, hash: BlobHash): Promise<InventoryWeight | undefined>;
  enter(room: RoomId, hash: BlobHash, entry: InventoryEntry, weight: InventoryWeight): Promise<void>;
  remove(room: RoomId, hash: BlobHash): Promise<void>;
  /** Takes the blob out of every room. */
  removeAll(hash: BlobHash): Promise<void>;
  /** What a room may read, in the order of the hashes. */
  linked(room: RoomId): AsyncIterable<BlobHash>;
  /** All that a room has, staged and linked. */
  entered(room: RoomId): AsyncIterable<BlobHash>;
  /** Rooms that have any, in bytewise order. */
  rooms(): AsyncIterable<RoomId>;
  /** Whether any room has it, staged or linked. */
  isAnywhere(hash: BlobHash): Promise<boolean>;
  isLinkedAnywhere(hash: BlobHash): Promise<boolean>;
  /** Bytes of a room's entries, and which of them have no weight. */
  ofRoom(room: RoomId): Promise<{ readonly bytes: number; readonly unweighed: readonly BlobHash[] }>;
  /** Bytes of the entries that somebody brought. */
  of(by: string): Promise<number>;
}
