/**
 * Inventory of blobs, which room has which, in the database of the logs: each entry once by room and once by blob:
 *
 *   i!<room>!<hash>, b!<hash>!<room>  ->  1 when linked, 0 when staged ‖ since when (varint, Unix milliseconds) ‖ content
 *                                         type, if it has one (UTF-8)
 *
 * Both are written in one synced batch.
 */
import { type BlobHash, parseBlobHash } from '../../codec/bytes/blob-hash.js';
import { fromUtf8, toUtf8 } from '../../codec/bytes/bytes.js';
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { BlobInventory, InventoryEntry } from '../blob-inventory.js';
import { onDisk } from './disk.js';
import type { Change, LogDatabase } from './log-database.js';
import type { SoundWrites } from './sound-writes.js';

export class LevelBlobInventory implements BlobInventory {
  readonly #database: LogDatabase;
  readonly #writes: SoundWrites;

  constructor(database: LogDatabase, writes: SoundWrites) {
    [this.#database, this.#writes] = [database, writes];
  }

  async entry(room: RoomId, hash: BlobHash): Promise<InventoryEntry | undefined> {
    const value = await onDisk('read the inventory of blobs', () => this.#database.get(byRoom(room, hash)));
    return value && toEntry(value);
  }

  async enter(room: RoomId, hash: BlobHash, { linked, at, contentType = '' }: InventoryEntry): Promise<void> {
    const out = new ByteWriter(8);
    out.byte(linked ? 1 : 0);
    out.varint(at);
    out.bytes(toUtf8(contentType));
    const value = out.finish();
    await this.#write([byRoom(room, hash), byBlob(hash, room)].map((key) => ({ type: 'put', key, value })));
  }

  async remove(room: RoomId, hash: BlobHash): Promise<void> {
    await this.#write(deletions(room, hash));
  }

  async removeAll(hash: BlobHash): Promise<void> {
    const rooms = await onDisk('read the inventory of blobs', () => this.#database.keys(rangeOf('b', hash)).all());
    if (rooms.length > 0) await this.#write(rooms.flatMap((key) => deletions(lastPart(key) as RoomId, hash)));
  }

  async *linked(room: RoomId): AsyncGenerator<BlobHash> {
    for await (const [key, value] of this.#database.iterator(rangeOf('i', room))) {
      const hash = parseBlobHash(lastPart(key));
      if (hash && toEntry(value).linked) yield hash;
    }
  }

  async *entered(room: RoomId): AsyncGenerator<BlobHash> {
    for await (const key of this.#database.keys(rangeOf('i', room))) {
      const hash = parseBlobHash(lastPart(key));
      if (hash) yield hash;
    }
  }

  /** Goes from the entries of one room past them all to those of the next. */
  async *rooms(): AsyncGenerator<RoomId> {
    let from = 'i!';
    for (;;) {
      const [key] = await onDisk('read the inventory of blobs', () =>
        this.#database.keys({ gte: from, lt: 'i"', limit: 1 }).all(),
      );
      if (key === undefined) return;
      const room = key.slice('i!'.length, key.lastIndexOf('!')) as RoomId;
      yield room;
      from = rangeOf('i', room).lt;
    }
  }

  async isAnywhere(hash: BlobHash): Promise<boolean> {
    for await (const _ of this.#database.keys({ ...rangeOf('b', hash), limit: 1 })) return true;
    return false;
  }

  async isLinkedAnywhere(hash: BlobHash): Promise<boolean> {
    for await (const value of this.#database.values(rangeOf('b', hash))) if (toEntry(value).linked) return true;
    return false;
  }

  async #write(changes: Change[]): Promise<void> {
    await onDisk('write the inventory of blobs', () => this.#writes.run((write) => write(changes)));
  }
}

function deletions(room: RoomId, hash: BlobHash): Change[] {
  return [byRoom(room, hash), byBlob(hash, room)].map((key) => ({ type: 'del', key }));
}

function byRoom(room: RoomId, hash: BlobHash): string {
  return `i!${room}!${hash}`;
}

function byBlob(hash: BlobHash, room: RoomId): string {
  return `b!${hash}!${room}`;
}

/** Neither room ids nor hashes hold a character below `-`, so `"` follows all keys of one of them. */
function rangeOf(side: 'i' | 'b', of: RoomId | BlobHash): { gte: string; lt: string } {
  return { gte: `${side}!${of}!`, lt: `${side}!${of}"` };
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('!') + 1);
}

function toEntry(value: Uint8Array): InventoryEntry {
  const input = new ByteReader(value);
  const [linked, at] = [input.byte() === 1, input.varint()];
  return { linked, at, ...(input.left > 0 ? { contentType: fromUtf8(input.bytes(input.left)) } : {}) };
}
