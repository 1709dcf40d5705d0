/**
 * Blobs that live and die with the process, in blocks of 64 KiB. What is held, uploads under way included, never
 * exceeds the bound: a put that would is refused as `full`.
 */
import type { BlobHash } from '../../codec/bytes/blob-hash.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type {
  BlobBounds,
  BlobClaim,
  BlobContent,
  BlobSpace,
  BlobStore,
  ByteRange,
  Released,
} from '../../ports/blob-store.js';
import { StoreError } from '../../ports/store.js';
import { checked, cutRange } from '../blob-bytes.js';
import { BlobSpaces } from '../blob-spaces.js';

const BLOCK_BYTES = 64 * 1024;
/** What an empty blob costs about: without it, empty blobs would be without bound. */
const BLOB_COST = 256;

interface Blob {
  readonly blocks: readonly Uint8Array[];
  readonly size: number;
  /** Unix milliseconds at which it was last put, or taken from a room. */
  readonly touched: number;
}

interface Entry {
  readonly linked: boolean;
  readonly at: number;
  readonly contentType: string | undefined;
  readonly by: string | undefined;
}

export class MemoryBlobs implements BlobStore {
  readonly #most: number;
  #held = 0;
  readonly #blobs = new Map<BlobHash, Blob>();
  readonly #rooms = new Map<RoomId, Map<BlobHash, Entry>>();
  readonly #spaces = new BlobSpaces({
    isStaged: (room, hash) => this.isStaged(room, hash),
    ofRoom: async (room) => sizesOf([...(this.#rooms.get(room)?.keys() ?? [])], this.#blobs),
    of: async (by) => sizesOf(this.#broughtBy(by), this.#blobs),
    stored: () => this.stored(),
  });

  constructor(most: number) {
    this.#most = most;
  }

  async put(hash: BlobHash, bytes: AsyncIterable<Uint8Array>, limit: number): Promise<{ size: number }> {
    const blocks: Uint8Array[] = [];
    let size = 0;
    this.#reserve(BLOB_COST);
    try {
      for await (const chunk of checked(hash, bytes, limit)) {
        this.#reserve(chunk.length);
        fill(blocks, size, chunk);
        size += chunk.length;
      }
    } catch (error) {
      this.#held -= size + BLOB_COST;
      throw error;
    }
    if (this.#blobs.has(hash)) this.#held -= size + BLOB_COST;
    this.#blobs.set(hash, { blocks: trimmed(blocks, size), size, touched: Date.now() });
    return { size };
  }

  get(hash: BlobHash, range?: ByteRange): Promise<BlobContent | undefined> {
    const blob = this.#blobs.get(hash);
    return Promise.resolve(blob && { size: blob.size, bytes: slices(blob, range) });
  }

  size(hash: BlobHash): Promise<number | undefined> {
    return Promise.resolve(this.#blobs.get(hash)?.size);
  }

  delete(hash: BlobHash): Promise<boolean> {
    for (const [room, entries] of this.#rooms) {
      entries.delete(hash);
      if (entries.size === 0) this.#rooms.delete(room);
    }
    const blob = this.#blobs.get(hash);
    if (blob) this.#held -= blob.size + BLOB_COST;
    return Promise.resolve(this.#blobs.delete(hash));
  }

  async *all(): AsyncGenerator<BlobHash> {
    yield* [...this.#blobs.keys()].sort();
  }

  stage(room: RoomId, hash: BlobHash, contentType?: string, by?: string): Promise<boolean> {
    const linked = this.#entry(room, hash)?.linked ?? false;
    return Promise.resolve(this.#enter(room, hash, { linked, contentType, by }));
  }

  contentType(room: RoomId, hash: BlobHash): Promise<string | undefined> {
    return Promise.resolve(this.#entry(room, hash)?.contentType);
  }

  isStaged(room: RoomId, hash: BlobHash): Promise<boolean> {
    return Promise.resolve(this.#entry(room, hash) !== undefined);
  }

  link(room: RoomId, hash: BlobHash, by?: string): Promise<boolean> {
    return Promise.resolve(this.#enter(room, hash, { linked: true, contentType: undefined, by }));
  }

  reserve(claim: BlobClaim, bounds: BlobBounds): Promise<BlobSpace> {
    return this.#spaces.reserve(claim, bounds);
  }

  stored(): Promise<number> {
    return Promise.resolve(sizesOf(this.#blobs.keys(), this.#blobs));
  }

  isLinked(room: RoomId, hash: BlobHash): Promise<boolean> {
    return Promise.resolve(this.#entry(room, hash)?.linked ?? false);
  }

  async *linked(room: RoomId): AsyncGenerator<BlobHash> {
    const entries = [...(this.#rooms.get(room) ?? [])];
    yield* entries.flatMap(([hash, { linked }]) => (linked ? [hash] : [])).sort();
  }

  async *rooms(): AsyncGenerator<RoomId> {
    yield* [...this.#rooms.keys()].sort();
  }

  unlink(room: RoomId, hash: BlobHash, idleMs = 0): Promise<boolean> {
    const entry = this.#entry(room, hash);
    if (!entry || Date.now() - entry.at < idleMs) return Promise.resolve(false);
    const entries = this.#rooms.get(room);
    entries?.delete(hash);
    if (entries?.size === 0) this.#rooms.delete(room);
    const blob = this.#blobs.get(hash);
    if (blob) this.#blobs.set(hash, { ...blob, touched: Date.now() });
    return Promise.resolve(true);
  }

  async release(room: RoomId, idleMs: number): Promise<Released> {
    const entries = [...(this.#rooms.get(room)?.keys() ?? [])];
    this.#rooms.delete(room);
    let [blobs, bytes] = [0, 0];
    for (const hash of entries) {
      const blob = this.#blobs.get(hash);
      const isHad = [...this.#rooms.values()].some((had) => had.has(hash));
      if (!blob || isHad || Date.now() - blob.touched < idleMs) continue;
      await this.delete(hash);
      blobs++;
      bytes += blob.size;
    }
    return { blobs, bytes };
  }

  async *unlinked(idleMs: number): AsyncGenerator<BlobHash> {
    for await (const hash of this.all()) if (this.#isIdle(hash, idleMs)) yield hash;
  }

  collect(hash: BlobHash, idleMs: number): Promise<boolean> {
    return this.#isIdle(hash, idleMs) ? this.delete(hash) : Promise.resolve(false);
  }

  #entry(room: RoomId, hash: BlobHash): Entry | undefined {
    return this.#rooms.get(room)?.get(hash);
  }

  #enter(room: RoomId, hash: BlobHash, { linked, contentType, by }: Omit<Entry, 'at'>): boolean {
    if (!this.#blobs.has(hash)) return false;
    const entries = this.#rooms.get(room) ?? new Map<BlobHash, Entry>();
    const before = entries.get(hash);
    const kept = { contentType: contentType ?? before?.contentType, by: before?.by ?? by };
    this.#rooms.set(room, entries.set(hash, { linked, at: Date.now(), ...kept }));
    return true;
  }

  *#broughtBy(by: string): Generator<BlobHash> {
    for (const entries of this.#rooms.values()) for (const [hash, entry] of entries) if (entry.by === by) yield hash;
  }

  #isIdle(hash: BlobHash, idleMs: number): boolean {
    const blob = this.#blobs.get(hash);
    if (!blob || Date.now() - blob.touched < idleMs) return false;
    for (const entries of this.#rooms.values()) if (entries.get(hash)?.linked) return false;
    return true;
  }

  #reserve(bytes: number): void {
    if (this.#held + bytes > this.#most) {
      const remedy = 'delete some, raise blobBytes, or keep them in a folder';
      throw new StoreError('full', `the memory store takes ${this.#most} bytes of blobs; ${remedy}`);
    }
    this.#held += bytes;
  }
}

function sizesOf(hashes: Iterable<BlobHash>, blobs: ReadonlyMap<BlobHash, Blob>): number {
  let bytes = 0;
  for (const hash of hashes) bytes += blobs.get(hash)?.size ?? 0;
  return bytes;
}

/** Copied into whole blocks: a blob that comes byte by byte is not a list of bytes. */
function fill(blocks: Uint8Array[], size: number, chunk: Uint8Array): void {
  for (let read = 0, at = size % BLOCK_BYTES; read < chunk.length; at = 0) {
    if (at === 0) blocks.push(new Uint8Array(BLOCK_BYTES));
    const part = chunk.subarray(read, read + BLOCK_BYTES - at);
    blocks.at(-1)?.set(part, at);
    read += part.length;
  }
}

function trimmed(blocks: readonly Uint8Array[], size: number): readonly Uint8Array[] {
  const rest = size % BLOCK_BYTES;
  return rest === 0 ? blocks : blocks.map((block, i) => (i === blocks.length - 1 ? block.slice(0, rest) : block));
}

/** Copies, so that no reader can change the blob. */
async function* slices({ blocks, size }: Blob, range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
  const { from, to } = cutRange(range, size);
  for (let at = from; at < to;) {
    const start = at % BLOCK_BYTES;
    const end = Math.min(BLOCK_BYTES, start + to - at);
    yield (blocks[Math.floor(at / BLOCK_BYTES)] as Uint8Array).slice(start, end);
    at += end - start;
  }
}
