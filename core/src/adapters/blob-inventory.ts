/** Inventory of blobs that a store keeps, which room has which. Who may write what, and when, is decided by `InventoriedBlobs`. */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import type { RoomId } from '../codec/bytes/room-id.js';

export interface InventoryEntry {
  readonly linked: boolean;
  /** Unix milliseconds. */
  readonly at: number;
  readonly contentType?: string | undefined;
}

/** Every change is durable, whole, when it is answered. */
export interface BlobInventory {
  entry(room: RoomId, hash: BlobHash): Promise<InventoryEntry | undefined>;
  enter(room: RoomId, hash: BlobHash, entry: InventoryEntry): Promise<void>;
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
}
