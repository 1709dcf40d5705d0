/**
 * Copies of a data folder: of one that is in use, as of one moment, and back.
 *
 * A copy is a data folder itself, with `backup.json` in it, which says what there is. The database is read through a
 * snapshot; blobs never change, and those that the snapshot names were there before it. A copy gets its name when all of
 * it is durable: what is found under the name is whole. Everything is checked on its way; what is damaged is told.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, readFile, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Level } from 'level';
import { z } from 'zod';
import { type BlobHash, parseBlobHash } from '../../codec/bytes/blob-hash.js';
import { isReserved } from '../../codec/bytes/room-id.js';
import { BlobError, type BlobStore } from '../../ports/blob-store.js';
import { StoreError } from '../../ports/store.js';
import { checked } from '../blob-bytes.js';
import { BlobFiles } from './blob-files.js';
import { hasCode, makeFolders, onDisk, syncFolder, unlessGone } from './disk.js';
import type { Change, LogDatabase } from './log-database.js';
import { isSound } from './segments.js';

export interface Copied {
  readonly rooms: number;
  readonly blobs: number;
  /** Bytes of records, segments and blobs. */
  readonly bytes: number;
  /** What was found to be other than it was written: copied as it is if it is of the log, left out if it is a blob. */
  readonly damaged: readonly string[];
}

/** Whoever waits for a copy. */
export interface Watching {
  /** Bytes that were copied, of about how many there are. */
  readonly progress?: (bytes: number, about: number) => void;
  /** When it is aborted nothing is left of the copy. */
  readonly signal?: AbortSignal;
}

const Manifest = z.object({ format: z.literal(1), made_at: z.string(), blobs_included: z.boolean() });
const MANIFEST = 'backup.json';
const BATCH_BYTES = 1024 * 1024;

/** What of a store is copied. */
interface Source {
  readonly folder: string;
  readonly database: LogDatabase;
  /** Undefined when they are not the folder's own. */
  readonly blobs: BlobStore | undefined;
}

