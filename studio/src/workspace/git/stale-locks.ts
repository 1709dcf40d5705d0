/**
 * What a git left behind when it was killed: lock files, each of which would stop every later write, and packs that were not finished,
 * which nobody ever looks at. They are taken away at the start, but only once nothing that may have made them is alive: a git that
 * outlived the studio that started it still owns its lock.
 */
import { readFile, readdir, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Where processes cannot be listed, a lock of this age has no owner: no git of ours runs for so long. */
const OLD_MS = 10 * 60_000;

/** Answers the files that were taken away. */
export async function clearStaleLocks(folder: string): Promise<string[]> {
  const left = [...(await locksIn(folder)), ...(await draftsIn(join(folder, 'objects', 'pack')))];
  if (left.length === 0) return [];
  const isOwned = await gitIsAt(folder);
  const cleared: string[] = [];
  for (const file of left) {
    if (isOwned ?? !(await isOld(file))) continue;
    await rm(file, { force: true });
    cleared.push(file);
  }
  return cleared;
}

async function locksIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    // Objects are written under other names, and there are very many of them.
    if (entry.isDirectory() && entry.name !== 'objects') found.push(...(await locksIn(path)));
    else if (entry.isFile() && entry.name.endsWith('.lock')) found.push(path);
  }
  return found;
}

/** Of packs, which may be large. */
async function draftsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith('tmp_')).map((name) => join(folder, name));
}

/** Whether a living git works in the folder; undefined where that cannot be found out. */
async function gitIsAt(folder: string): Promise<boolean | undefined> {
  const processes = await readdir('/proc').catch(() => undefined);
  if (processes === undefined) return undefined;
  for (const pid of processes) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!/^([^\0]*\/)?git[^/\0]*\0/.test(command)) continue;
    const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (place === folder || place.startsWith(`${folder}/`) || command.includes(folder)) return true;
  }
  return false;
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined || Date.now() - found.mtimeMs > OLD_MS;
}
