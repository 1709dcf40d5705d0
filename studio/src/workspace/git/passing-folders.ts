/** Folders that a store needs for as long as one piece of work takes. What a host that was killed has left of them goes at the next start. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm';

export class PassingFolders {
  readonly #onDisk: string;
  /** How the names of those in memory begin: whoever starts the next host finds them by it. */
  readonly #inMemory: string;

  constructor(folder: string) {
    this.#onDisk = join(folder, 'passing');
    this.#inMemory = join(IN_MEMORY, `weft-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}-`);
  }

  /** Before there are any. */
  async clear(): Promise<void> {
    await rm(this.#onDisk, { recursive: true, force: true });
    await mkdir(this.#onDisk, { recursive: true });
    const [parent, start] = [dirname(this.#inMemory), basename(this.#inMemory)];
    for (const name of await readdir(parent).catch(() => []))
      // What another user has put there under such a name is not ours to take away.
      if (name.startsWith(start)) await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }

  async within<T>(what: string, work: (folder: string) => Promise<T>): Promise<T> {
    return useUp(await mkdtemp(join(this.#onDisk, `${what}-`)), work);
  }

  /** In memory, where a system has room for it. */
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
