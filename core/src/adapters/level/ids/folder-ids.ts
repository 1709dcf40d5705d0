/**
 * Files of ids in a folder, as runs: what follows makes a new one, into which go those before it that are not much longer.
 *
 *   <folder>/<SHA-256 of the room's id>.ids/<uuid>   a run, mode 600
 *
 * One is synced before it gets its name and the folder after.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toHex, toUtf8 } from '../../../codec/bytes/bytes.js';
import { sha256 } from '../../../codec/bytes/hash.js';
import type { RoomId } from '../../../codec/bytes/room-id.js';
import type { FiledIds } from '../../../codec/nodes/filed-ids.js';
import { DIGEST_WORDS } from '../../../codec/sha256/words.js';
import type { IdFiles } from '../../../ports/id-files.js';
import { StoreError } from '../../../ports/store.js';
import { makeFolder, onDisk, syncFolder, unlessGone } from '../disk.js';
import { IdRun } from './id-run.js';
import { IdRuns } from './id-runs.js';
import type { Salt } from './layout.js';
import { PageCache } from './page-cache.js';
import { writeRun } from './write-run.js';

/** A run goes into the next one unless it is more than so many times as long: of ten million ids there are never more than a few. */
const MUCH_LONGER = 2;
const NAME = /^[0-9a-f-]{36}$/;

export class FolderIds implements IdFiles {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #pages = new PageCache();
  #closed = false;

  /** What is being written, and what a crash leaves of it, is `incoming`. */
  constructor(folder: string, incoming: string) {
    this.#folder = folder;
    this.#incoming = incoming;
  }

  /** What is being written will be refused. */
  close(): void {
    this.#closed = true;
  }

  async open(room: RoomId, names: readonly string[]): Promise<FiledIds | undefined> {
    const runs: IdRun[] = [];
    for (const name of names) {
      const run = NAME.test(name) ? await this.#open(room, name) : undefined;
      if (!run) return undefined;
      runs.push(run);
    }
    return new IdRuns(runs);
  }

  async add(room: RoomId, held: FiledIds | undefined, words: Int32Array): Promise<FiledIds> {
    const runs = held instanceof IdRuns ? held.runs : [];
    let kept = held && this.isOf(room, held) ? runs.length : 0;
    if (words.length === 0 && kept === runs.length) return held ?? new IdRuns([]);
    let count = words.length / DIGEST_WORDS;
    while (kept > 0 && runs[kept - 1]!.count <= count * MUCH_LONGER) count += runs[--kept]!.count;
    const salt = runs[0]?.salt ?? newSalt();
    const name = await this.#onDisk('write', () => this.#write(room, salt, runs.slice(kept), words));
    const run = await this.#open(room, name);
    if (!run) throw new StoreError('failed', `cannot read what was just written to ${this.#folderOf(room)}`);
    return new IdRuns([...runs.slice(0, kept), run]);
  }

  isOf(room: RoomId, ids: FiledIds): boolean {
    return ids instanceof IdRuns && ids.runs.every((run) => run.room === room);
  }

  async keep(room: RoomId, names: readonly string[]): Promise<void> {
    await this.#onDisk('delete', async () => {
      const folder = this.#folderOf(room);
      if (names.length === 0) return rm(folder, { recursive: true, force: true });
      for (const name of (await unlessGone(readdir(folder))) ?? [])
        if (!names.includes(name)) await rm(join(folder, name), { force: true });
    });
  }

  async #write(room: RoomId, salt: Salt, runs: readonly IdRun[], words: Int32Array): Promise<string> {
    const folder = this.#folderOf(room);
    for (const made of [this.#folder, folder, this.#incoming]) await makeFolder(made);
    const name = randomUUID();
    const draft = join(this.#incoming, name);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await writeRun(file, room, salt, runs, words);
        await file.sync();
      } finally {
        await file.close();
      }
      if (this.#closed) throw new StoreError('failed', 'the store is closed; nothing of the ids was kept');
      await rename(draft, join(folder, name));
      await syncFolder(folder);
      return name;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  #open(room: RoomId, name: string): Promise<IdRun | undefined> {
    return IdRun.open(join(this.#folderOf(room), name), room, name, this.#pages);
  }

  #folderOf(room: RoomId): string {
    return join(this.#folder, `${hashOf(room)}.ids`);
  }

  #onDisk<T>(verb: string, task: () => Promise<T>): Promise<T> {
    return onDisk(`${verb} ids in ${this.#folder}`, task);
  }
}

/** Name of what belongs to a room: file systems that know no capitals must not mix up two. */
export function hashOf(room: RoomId): string {
  return toHex(sha256(toUtf8(room)));
}

function newSalt(): Salt {
  const [first, second] = globalThis.crypto.getRandomValues(new Uint32Array(2));
  return [first!, second!];
}