export function copyStore(
  { folder, database, blobs }: Source,
  target: string,
  watching: Watching = {},
): Promise<Copied> {
  if (`${resolve(target)}${sep}`.startsWith(`${resolve(folder)}${sep}`)) {
    const message = `${target} is in the data folder, and would be lost with it; name a folder elsewhere`;
    return Promise.reject(new StoreError('failed', message));
  }
  return inNewFolder(target, async (work) => {
    const tally = await Tally.of(folder, watching);
    const named = await copyDatabase(database, join(work, 'log'), tally);
    if (blobs) await copyBlobs(named, blobs, join(work, 'blobs'), tally);
    await copyKeys(folder, work);
    const manifest = { format: 1, made_at: new Date().toISOString(), blobs_included: blobs !== undefined };
    await writeSynced(join(work, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    return tally.copied;
  });
}

/** Makes a data folder of a copy. It must not be there yet. */
export async function restoreBackup(source: string, target: string, watching: Watching = {}): Promise<Copied> {
  const path = join(source, MANIFEST);
  const text = await onDisk(`read ${path}`, () => unlessGone(readFile(path, 'utf8')));
  if (text === undefined) {
    throw new StoreError('unreadable', `${source} is no backup, it has no ${MANIFEST}; name one that weft backup made`);
  }
  const manifest = parsed(text);
  if (!Manifest.safeParse(manifest).success) {
    throw new StoreError(
      'newer-format',
      `${source} is not a backup that this version of Weft can read; use the version that made it`,
    );
  }
  return inNewFolder(target, async (work) => {
    const tally = await Tally.of(source, watching);
    // Copied as files: opening the database would write to the copy.
    await copyFiles(join(source, 'log'), join(work, 'log'));
    const database = await openDatabase(join(work, 'log'));
    try {
      for await (const [key, value] of database.iterator()) tally.entry(key, value);
    } finally {
      await database.close();
    }
    const files = new BlobFiles(join(source, 'blobs'));
    for await (const hash of files.all()) await copyBlob(hash, files, new BlobFiles(join(work, 'blobs')), tally);
    await copyKeys(source, work);
    await rm(join(work, MANIFEST), { force: true });
    return tally.copied;
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no backup, like any other text that is none
  }
}

class Tally {
  readonly #watching: Watching;
  readonly #about: number;
  readonly #rooms = new Set<string>();
  readonly #damaged: string[] = [];
  #blobs = 0;
  #bytes = 0;

  private constructor(watching: Watching, about: number) {
    this.#watching = watching;
    this.#about = about;
  }

  static async of(folder: string, watching: Watching): Promise<Tally> {
    return new Tally(watching, watching.progress ? await bytesIn(folder) : 0);
  }

  entry(key: string, value: Uint8Array): void {
    const [table = '', name = ''] = key.split('!');
    // The host's own are copied, and counted nowhere.
    if ((table === 'n' || table === 'g') && !isReserved(name)) this.#rooms.add(name);
    if (!isSound(key, value)) this.#damaged.push(key);
    this.#add(value.length);
  }

  blob(size: number): void {
    this.#blobs++;
    this.#add(size);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    this.#watching.signal?.throwIfAborted();
    this.#watching.progress?.(this.#bytes, Math.max(this.#bytes, this.#about));
  }

  lost(hash: BlobHash): void {
    this.#damaged.push(`blob ${hash}`);
  }

  get copied(): Copied {
    return { rooms: this.#rooms.size, blobs: this.#blobs, bytes: this.#bytes, damaged: this.#damaged };
  }
}

/** Answers the blobs that it names. */
async function copyDatabase(database: LogDatabase, location: string, tally: Tally): Promise<ReadonlySet<BlobHash>> {
  const named = new Set<BlobHash>();
  const copy = await openDatabase(location);
  const snapshot = database.snapshot();
  try {
    let batch: Change[] = [];
    let size = 0;
    for await (const [key, value] of database.iterator({ snapshot })) {
      tally.entry(key, value);
      const hash = key.startsWith('b!') ? parseBlobHash(key.split('!')[1] ?? '') : undefined;
      if (hash) named.add(hash);
      batch.push({ type: 'put', key, value });
      size += value.length;
      if (size < BATCH_BYTES) continue;
      await copy.batch(batch);
      [batch, size] = [[], 0];
    }
    // What is written with sync makes durable what was written before.
    await copy.batch(batch, { sync: true });
  } finally {
    await snapshot.close();
    await copy.close();
  }
  return named;
}

async function copyBlobs(named: ReadonlySet<BlobHash>, blobs: BlobStore, folder: string, tally: Tally): Promise<void> {
  const copy = new BlobFiles(folder);
  const bytes = {
    size: (hash: BlobHash) => blobs.size(hash),
    async *read(hash: BlobHash) {
      yield* (await blobs.get(hash))?.bytes ?? [];
    },
  };
  for (const hash of named) await copyBlob(hash, bytes, copy, tally);
}

async function copyBlob(
  hash: BlobHash,
  from: Pick<BlobFiles, 'size' | 'read'>,
  to: BlobFiles,
  tally: Tally,
): Promise<void> {
  const size = await from.size(hash);
  if (size === undefined) return tally.lost(hash);
  try {
    const draft = await to.draft(hash, checked(hash, from.read(hash, 0, size), size));
    await draft.place();
    tally.blob(size);
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    tally.lost(hash);
  }
}

/** On the disk, where the log is compressed and holds some of what is gone: about as many as there are to copy. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const part of ['log', 'blobs']) {
    const entries = await unlessGone(readdir(join(folder, part), { withFileTypes: true, recursive: true }));
    for (const entry of entries ?? [])
      if (entry.isFile()) bytes += (await unlessGone(stat(join(entry.parentPath, entry.name))))?.size ?? 0;
  }
  return bytes;
}

/** The small files beside logs and blobs: keys, tokens, the format. */
async function copyKeys(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile()) await writeSynced(join(to, entry.name), await readFile(join(from, entry.name)));
  }
}

async function copyFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const name of await readdir(from)) {
    await copyFile(join(from, name), join(to, name));
    const file = await open(join(to, name), 'r');
    await file.sync().finally(() => file.close());
  }
  await syncFolder(to);
}

async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content, { mode: 0o600, flush: true });
}

async function openDatabase(location: string): Promise<LogDatabase> {
  const database: LogDatabase = new Level(location, { keyEncoding: 'utf8', valueEncoding: 'view' });
  await database.open();
  return database;
}

/** Fills a folder under another name, then gives it its own. */
async function inNewFolder(target: string, fill: (work: string) => Promise<Copied>): Promise<Copied> {
  const folder = resolve(target);
  const work = `${folder}.${randomUUID()}.incomplete`;
  return onDisk(`write ${folder}`, async () => {
    await makeFolders(dirname(folder));
    await mustBeNew(folder);
    await mkdir(work, { mode: 0o700 });
    try {
      const copied = await fill(work);
      await syncFolder(work);
      await rename(work, folder);
      await syncFolder(dirname(folder));
      return copied;
    } catch (error) {
      await rm(work, { recursive: true, force: true });
      throw error;
    }
  });
}

/** An empty folder may be there. */
async function mustBeNew(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EBUSY')) throw error;
    throw new StoreError('failed', `${folder} is there already; name a folder that is not`, { cause: error });
  }
}
