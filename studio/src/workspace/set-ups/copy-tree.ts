/**
 * Copies of files and folders, within a bound. They share blocks where the disk can do that, but never an inode: agents write in place.
 * Links are copied as links, and followed by nobody here.
 */
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';

export interface Room {
  bytes: number;
  entries: number;
}

/** Copies that are made at a time in one folder. */
const AT_ONCE = 16;

/** Copies an entry. Throws when it does not fit the room, which it takes from, or holds what is no file, folder or link. */
export async function copyTree(from: string, to: string, room: Room): Promise<void> {
  const found = await lstat(from);
  room.entries -= 1;
  room.bytes -= found.isFile() ? found.size : 0;
  if (room.bytes < 0 || room.entries < 0) throw new Error('it is larger than what is kept');
  if (found.isSymbolicLink()) return symlink(await readlink(from), to);
  if (found.isDirectory()) {
    await mkdir(to, { mode: found.mode & 0o777 });
    const names = await readdir(from);
    for (let n = 0; n < names.length; n += AT_ONCE) {
      const all = await Promise.allSettled(
        names.slice(n, n + AT_ONCE).map((name) => copyTree(join(from, name), join(to, name), room)),
      );
      const failed = all.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    }
    return;
  }
  if (!found.isFile()) throw new Error('it holds what is no file, folder or link');
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  // Build tools compare times.
  await utimes(to, found.atime, found.mtime);
}
