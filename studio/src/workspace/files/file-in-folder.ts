/**
 * File access inside a workspace's folder. No link is followed, neither on the way nor at its end: its target may be anywhere.
 * Writes are atomic: a temporary file beside the folder is renamed into place, so that nobody sees half of it, and a crash
 * leaves nothing in the folder.
 */
import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refusal } from '../../reasons.js';
import { fileInside, safePath } from './safe-path.js';

const MOST_READ_BYTES = 10 << 20;

/** Content of a file, or undefined when there is none. */
export async function readBytes(folder: string, path: string): Promise<Buffer | undefined> {
  const absolute = await fileInside(folder, path);
  // Non-blocking, since the path may be a pipe that nobody writes to.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(absolute, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw noFile(path, error.code === 'ELOOP' ? 'is a link' : `cannot be read (${error.code ?? error.message})`);
  });
  if (!file) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile()) throw noFile(path, 'is no file');
    if (found.size > MOST_READ_BYTES)
      throw refusal('reject.file_too_large', `${path} has ${found.size} bytes`, { path, most: MOST_READ_BYTES });
    return await file.readFile();
  } finally {
    await file.close();
  }
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
  const absolute = await fileInside(folder, path);
  const found = await lstat(absolute).catch(() => undefined);
  if (found && !found.isFile()) throw noFile(path, found.isSymbolicLink() ? 'is a link' : 'is no file');
  if (!found) await refuseTwin(folder, path);
  await makeParents(folder, path);
  const aside = join(dirname(folder), `.${randomBytes(12).toString('hex')}.tmp`);
  try {
    await writeFile(aside, text, { flag: 'wx' });
    if (found) await chmod(aside, found.mode & 0o777);
    await rename(aside, absolute);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

/** Creates parent folders one by one: a workspace that was removed is not made again. */
async function makeParents(folder: string, path: string): Promise<void> {
  let at = folder;
  for (const name of ['', ...safePath(path).split('/').slice(0, -1)]) {
    at = join(at, name);
    await (name === '' ? lstat(at) : mkdir(at)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw refusal('reject.workspace_gone', `the folder of ${path} has gone`, { path });
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Removes a file; answers whether it was there. */
export async function removeFile(folder: string, path: string): Promise<boolean> {
  const absolute = await fileInside(folder, path);
  const found = await lstat(absolute).catch(() => undefined);
  if (!found) return false;
  if (found.isDirectory()) throw noFile(path, 'is a folder');
  await rm(absolute);
  return true;
}

/** Guard against twins: on many disks two names that differ only in case are the same file. */
async function refuseTwin(folder: string, path: string): Promise<void> {
  const names = safePath(path).split('/');
  let at = folder;
  for (const name of names) {
    const there = await readdir(at).catch((): string[] => []);
    const twin = there.find((other) => other !== name && fold(other) === fold(name));
    if (twin !== undefined && !there.includes(name))
      throw refusal('reject.path_outside_repository', `${path} differs from what is there (${twin}) in case alone`, {
        path,
        twin,
      });
    if (!there.includes(name)) return;
    at = join(at, name);
  }
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function noFile(path: string, why: string): Error {
  return refusal('reject.not_a_file', `${path} ${why}`, { path });
}
