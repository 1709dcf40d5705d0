/**
 * File access inside a workspace's folder. No link is followed, neither on the way nor at its end: its target may be anywhere.
 * Writes are atomic: a temporary file beside the folder is renamed into place, so that nobody sees half of it, and a crash
 * leaves nothing in the folder.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmod, lstat, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refusal } from '../../reasons.js';
import { atEntry, inFolder, notAFile, readRegular } from './no-links.js';
import { safePath } from './safe-path.js';

const MOST_READ_BYTES = 10 << 20;

/** Content of a file, or undefined when there is none. */
export function readBytes(folder: string, path: string): Promise<Buffer | undefined> {
  return readRegular(folder, path, MOST_READ_BYTES);
}

/** Text of a file, byte for byte; undefined when it has a NUL or is not UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Content digest. */
export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export async function writeText(folder: string, path: string, text: string): Promise<void> {
  await requireTwinless(folder, path);
  const write = async (absolute: string): Promise<true> => {
    const found = await lstat(absolute).catch(() => undefined);
    if (found && !found.isFile()) throw notAFile(path, found.isSymbolicLink() ? 'is a link' : 'is no file');
    const aside = join(dirname(folder), `.${randomBytes(12).toString('hex')}.tmp`);
    try {
      await writeFile(aside, text, { flag: 'wx' });
      if (found) await chmod(aside, found.mode & 0o777);
      await rename(aside, absolute);
      return true;
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    }
  };
  // Missing folders are made, but for the workspace itself: one that was removed is not made again.
  if (await atEntry(folder, path, write, { make: true })) return;
  if ((await inFolder(folder, '', async () => true)) === true)
    throw notAFile(path, 'cannot be made: a folder on its way is a file');
  throw refusal('reject.workspace_gone', `the folder of ${path} has gone`, { path });
}

/** Removes a file; answers whether it was there. */
export async function removeFile(folder: string, path: string): Promise<boolean> {
  const removed = await atEntry(folder, path, async (absolute) => {
    const found = await lstat(absolute).catch(() => undefined);
    if (!found) return false;
    if (found.isDirectory()) throw notAFile(path, 'is a folder');
    await rm(absolute);
    return true;
  });
  return removed ?? false;
}

/** Guard against twins: on many disks two names that differ only in case are the same file. */
async function requireTwinless(folder: string, path: string): Promise<void> {
  const names = safePath(path).split('/');
  for (const [depth, name] of names.entries()) {
    const there = await inFolder(folder, names.slice(0, depth).join('/'), (at) => readdir(at));
    if (there === undefined || there.includes(name)) continue;
    const twin = there.find((other) => fold(other) === fold(name));
    if (twin === undefined) return;
    throw refusal('reject.path_outside_repository', `${path} differs from what is there (${twin}) in case alone`, {
      path,
      twin,
    });
  }
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
