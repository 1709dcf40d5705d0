/**
 * Path resolution without links. Each step is opened below the handle of the one before and refused when it is a link, so a
 * folder that is swapped for a link meanwhile leads nowhere else. Whatever reads, writes, mounts, or runs a program below a
 * folder that others write to comes through `inFolder`; a test lists what touches the disk by other ways, and why.
 *
 * Paths through handles need Linux. Elsewhere each step is checked by its name, and a swap between two steps is not seen.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { refusal } from '../../reasons.js';
import { safePath } from './safe-path.js';

/** Flags that open a folder and no link to one. */
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Flags for reading. Non-blocking, since the path may be a pipe that nobody writes to. */
const TO_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
/** Time limit of one read, for disks that have gone away. */
const READ_MS = 30_000;

interface Options {
  /** Whether missing folders are made; that of `root` is not. */
  readonly make?: boolean;
}

/**
 * Runs `use` with a path to the folder `path` (empty: `root` itself) that leads to it and nowhere else until `use` has ended.
 * Undefined when there is no such folder.
 */
export async function inFolder<T>(
  root: string,
  path: string,
  use: (folder: string) => Promise<T>,
  { make = false }: Options = {},
): Promise<T | undefined> {
  const names = path === '' || path === '.' ? [] : safePath(path).split('/');
  let at = await step(root, path);
  try {
    let absolute = at && pathOf(at, root);
    for (const name of names) {
      if (at === undefined || absolute === undefined) return undefined;
      const below = join(absolute, name);
      // Another call may have made it since.
      if (make) await mkdir(below).catch(() => undefined);
      const next = await step(below, path);
      await at.close();
      [at, absolute] = [next, next && pathOf(next, below)];
    }
    return absolute === undefined ? undefined : await use(absolute);
  } finally {
    await at?.close();
  }
}

/** Runs `use` with a path to an entry of a folder. Its last name is not followed here: whoever opens it must not either. */
export function atEntry<T>(
  root: string,
  path: string,
  use: (absolute: string) => Promise<T>,
  options: Options = {},
): Promise<T | undefined> {
  const safe = safePath(path);
  const parent = dirname(safe);
  return inFolder(root, parent, (folder) => use(join(folder, basename(safe))), options);
}

/** Bytes of a regular file, of `most` at the most; undefined when there is none. Nothing else is opened, or waited for. */
export async function readRegular(root: string, path: string, most: number): Promise<Buffer | undefined> {
  const file = await atEntry(root, path, (absolute) =>
    open(absolute, TO_READ).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw notAFile(path, error.code === 'ELOOP' ? 'is a link' : `cannot be read (${error.code ?? error.message})`);
    }),
  );
  if (!file) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw notAFile(path, 'is no file');
    if (found.size > most) throw refusal('reject.file_too_large', `${path} has ${found.size} bytes`, { path, most });
    return await readWhole(file, found.size);
  } finally {
    await file.close();
  }
}

export function notAFile(path: string, why: string): Error {
  return refusal('reject.not_a_file', `${path} ${why}`, { path });
}

/** Content as long as the file was when it was opened: one that grows is not followed. */
async function readWhole(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  const signal = AbortSignal.timeout(READ_MS);
  let end = 0;
  while (end < size) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(bytes, end, size - end, end);
    if (bytesRead === 0) break;
    end += bytesRead;
  }
  return bytes.subarray(0, end);
}

/** Opens one step; undefined when there is no folder. */
async function step(absolute: string, path: string): Promise<FileHandle | undefined> {
  return open(absolute, FOLDER).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code !== 'ENOTDIR' && error.code !== 'ELOOP') throw notAFile(path, `cannot be reached (${error.code})`);
    const target = await readlink(absolute).catch(() => undefined);
    if (target === undefined) return undefined;
    throw refusal('reject.path_outside_repository', `${path} leads through a link to ${target}`, { path });
  });
}

/** Path of an open folder, for every process of this user: the handle's, or its name where a system has no such paths. */
function pathOf({ fd }: FileHandle, named: string): string {
  return process.platform === 'linux' ? `/proc/${process.pid}/fd/${fd}` : named;
}
