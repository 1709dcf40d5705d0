/**
 * Registry of this user's running studios, so that a command finds one from any folder: a file for each, with its address and its
 * data folder, from its start to its stop. It holds no token: that is read from the data folder, which only its owner can read.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Terminal } from '../syntax/define.js';

export interface KnownStudio {
  readonly origin: string;
  /** Absolute path of its data folder. */
  readonly store: string;
}

interface Entry extends KnownStudio {
  readonly pid: number;
}

type Surroundings = Pick<Terminal, 'environment'>;

/** Notes a studio that runs in this process. Answers what takes the note away. */
export async function noteStudio(
  { origin, store }: KnownStudio,
  surroundings: Surroundings,
): Promise<() => Promise<void>> {
  const folder = folderOf(surroundings);
  if (folder === undefined) return () => Promise.resolve();
  const path = join(folder, `${createHash('sha256').update(origin).digest('hex').slice(0, 16)}.json`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, JSON.stringify({ origin, store: resolve(store), pid: process.pid }), { mode: 0o600 });
  await rename(aside, path);
  return () => rm(path, { force: true });
}

/** Studios whose processes are there. */
export async function knownStudios(surroundings: Surroundings): Promise<readonly KnownStudio[]> {
  const folder = folderOf(surroundings);
  if (folder === undefined) return [];
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const entries = await Promise.all(names.toSorted().map((name) => entryIn(join(folder, name))));
  return entries.flatMap((entry) =>
    entry && isThere(entry.pid) ? [{ origin: entry.origin, store: entry.store }] : [],
  );
}

function folderOf({ environment: { XDG_STATE_HOME: state, HOME: home } }: Surroundings): string | undefined {
  const base = state || (home && join(home, '.local', 'state'));
  return base ? join(base, 'weft', 'studios') : undefined;
}

async function entryIn(path: string): Promise<Entry | undefined> {
  try {
    // Written by this program, whole or not at all.
    return JSON.parse(await readFile(path, 'utf8')) as Entry;
  } catch {
    // Gone meanwhile, or damaged: no studio that can be found by it.
    return undefined;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
