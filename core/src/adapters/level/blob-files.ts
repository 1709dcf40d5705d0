/**
 * Blobs as files, named by nothing but their hash.
 *
 *   <folder>/ab/cdef…          the blob abcdef…, mode 600
 *   <folder>/incoming/<uuid>   one that is being written; what a crash leaves there goes at the next open
 *
 * A file is synced before it gets its name and the folder after, so a name stands for a whole blob even after a
 * power failure. A blob that comes again takes the place of the old one: equal bytes, or better ones where the disk
 * has damaged them. A file's time says when the blob was last put or taken from a room.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobHash, parseBlobHash } from '../../codec/bytes/blob-hash.js';
import type { BlobBytes, BlobDraft } from '../../ports/blob-bytes.js';
import { StoreError } from '../../ports/store.js';
import { makeFolder, onDisk, syncFolder, unlessGone } from './disk.js';

const CHUNK_BYTES = 128 * 1024;

export class BlobFiles implements BlobBytes {
  readonly #folder: string;
  readonly #incoming: string;
  /** Folders whose own names this process has made durable. */
  readonly #made = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, 'incoming');
  }

  async removeLeftovers(): Promise<void> {
    await this.#onDisk('tidy', () => rm(this.#incoming, { recursive: true, force: true }));
  }

  async draft(hash: BlobHash, bytes: AsyncIterable<Uint8Array>): Promise<BlobDraft> {
    const path = join(this.#incoming, randomUUID());
    const file = await this.#onDisk('write', async () => {
      await this.#make(this.#folder);
      await this.#make(this.#incoming);
      return open(path, 'wx', 0o600);
    });
    try {
      let size = 0;
      try {
        for await (const chunk of bytes) {
          await this.#onDisk('write', () => file.writeFile(chunk));
          size += chunk.length;
        }
        await this.#onDisk('write', () => file.sync());
      } finally {
        await file.close();
      }
      return { size, place: () => this.#place(path, hash), discard: () => rm(path, { force: true }) };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  async size(hash: BlobHash): Promise<number | undefined> {
    return (await this.#stat(hash))?.size;
  }

  /** Unix milliseconds. */
  async touched(hash: BlobHash): Promise<number | undefined> {
    const found = await this.#stat(hash);
    return found && Math.floor(found.mtimeMs);
  }

  async touch(hash: BlobHash): Promise<void> {
    const now = new Date();
    await this.#onDisk('write', () => unlessGone(utimes(this.#pathOf(hash), now, now)));
  }

  async remove(hash: BlobHash): Promise<boolean> {
    return this.#onDisk('delete', async () => {
      const path = this.#pathOf(hash);
      const removed = await unlessGone(unlink(path).then(() => true));
      if (removed) await syncFolder(dirname(path));
      return removed ?? false;
    });
  }

  async total(): Promise<number> {
    let bytes = 0;
    for await (const hash of this.all()) bytes += (await this.size(hash)) ?? 0;
    return bytes;
  }

  async *all(): AsyncGenerator<BlobHash> {
    for (const start of await this.#names(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(start)) continue;
      for (const rest of await this.#names(join(this.#folder, start))) {
        const hash = parseBlobHash(start + rest);
        if (hash) yield hash;
      }
    }
  }

  async #place(path: string, hash: BlobHash): Promise<void> {
    await this.#onDisk('write', async () => {
      const folder = dirname(this.#pathOf(hash));
      await this.#make(folder);
      await rename(path, this.#pathOf(hash));
      await syncFolder(folder);
    });
  }

  async *read(hash: BlobHash, from: number, to: number): AsyncGenerator<Uint8Array> {
    const file = await this.#onDisk('read', () => open(this.#pathOf(hash), 'r'));
    try {
      for (let at = from; at < to;) {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, to - at));
        const { bytesRead } = await this.#onDisk('read', () => file.read(chunk, 0, chunk.length, at));
        if (bytesRead === 0)
          throw new StoreError('damaged', `${this.#pathOf(hash)} is cut short; upload the blob again`);
        at += bytesRead;
        yield chunk.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }

  async #make(folder: string): Promise<void> {
    if (this.#made.has(folder)) return;
    await makeFolder(folder);
    this.#made.add(folder);
  }

  #stat(hash: BlobHash): Promise<{ readonly size: number; readonly mtimeMs: number } | undefined> {
    return this.#onDisk('read', () => unlessGone(stat(this.#pathOf(hash))));
  }

  async #names(folder: string): Promise<string[]> {
    const names = await this.#onDisk('list', () => unlessGone(readdir(folder)));
    return (names ?? []).sort();
  }

  /** Looks again: without types anything may come, and it would be a path. */
  #pathOf(hash: BlobHash): string {
    if (!parseBlobHash(hash)) throw new TypeError('the name of a blob is 64 lower-case hex characters');
    return join(this.#folder, hash.slice(0, 2), hash.slice(2));
  }

  #onDisk<T>(verb: string, task: () => Promise<T>): Promise<T> {
    return onDisk(`${verb} blobs in ${this.#folder}`, task);
  }
}
