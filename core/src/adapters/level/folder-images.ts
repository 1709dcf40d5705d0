/**
 * Images as files.
 *
 *   <folder>/<SHA-256 of the room's id>.image   `WIM1` ‖ CRC-32 of room id, 00 and image ‖ image, mode 600
 *   <folder>/<SHA-256 of the room's id>.ids/    files of ids that the image names: see `folder-ids.ts`
 *   <folder>/incoming/<uuid>                    one that is being written; what a crash leaves there goes at the next open
 *
 * A file is synced before it gets its name and the folder after. The version is in the magic: an image of another one
 * is not understood, like a damaged one or one of another room, and the room is read from its log.
 */
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { equalBytes, toUtf8 } from '../../codec/bytes/bytes.js';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { type Images, StoreError } from '../../ports/store.js';
import { makeFolder, onDisk, syncFolder, unlessGone } from './disk.js';
import { FolderIds, hashOf } from './ids/folder-ids.js';

const MAGIC = toUtf8('WIM1');
const HEADER_BYTES = MAGIC.length + 4;

export class FolderImages implements Images {
  readonly ids: FolderIds;
  readonly #folder: string;
  readonly #incoming: string;
  readonly #mutex = new KeyedMutex<RoomId>();
  #closed = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, 'incoming');
    this.ids = new FolderIds(folder, this.#incoming);
  }

  async removeLeftovers(): Promise<void> {
    await this.#onDisk('tidy', () => rm(this.#incoming, { recursive: true, force: true }));
  }

  /** What is being written will be refused. */
  close(): void {
    this.#closed = true;
    this.ids.close();
  }

  put(room: RoomId, bytes: readonly Uint8Array[]): Promise<void> {
    const header = headerOf(room, bytes);
    return this.#mutex.take(room, () => this.#onDisk('write', () => this.#put(room, [header, ...bytes])));
  }

  async get(room: RoomId): Promise<Uint8Array | undefined> {
    const file = await this.#onDisk('read', () => unlessGone(readFile(this.#pathOf(room))));
    if (!file || file.length < HEADER_BYTES) return undefined;
    const image = new Uint8Array(file.buffer, file.byteOffset + HEADER_BYTES, file.length - HEADER_BYTES);
    return equalBytes(file.subarray(0, HEADER_BYTES), headerOf(room, [image])) ? image : undefined;
  }

  remove(room: RoomId): Promise<void> {
    return this.#mutex.take(room, () =>
      this.#onDisk('delete', async () => {
        const removed = await unlessGone(unlink(this.#pathOf(room)).then(() => true));
        if (removed) await syncFolder(this.#folder);
        await this.ids.keep(room, []);
      }),
    );
  }

  async #put(room: RoomId, pieces: readonly Uint8Array[]): Promise<void> {
    this.#mustBeOpen();
    await makeFolder(this.#folder);
    await makeFolder(this.#incoming);
    const draft = join(this.#incoming, randomUUID());
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        for (const piece of pieces) await file.writeFile(piece);
        await file.sync();
      } finally {
        await file.close();
      }
      this.#mustBeOpen();
      await rename(draft, this.#pathOf(room));
      await syncFolder(this.#folder);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** File name of a room's image, by hash: file systems that know no capitals must not mix up two rooms. */
  #pathOf(room: RoomId): string {
    return join(this.#folder, `${hashOf(room)}.image`);
  }

  #onDisk<T>(verb: string, task: () => Promise<T>): Promise<T> {
    return onDisk(`${verb} images in ${this.#folder}`, task);
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new StoreError('failed', 'the store is closed; nothing of the image was kept');
  }
}

function headerOf(room: RoomId, bytes: readonly Uint8Array[]): Uint8Array {
  const out = new ByteWriter(HEADER_BYTES);
  out.bytes(MAGIC);
  out.uint(
    bytes.reduce((sum, piece) => crc32(piece, sum), crc32(`${room}\0`)),
    4,
  );
  return out.finish();
}
