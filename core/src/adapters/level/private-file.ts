/**
 * Small files that only their owner may read: keys and tokens.
 *
 * A file is written whole or not at all, and one that exists is never replaced: of two processes that start
 * at once the first wins and the second reads the winner's. A file that others can read is refused rather
 * than quietly repaired, because whoever could read it may already hold the secret.
 */
import { randomUUID } from 'node:crypto';
import { constants, link, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '../../ports/store.js';
import { hasCode, syncFolder } from './disk.js';

/** Keys and tokens are short; anything longer is not ours. */
const MAX_BYTES = 4096;

/** The file's text; made with `content` when there is none. */
export async function privateFile(path: string, content: string): Promise<string> {
  const found = await readPrivateFile(path);
  if (found !== undefined) return found;
  await createOnce(path, content);
  const made = await readPrivateFile(path);
  if (made === undefined) throw new StoreError('damaged', `${path} vanished while it was being made; start again`);
  return made;
}

/** What a file has that nobody else may read; undefined where there is none. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (!hasCode(error, 'ELOOP')) throw error;
    throw new StoreError('unreadable', `${path} is a symbolic link; put the file itself there`, { cause: error });
  });
  if (file === undefined) return undefined;
  try {
    const { mode, size } = await file.stat();
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      const remedy = `if nobody else uses this machine: chmod 600 ${path}; otherwise replace the secret in it`;
      throw new StoreError('unreadable', `${path} can be read by others; ${remedy}`);
    }
    if (size > MAX_BYTES) throw new StoreError('damaged', `${path} is too large for a key; restore it from a backup`);
    return await readFile(file, 'utf8');
  } finally {
    await file.close();
  }
}

/** Synced under another name first, then linked: a link, unlike a rename, fails when the name is taken. */
async function createOnce(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
}
