/**
 * Archives as files of a folder, and of folders in it; nothing outside can be named.
 *
 *   <root>/<path>                 an archive, mode 600
 *   <root>/.incoming/<uuid>       one that is being written; what a crash leaves there goes after a day
 *
 * A name is a path of plain segments, or an absolute one that leads into the folder. No link is followed on the way. A file
 * is synced before it gets its name, and the folder after, so a name stands for a whole archive even after a power failure.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { type ArchiveFile, ArchiveNameError, type ArchiveStore } from '../../ports/archive-store.js';
import { StoreError } from '../../ports/store.js';
import { isArchiveName } from '../archive-names.js';
import { makeFolder, onDisk, syncFolder, unlessGone } from '../level/disk.js';

const CHUNK_BYTES = 128 * 1024;
const INCOMING = '.incoming';
const LEFT_MS = 24 * 3_600_000;

export function folderArchives(root: string): ArchiveStore {
  return new FolderArchives(resolve(root));
}

class FolderArchives implements ArchiveStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async open(name: string): Promise<ArchiveFile | undefined> {
    const path = await this.#pathOf(name);
    const handle = await this.#onDisk('read', () => unlessGone(open(path, constants.O_RDONLY | constants.O_NOFOLLOW)));
    return handle && new OpenFile(handle, (await handle.stat()).size, path);
  }

  async put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = await this.#pathOf(name);
    await this.#onDisk('write', () => makeFolder(this.#root));
    const draft = await this.#draft(bytes);
    try {
      await this.#onDisk('write', async () => {
        await this.#makeFolders(dirname(path));
        await rename(draft, path);
        await syncFolder(dirname(path));
      });
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async #draft(bytes: AsyncIterable<Uint8Array>): Promise<string> {
    const folder = join(this.#root, INCOMING);
    const path = join(folder, randomUUID());
    const file = await this.#onDisk('write', async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeLeftovers(folder);
      return open(path, 'wx', 0o600);
    });
    try {
      try {
        for await (const chunk of bytes) await this.#onDisk('write', () => file.writeFile(chunk));
        await this.#onDisk('write', () => file.sync());
      } finally {
        await file.close();
      }
      return path;
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** Each one's own name is durable in the one above. */
  async #makeFolders(folder: string): Promise<void> {
    if (folder === this.#root) return;
    await this.#makeFolders(dirname(folder));
    await makeFolder(folder);
  }

  /** Where a name leads, when nothing on the way is a link. */
  async #pathOf(name: string): Promise<string> {
    const root = this.#root.endsWith(sep) ? this.#root : this.#root + sep;
    const relative = name.startsWith(root) ? name.slice(root.length) : name;
    if (relative.startsWith('/')) throw new ArchiveNameError('it leads outside of the folder of archives');
    if (!isArchiveName(relative))
      throw new ArchiveNameError('a name is a path of letters, digits and - _ . ~ + = @, and leads nowhere else');
    const full = join(this.#root, relative);
    let path = this.#root;
    for (const segment of relative.split('/')) {
      path = join(path, segment);
      const found = await this.#onDisk('read', () => unlessGone(lstat(path)));
      if (!found) break;
      if (path === full ? !found.isFile() : !found.isDirectory())
        throw new ArchiveNameError('it names a folder, or leads through a file or over a link');
    }
    return full;
  }

  #onDisk<T>(verb: string, task: () => Promise<T>): Promise<T> {
    return onDisk(`${verb} archives in ${this.#root}`, task);
  }
}

class OpenFile implements ArchiveFile {
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #path: string;

  constructor(handle: FileHandle, size: number, path: string) {
    this.#handle = handle;
    this.size = size;
    this.#path = path;
  }

  async *read(from: number, to: number): AsyncGenerator<Uint8Array> {
    for (let at = from; at < to;) {
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, to - at));
      const { bytesRead } = await onDisk(`read ${this.#path}`, () => this.#handle.read(chunk, 0, chunk.length, at));
      if (bytesRead === 0) throw new StoreError('damaged', `${this.#path} was cut short while it was read`);
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await unlessGone(stat(path));
    if (found && Date.now() - found.mtimeMs > LEFT_MS) await rm(path, { force: true });
  }
}
