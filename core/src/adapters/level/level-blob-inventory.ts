/**
 * Inventory of blobs, which room has which, in the database of the logs: each entry once by room and once by blob:
 *
 *   i!<room>!<hash>, b!<hash>!<room>  ->  1 when linked, 0 when staged ‖ since when (varint, Unix milliseconds) ‖ content
 *                                         type, if it has one (UTF-8)
 *   w!<room>!<hash>                   ->  bytes (varint) ‖ who brought them, if that is known (UTF-8)
 *   k!<who>!<room>!<hash>             ->  bytes (varint)
 *
 * All are written in one synced batch. Weights count as long as there is the entry: an older version leaves them behind. What a room
 * and who brought something have is added up when it is asked first, and kept from then on.
 */
import { type BlobHash, parseBlobHash } from '../../codec/bytes/blob-hash.js';
import { concatBytes, fromUtf8, toUtf8 } from '../../codec/bytes/bytes.js';
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { BlobInventory, InventoryEntry, InventoryWeight } from '../blob-inventory.js';
import { onDisk } from './disk.js';
import type { Change, LogDatabase } from './log-database.js';
import type { SoundWrites } from './sound-writes.js';
import { SumsByName } from './sums-by-name.js';

export class LevelBlobInventory implements BlobInventory {
  readonly #database: LogDatabase;
  readonly #writes: SoundWrites;
  readonly #sums = new SumsByName();

  constructor(database: LogDatabase, writes: SoundWrites) {
    [this.#database, this.#writes] = [database, writes];
  }

  async entry(room: RoomId, hash: BlobHash): Promise<InventoryEntry | undefined> {
    const value = await onDisk('read the inventory of blobs', () => this.#database.get(byRoom(room, hash)));
    return value && toEntry(value);
  }

  async weight(room: RoomId, hash: BlobHash): Promise<InventoryWeight | undefined> {
    const value = await onDisk('read the inventory of blobs', () => this.#database.get(weightOf(room, hash)));
    return value && toWeight(value);
  }

  async enter(
    room: RoomId,
    hash: BlobHash,
    { linked, at, contentType = '' }: InventoryEntry,
    weight: InventoryWeight,
  ): Promise<void> {
    const out = new ByteWriter(8);
    out.byte(linked ? 1 : 0);
    out.varint(at);
    out.bytes(toUtf8(contentType));
    const value = out.finish();
    const before = await this.weight(room, hash);
    const changes: Change[] = [byRoom(room, hash), byBlob(hash, room)].map((key) => ({ type: 'put', key, value }));
    await this.#sums.change(differences(room, before, weight), () =>
      this.#write([...changes, ...weighing(room, hash, before, weight)]),
    );
  }

  async remove(room: RoomId, hash: BlobHash): Promise<void> {
    const before = await this.weight(room, hash);
    await this.#sums.change(differences(room, before, undefined), () =>
      this.#write([...deletions(room, hash), ...weighing(room, hash, before, undefined)]),
    );
  }

  async removeAll(hash: BlobHash): Promise<void> {
    const rooms = await onDisk('read the inventory of blobs', () => this.#database.keys(rangeOf('b', hash)).all());
    for (const key of rooms) await this.remove(lastPart(key) as RoomId, hash);
  }

  async ofRoom(room: RoomId): Promise<{ bytes: number; unweighed: BlobHash[] }> {
    const unweighed: BlobHash[] = [];
    const bytes = await this.#sums.of(`room ${room}`, async () => {
      let sum = 0;
      for await (const hash of this.entered(room)) {
        const weight = await this.weight(room, hash);
        if (weight) sum += weight.size;
        else unweighed.push(hash);
      }
      return sum;
    });
    return { bytes, unweighed };
  }

  of(by: string): Promise<number> {
    return this.#sums.of(`by ${by}`, async () => {
      let sum = 0;
      for await (const [key, value] of this.#database.iterator(rangeOf('k', by))) {
        const [, , room, hash] = key.split('!') as ['k', string, RoomId, BlobHash];
        if (await this.entry(room, hash)) sum += new ByteReader(value).varint();
      }
      return sum;
    });
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

/** Changes of the weights of an entry. */
function weighing(
  room: RoomId,
  hash: BlobHash,
  before: InventoryWeight | undefined,
  after: InventoryWeight | undefined,
): Change[] {
  const changes: Change[] = [];
  if (before?.by !== undefined) changes.push({ type: 'del', key: byBringer(before.by, room, hash) });
  if (!after) return [...changes, { type: 'del', key: weightOf(room, hash) }];
  const size = new ByteWriter(8);
  size.varint(after.size);
  const value = size.finish();
  if (after.by !== undefined) changes.push({ type: 'put', key: byBringer(after.by, room, hash), value });
  return [...changes, { type: 'put', key: weightOf(room, hash), value: concatBytes([value, toUtf8(after.by ?? '')]) }];
}

/** What the sums become by it. */
function differences(
  room: RoomId,
  before: InventoryWeight | undefined,
  after: InventoryWeight | undefined,
): [name: string, by: number][] {
  const changes: [string, number][] = [[`room ${room}`, (after?.size ?? 0) - (before?.size ?? 0)]];
  if (before?.by !== undefined) changes.push([`by ${before.by}`, -before.size]);
  if (after?.by !== undefined) changes.push([`by ${after.by}`, after.size]);
  return changes;
}

function weightOf(room: RoomId, hash: BlobHash): string {
  return `w!${room}!${hash}`;
}

function byBringer(by: string, room: RoomId, hash: BlobHash): string {
  return `k!${by}!${room}!${hash}`;
}

function toWeight(value: Uint8Array): InventoryWeight {
  const input = new ByteReader(value);
  const size = input.varint();
  return { size, by: input.left > 0 ? fromUtf8(input.bytes(input.left)) : undefined };
}

function byRoom(room: RoomId, hash: BlobHash): string {
  return `i!${room}!${hash}`;
}

function byBlob(hash: BlobHash, room: RoomId): string {
  return `b!${hash}!${room}`;
}

/** Neither room ids nor hashes nor keys hold a character below `-`, so `"` follows all keys of one of them. */
function rangeOf(side: 'i' | 'b' | 'k', of: string): { gte: string; lt: string } {
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
