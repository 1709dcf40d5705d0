/**
 * Stale lock cleanup: a killed git leaves lock files, each of which would block every later write, and unfinished packs, which
 * nobody uses. They are removed at the start, but only once no process that may have made them is alive: a git that outlived
 * the studio that started it still owns its lock.
 */
import { readFile, readdir, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Age at which a lock has no owner, where processes cannot be listed: no git of ours runs for so long. */
const OLD_MS = 10 * 60_000;

/** Removes stale files; answers their paths. */
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
    // Objects are written under other names, and are very many.
    if (entry.isDirectory() && entry.name !== 'objects') found.push(...(await locksIn(path)));
    else if (entry.isFile() && entry.name.endsWith('.lock')) found.push(path);
  }
  return found;
}

/** Unfinished packs, which may be large. */
async function draftsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.startsWith('tmp_')).map((name) => join(folder, name));
}

/** Whether a git process works in the folder; undefined where that cannot be found out. */
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
