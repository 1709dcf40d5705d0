/**
 * A store in a folder, for one process: LevelDB for the logs, plain files for keys, blobs and images.
 *
 *   <folder>/format       the version of this layout
 *   <folder>/server.key   the authority seed, 64 hex characters, mode 600
 *   <folder>/log/         LevelDB, the inventory of blobs too; it holds the lock that keeps a second process out
 *   <folder>/blobs/       the blobs, made with the first one
 *   <folder>/images/      what rooms were like, to open them faster: it may be deleted
 */
import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { fromHex } from '../../codec/bytes/bytes.js';
import type { BlobBytes } from '../../ports/blob-bytes.js';
import type { BlobStore } from '../../ports/blob-store.js';
import { type Images, type NodeLog, type Store, StoreError } from '../../ports/store.js';
import { type Copied, type Watching, copyStore } from './backup.js';
import { InventoriedBlobs } from '../inventoried-blobs.js';
import { BlobFiles } from './blob-files.js';
import { diskError, makeFolders, makeOwn } from './disk.js';
import { FolderImages } from './folder-images.js';
import { FORMAT, formatIn } from './format.js';
import { LevelBlobInventory } from './level-blob-inventory.js';
import { LevelLog } from './level-log.js';
import { lockHolder } from './lock-holder.js';
import type { LogDatabase } from './log-database.js';
import { privateFile } from './private-file.js';
import { SoundWrites } from './sound-writes.js';

interface Opened {
  readonly database: LogDatabase;
  readonly writes: SoundWrites;
  readonly log: NodeLog;
  readonly blobs: InventoriedBlobs;
  readonly images: FolderImages;
}

export interface LevelOptions {
  /** Where the bytes of blobs are, if not in the folder. */
  readonly blobBytes?: BlobBytes | undefined;
}

/** Nothing is touched before `open`, and nothing in a folder that is refused. */
export function levelStore(folder: string, options: LevelOptions = {}): Store {
  return new LevelStore(folder, options);
}

/**
 * Writes a copy of what a store holds now, while it goes on working, into a folder that is not there yet. What was
 * answered before the call is in it. Blobs come too when they are the folder's own.
 */
export function backUp(store: Store, target: string, watching?: Watching): Promise<Copied> {
  if (store instanceof LevelStore) return store.backUp(target, watching);
  throw new StoreError('failed', 'only a data folder can be backed up');
}

class LevelStore implements Store {
  readonly #folder: string;
  readonly #blobBytes: BlobBytes | undefined;
  #opened: Opened | undefined;

  constructor(folder: string, { blobBytes }: LevelOptions) {
    this.#folder = folder;
    this.#blobBytes = blobBytes;
  }

  get log(): NodeLog {
    return this.#parts().log;
  }

  get blobs(): BlobStore {
    return this.#parts().blobs;
  }

  get images(): Images {
    return this.#parts().images;
  }

  async open(): Promise<void> {
    try {
      await makeFolders(this.#folder);
      await checkFormat(join(this.#folder, 'format'), this.#folder);
      // Made only now: the constructor begins to open.
      const location = join(this.#folder, 'log');
      await makeOwn(location);
      const database: LogDatabase = new Level(location, { keyEncoding: 'utf8', valueEncoding: 'view' });
      await database.open();
      const writes = new SoundWrites(database, join(this.#folder, 'space'));
      const files = new BlobFiles(join(this.#folder, 'blobs'));
      const blobs = new InventoriedBlobs(this.#blobBytes ?? files, new LevelBlobInventory(database, writes));
      const images = new FolderImages(join(this.#folder, 'images'));
      this.#opened = { database, writes, log: new LevelLog(database, writes), blobs, images };
      // Only now: another process that has the folder would lose what it is writing.
      await blobs.removeLeftovers();
      await images.removeLeftovers();
    } catch (error) {
      throw await explain(error, this.#folder);
    }
  }

  /** Made on first use. A key file that exists is never replaced. */
  async authoritySeed(): Promise<Uint8Array> {
    const path = join(this.#folder, 'server.key');
    const text = (await privateFile(path, `${randomBytes(32).toString('hex')}\n`)).trim();
    if (/^[0-9a-f]{64}$/i.test(text)) return fromHex(text);
    throw new StoreError('damaged', `${path} must hold 64 hex characters; restore it from a backup`);
  }

  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize;
  }

  backUp(target: string, watching?: Watching): Promise<Copied> {
    const { database, blobs } = this.#parts();
    const own = this.#blobBytes ? undefined : blobs;
    return copyStore({ folder: this.#folder, database, blobs: own }, target, watching);
  }

  async close(): Promise<void> {
    this.#opened?.blobs.close();
    this.#opened?.images.close();
    await this.#opened?.writes.close();
    await this.#opened?.database.close();
  }

  #parts(): Opened {
    if (!this.#opened) throw new StoreError('failed', `the store in ${this.#folder} is not open; await open() first`);
    return this.#opened;
  }
}

async function checkFormat(path: string, folder: string): Promise<void> {
  formatIn(await privateFile(path, `${FORMAT}\n`), folder);
}

async function explain(error: unknown, folder: string): Promise<StoreError> {
  if (error instanceof StoreError) return error;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (codeOf(error) === 'LEVEL_LOCKED' || codeOf(cause) === 'LEVEL_LOCKED') {
    const pid = await lockHolder(folder);
    const holder = `another Weft process${pid === undefined ? '' : ` (${pid})`}`;
    const message = `${folder} is in use by ${holder}; stop it or choose another folder`;
    return new StoreError('locked', message, { cause: error });
  }
  const told = diskError(`use the data folder ${folder}`, cause);
  return told.fault === 'failed' ? new StoreError('unreadable', told.message, { cause: error }) : told;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
