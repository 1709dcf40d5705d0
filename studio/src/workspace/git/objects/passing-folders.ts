/** Temporary folders of a store, one per piece of work. Those of a host that was killed are removed at the next start. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** In-memory file system of Linux. */
const IN_MEMORY = '/dev/shm';

export class PassingFolders {
  readonly #onDisk: string;
  /** Name prefix of those in memory, by which the next start finds them. */
  readonly #inMemory: string;

  constructor(folder: string) {
    this.#onDisk = join(folder, 'passing');
    this.#inMemory = join(IN_MEMORY, `weft-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}-`);
  }

  /** Removes leftovers; runs before any is made. */
  async clear(): Promise<void> {
    await rm(this.#onDisk, { recursive: true, force: true });
    await mkdir(this.#onDisk, { recursive: true });
    const [parent, start] = [dirname(this.#inMemory), basename(this.#inMemory)];
    for (const name of await readdir(parent).catch(() => []))
      // Another user's files with this prefix stay.
      if (name.startsWith(start)) await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }

  async within<T>(what: string, work: (folder: string) => Promise<T>): Promise<T> {
    return useUp(await mkdtemp(join(this.#onDisk, `${what}-`)), work);
  }

  /** Runs work with a folder in memory, where a system has that. */
  async inMemory<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(this.#inMemory).catch(() => undefined);
    return folder === undefined ? this.within('memory', work) : useUp(folder, work);
  }
}

async function useUp<T>(folder: string, work: (folder: string) => Promise<T>): Promise<T> {
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
