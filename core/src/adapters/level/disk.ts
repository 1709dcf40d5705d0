/** The disk: what it takes for a change to outlive a power failure, and its refusals as sentences that say what to do. */
import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '../../ports/store.js';

export const RESTORE = 'restore the data folder from a backup';

/** After this, names made or changed in the folder are durable. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The folder's own name is synced even when it was there: the process that made it may have died before. */
export async function makeFolder(folder: string): Promise<void> {
  await makeFolders(folder);
  await syncFolder(dirname(folder));
}

/** Where nothing can be made, as in `/proc`, Node's own way of making parents too tries for ever. */
export async function makeFolders(folder: string): Promise<void> {
  const make = (): Promise<void> => mkdir(folder, { mode: 0o700 });
  const parent = dirname(folder);
  try {
    await make().catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOENT') || parent === folder) throw error;
      await makeFolders(parent);
      await make();
    });
  } catch (error) {
    // A link to a folder will do, and a folder that another process has just made.
    if (!(await isFolder(folder))) throw error;
  }
}

/**
 * Folder of files that come with the mode that their writer gives them, such as those of a database: nobody but its owner enters it,
 * also where it or the one above it was made for others. A disk without modes keeps what it has.
 */
export async function makeOwn(folder: string): Promise<void> {
  await makeFolders(folder);
  if (process.platform === 'win32' || ((await stat(folder)).mode & 0o077) === 0) return;
  await chmod(folder, 0o700).catch((error: unknown) => {
    if (!hasCode(error, 'EPERM', 'ENOTSUP')) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Nothing where the file, or its folder, is not there. */
export async function unlessGone<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Runs something on the disk; `doing` is like "write a blob in /data/blobs". */
export async function onDisk<T>(doing: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw diskError(doing, error);
  }
}

/** Passes on what comes one by one from the disk; an error of the disk comes as a `StoreError`. */
export async function* eachOnDisk<T>(doing: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw diskError(doing, error);
  }
}

/** An error of the disk as a `StoreError`. */
export function diskError(doing: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  // LevelDB has no code for it.
  if (hasCode(cause, 'ENOSPC', 'EDQUOT') || reason.endsWith('No space left on device')) {
    return new StoreError('full', `cannot ${doing}: the disk is full; free space or raise the quota`, { cause });
  }
  if (hasCode(cause, 'EROFS') || reason.endsWith('Read-only file system')) {
    const remedy = 'mount it writable, or name a folder elsewhere';
    return new StoreError('unreadable', `cannot ${doing}: the disk is read-only; ${remedy}`, { cause });
  }
  if (hasCode(cause, 'EIO') || reason.endsWith('Input/output error')) {
    const remedy =
      'nothing more is taken until it works again, or until a restart on one that does; what was acknowledged is on it';
    return new StoreError('failed', `cannot ${doing}: the disk fails (${reason}); ${remedy}`, { cause });
  }
  if (hasCode(cause, 'EACCES', 'EPERM')) {
    const remedy = 'give the folder and all in it to the user that runs Weft, writable';
    return new StoreError('unreadable', `cannot ${doing}: permission denied; ${remedy}`, { cause });
  }
  if (hasCode(cause, 'LEVEL_CORRUPTION')) {
    return new StoreError('damaged', `cannot ${doing}: it is damaged; ${RESTORE}`, { cause });
  }
  // No folder can be made there, as in /proc, or the way there has ended in a dangling link.
  if (hasCode(cause, 'ENOENT') && (cause as NodeJS.ErrnoException).syscall === 'mkdir')
    return new StoreError('unreadable', `cannot ${doing}: there can be no such folder; name another`, { cause });
  if (hasCode(cause, 'EEXIST', 'ENOTDIR')) {
    return new StoreError('unreadable', `cannot ${doing}: a file stands where a folder should; name another`, {
      cause,
    });
  }
  if (hasCode(cause, 'EMFILE', 'ENFILE')) {
    return new StoreError('failed', `cannot ${doing}: too many open files; raise the limit (ulimit -n)`, { cause });
  }
  return new StoreError('failed', `cannot ${doing}: ${reason}`, { cause });
}
