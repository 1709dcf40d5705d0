/**
 * The blob port: bytes wherever they are, files of a folder or not, and an inventory beside the log.
 *
 * Bytes come in side by side, also of one hash; whatever looks at a blob and then changes it or its entries takes its
 * turn by hash. That is what makes a link win over a collection: whichever comes second sees what the first did.
 */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import { KeyedMutex } from '../concurrency/keyed-mutex.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { BlobBytes } from '../ports/blob-bytes.js';
import type {
  BlobBounds,
  BlobClaim,
  BlobContent,
  BlobSpace,
  BlobStore,
  ByteRange,
  Released,
} from '../ports/blob-store.js';
import { StoreError } from '../ports/store.js';
import { checked, cutRange } from './blob-bytes.js';
import type { BlobInventory, InventoryEntry } from './blob-inventory.js';
import { BlobSpaces } from './blob-spaces.js';
import { StoredBytes } from './stored-bytes.js';

export class InventoriedBlobs implements BlobStore {
  readonly #bytes: BlobBytes;
  readonly #inventory: BlobInventory;
  readonly #mutex: Pick<KeyedMutex<BlobHash>, 'take'>;
  readonly #stored: StoredBytes;
  readonly #spaces: BlobSpaces;
  #closed = false;

  /** The mutex is another one where several processes have the bytes and the inventory. */
  constructor(
    bytes: BlobBytes,
    inventory: BlobInventory,
    mutex: Pick<KeyedMutex<BlobHash>, 'take'> = new KeyedMutex<BlobHash>(),
  ) {
    this.#bytes = bytes;
    this.#inventory = inventory;
    this.#mutex = mutex;
    this.#stored = new StoredBytes(bytes);
    this.#spaces = new BlobSpaces({
      isStaged: (room, hash) => this.isStaged(room, hash),
      ofRoom: (room) => this.#bytesOf(room),
      of: (by) => inventory.of(by),
      stored: () => this.stored(),
    });
  }

  removeLeftovers(): Promise<void> {
    return this.#bytes.removeLeftovers();
  }

  /** Uploads that are under way will be refused. */
  close(): void {
    this.#closed = true;
  }

  async put(hash: BlobHash, bytes: AsyncIterable<Uint8Array>, limit: number): Promise<{ size: number }> {
    this.#mustBeOpen();
    const draft = await this.#bytes.draft(hash, checked(hash, bytes, limit));
    try {
      await this.#mutex.take(hash, async () => {
        this.#mustBeOpen();
        const before = (await this.#bytes.size(hash)) ?? 0;
        await draft.place();
        this.#stored.changed(draft.size - before);
      });
    } catch (error) {
      await draft.discard();
      throw error;
    }
    return { size: draft.size };
  }

  async get(hash: BlobHash, range?: ByteRange): Promise<BlobContent | undefined> {
    const size = await this.#bytes.size(hash);
    if (size === undefined) return undefined;
    const { from, to } = cutRange(range, size);
    return { size, bytes: this.#bytes.read(hash, from, to) };
  }

  size(hash: BlobHash): Promise<number | undefined> {
    return this.#bytes.size(hash);
  }

  delete(hash: BlobHash): Promise<boolean> {
    return this.#mutex.take(hash, () => this.#remove(hash));
  }

  all(): AsyncIterable<BlobHash> {
    return this.#bytes.all();
  }

  stage(room: RoomId, hash: BlobHash, contentType?: string, by?: string): Promise<boolean> {
    return this.#enter(room, hash, by, (before) => ({
      linked: before?.linked ?? false,
      contentType: contentType ?? before?.contentType,
    }));
  }

  async contentType(room: RoomId, hash: BlobHash): Promise<string | undefined> {
    return (await this.#inventory.entry(room, hash))?.contentType;
  }

  async isStaged(room: RoomId, hash: BlobHash): Promise<boolean> {
    return (await this.#inventory.entry(room, hash)) !== undefined;
  }

  link(room: RoomId, hash: BlobHash, by?: string): Promise<boolean> {
    return this.#enter(room, hash, by, (before) => ({ linked: true, contentType: before?.contentType }));
  }

  reserve(claim: BlobClaim, bounds: BlobBounds): Promise<BlobSpace> {
    return this.#spaces.reserve(claim, bounds);
  }

  stored(): Promise<number> {
    return this.#stored.now();
  }

  /** Bytes of a room. Entries that are older than weights are weighed. */
  async #bytesOf(room: RoomId): Promise<number> {
    const { bytes, unweighed } = await this.#inventory.ofRoom(room);
    if (unweighed.length === 0) return bytes;
    for (const hash of unweighed) {
      await this.#mutex.take(hash, async () => {
        const entry = await this.#inventory.entry(room, hash);
        const size = await this.#bytes.size(hash);
        // One whose bytes are lost weighs nothing, and is not looked for again.
        if (entry && !(await this.#inventory.weight(room, hash)))
          await this.#inventory.enter(room, hash, entry, { size: size ?? 0 });
      });
    }
    return (await this.#inventory.ofRoom(room)).bytes;
  }

  async isLinked(room: RoomId, hash: BlobHash): Promise<boolean> {
    return (await this.#inventory.entry(room, hash))?.linked ?? false;
  }

  linked(room: RoomId): AsyncIterable<BlobHash> {
    return this.#inventory.linked(room);
  }

  rooms(): AsyncIterable<RoomId> {
    return this.#inventory.rooms();
  }

  unlink(room: RoomId, hash: BlobHash, idleMs = 0): Promise<boolean> {
    return this.#mutex.take(hash, async () => {
      const entry = await this.#inventory.entry(room, hash);
      if (!entry || Date.now() - entry.at < idleMs) return false;
      // First: were the process to end between the two, the blob would otherwise look idle for long.
      await this.#bytes.touch(hash);
      await this.#inventory.remove(room, hash);
      return true;
    });
  }

  async release(room: RoomId, idleMs: number): Promise<Released> {
    let [blobs, bytes] = [0, 0];
    for await (const hash of this.#inventory.entered(room)) {
      const freed = await this.#mutex.take(hash, () => this.#release(room, hash, idleMs));
      if (freed === undefined) continue;
      blobs++;
      bytes += freed;
    }
    return { blobs, bytes };
  }

  /** Answers how long it was, where it was deleted. */
  async #release(room: RoomId, hash: BlobHash, idleMs: number): Promise<number | undefined> {
    await this.#inventory.remove(room, hash);
    if (await this.#inventory.isAnywhere(hash)) return undefined;
    const touched = await this.#bytes.touched(hash);
    if (touched === undefined || Date.now() - touched < idleMs) return undefined;
    const size = await this.#bytes.size(hash);
    if (await this.#bytes.remove(hash)) this.#stored.changed(-(size ?? 0));
    return size;
  }

  async *unlinked(idleMs: number): AsyncGenerator<BlobHash> {
    for await (const hash of this.#bytes.all()) if (await this.#isIdle(hash, idleMs)) yield hash;
  }

  collect(hash: BlobHash, idleMs: number): Promise<boolean> {
    return this.#mutex.take(hash, async () => (await this.#isIdle(hash, idleMs)) && (await this.#remove(hash)));
  }

  #enter(
    room: RoomId,
    hash: BlobHash,
    by: string | undefined,
    after: (before: InventoryEntry | undefined) => Omit<InventoryEntry, 'at'>,
  ): Promise<boolean> {
    return this.#mutex.take(hash, async () => {
      const size = await this.#bytes.size(hash);
      if (size === undefined) return false;
      const entry = after(await this.#inventory.entry(room, hash));
      const before = await this.#inventory.weight(room, hash);
      await this.#inventory.enter(room, hash, { ...entry, at: Date.now() }, { size, by: before?.by ?? by });
      return true;
    });
  }

  /** The entries first: an entry never names a blob that is not there. */
  async #remove(hash: BlobHash): Promise<boolean> {
    await this.#inventory.removeAll(hash);
    const size = await this.#bytes.size(hash);
    const isRemoved = await this.#bytes.remove(hash);
    if (isRemoved) this.#stored.changed(-(size ?? 0));
    return isRemoved;
  }

  /** The inventory first: it is near. */
  async #isIdle(hash: BlobHash, idleMs: number): Promise<boolean> {
    if (await this.#inventory.isLinkedAnywhere(hash)) return false;
    const touched = await this.#bytes.touched(hash);
    return touched !== undefined && Date.now() - touched >= idleMs;
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new StoreError('failed', 'the store is closed; nothing of the blob was kept');
  }
}
