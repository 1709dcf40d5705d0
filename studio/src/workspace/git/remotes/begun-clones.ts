/**
 * Notes of clones that are under way, one file each, against the end of the process: what a killed clone has left is removed at the
 * next start. A clone carries the mark of its note in its own settings, so that nothing else is ever taken for what it left, and what
 * people have added to it since keeps it.
 */
import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readFile, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@weft/core/level';
import { z } from 'zod';
import type { StudioLog } from '../../../log.js';
import { removeTree } from '../../files/remove-tree.js';
import { askGit, readGit } from '../calls/run-git.js';

/** Setting of a clone that is not registered yet. */
const MARK = 'weft.cloning';
const NOTE = '.json';
const MOST_PATHS_BYTES = 256 << 20;

const Begun = z.object({ folder: z.string(), isNew: z.boolean() });
/** A folder that is cloned into, and whether the clone makes it. */
export type Begun = z.infer<typeof Begun>;

export class BegunClones {
  readonly #notes: string;
  readonly #log: StudioLog | undefined;

  constructor(notes: string, log?: StudioLog) {
    this.#notes = notes;
    this.#log = log;
  }

  /** Runs a clone, whose settings are to hold the mark, up to where the folder is registered or empty again. */
  async during<T>(begun: Begun, work: (settings: readonly string[]) => Promise<T>): Promise<T> {
    const mark = randomUUID();
    await this.#write(mark, begun);
    let isDone = false;
    try {
      const done = await work([`--config=${MARK}=${mark}`]);
      isDone = true;
      return done;
    } finally {
      if (isDone) await unmark(begun.folder);
      // What could not be removed is tried again at the next start.
      if (!(await isMarked(begun.folder, mark))) await this.#remove(mark);
    }
  }

  /** Removes what clones have left that ended with their process. */
  async recover(isRegistered: (folder: string) => boolean): Promise<void> {
    for (const name of await readdir(this.#notes).catch(() => [])) {
      if (!name.endsWith(NOTE)) continue;
      const mark = name.slice(0, -NOTE.length);
      const begun = begunIn(await readFile(join(this.#notes, name), 'utf8'));
      try {
        // A note that is no note was begun to be written: its clone had not begun.
        if (begun !== undefined) await this.#clear(begun, mark, isRegistered(begun.folder));
        await this.#remove(mark);
      } catch (error) {
        const message = 'what a clone has left cannot be removed, and is tried again at the next start';
        this.#log?.({ level: 'warn', message, about: { folder: begun?.folder ?? name }, error });
      }
    }
  }

  async #clear({ folder, isNew }: Begun, mark: string, isRegistered: boolean): Promise<void> {
    const isLeft = await isMarked(folder, mark);
    const about = { folder };
    if (isLeft && !isRegistered && (await isAddedTo(folder))) {
      const message = 'a clone was not finished; it stays, because of what was added to its folder since';
      this.#log?.({ level: 'warn', message, about });
    } else if (isLeft && !isRegistered) {
      for (const name of await readdir(folder)) await removeTree(join(folder, name));
      this.#log?.({ level: 'info', message: 'what a clone has left that was not finished is removed', about });
    }
    if (isLeft) await unmark(folder);
    if (isNew && !isRegistered) await rmdir(folder).catch(unlessOthers);
  }

  async #write(mark: string, begun: Begun): Promise<void> {
    await mkdir(this.#notes, { recursive: true, mode: 0o700 });
    const file = await open(this.#note(mark), 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(begun));
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(this.#notes);
  }

  #remove(mark: string): Promise<void> {
    return rm(this.#note(mark), { force: true });
  }

  #note(mark: string): string {
    return join(this.#notes, mark + NOTE);
  }
}

function begunIn(text: string): Begun | undefined {
  try {
    return Begun.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Whether a folder, and no link to one, holds the clone of a note. */
async function isMarked(folder: string, mark: string): Promise<boolean> {
  const found = await Promise.all([folder, join(folder, '.git')].map((path) => lstat(path).catch(() => undefined)));
  if (!found.every((one) => one?.isDirectory())) return false;
  const { answer } = await askGit(folder, ['config', '--local', '--get', MARK]);
  return answer.trim() === mark;
}

async function unmark(folder: string): Promise<void> {
  if (await lstat(folder).catch(() => undefined))
    await askGit(folder, ['config', '--local', '--remove-section', MARK.slice(0, MARK.indexOf('.'))]);
}

/** Whether the folder of a clone has commits or files that the clone did not bring. What cannot be told has. */
async function isAddedTo(folder: string): Promise<boolean> {
  const head = await askGit(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  // It ended before anything was checked out.
  if (head.code !== 0) return (await readdir(folder)).some((name) => name !== '.git');
  const brought = ['--not', '--remotes', '--tags'];
  const own = await askGit(folder, ['rev-list', '--max-count=1', '--branches', '--reflog', 'HEAD', ...brought]);
  if (own.code !== 0 || own.answer !== '') return true;
  if (await lstat(join(folder, '.git', 'index')).catch(() => undefined)) {
    const status = ['status', '--porcelain', '-z', '--ignored', '--untracked-files=all'];
    const { code, answer } = await askGit(folder, status);
    return code !== 0 || answer !== '';
  }
  // The index is written when all files are: what is there was being checked out.
  const args = ['ls-tree', '-r', '-z', '--full-tree', '--name-only', 'HEAD'];
  const { code, bytes } = await readGit({ folder, args, most: MOST_PATHS_BYTES });
  const tracked = new Set(bytes.toString('utf8').split('\0'));
  return code !== 0 || (await hasOther(folder, '', tracked));
}

async function hasOther(folder: string, below: string, tracked: ReadonlySet<string>): Promise<boolean> {
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (path === '.git') continue;
    if (entry.isDirectory() ? await hasOther(folder, path, tracked) : !tracked.has(path)) return true;
  }
  return false;
}

function unlessOthers(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTEMPTY' && error.code !== 'ENOTDIR') throw error;
}
