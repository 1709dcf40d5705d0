/**
 * Set-ups on disk: a folder for each kept result, and a small file for the mark of each folder that was set up. A result is whole or not
 * there: it is made aside and renamed. What was used least lately goes first.
 */
import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { inFolder } from '../files/no-links.js';
import { copyTree } from './copy-tree.js';
import type { SetUp, SetUpMark, SetUps } from './set-ups.js';
import { removeTree } from '../files/remove-tree.js';

export interface SetUpLimits {
  /** Size of all that is kept. One result may have half of it. */
  readonly mostBytes: number;
  /** Files, folders and links of one result. */
  readonly mostEntries: number;
  /** Age since it was last used. */
  readonly mostMs: number;
}

const LIMITS: SetUpLimits = { mostBytes: 8 * 2 ** 30, mostEntries: 500_000, mostMs: 14 * 24 * 3600_000 };

const Mark = z.object({ identity: z.string(), before: z.array(z.string()), isDone: z.boolean() });
const Result = z.object({ paths: z.array(z.string()), bytes: z.number() });

export class NodeSetUps implements SetUps {
  readonly all: readonly SetUp[];
  readonly #marks: string;
  readonly #results: string;
  readonly #passing: string;
  readonly #limits: SetUpLimits;
  /** Results that are being copied from; they are not removed. */
  readonly #used = new Map<string, number>();

  constructor(folder: string, all: readonly SetUp[] = [], limits: Partial<SetUpLimits> = {}) {
    this.all = all;
    this.#marks = join(folder, 'marks');
    this.#results = join(folder, 'results');
    this.#passing = join(folder, 'passing');
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Removes what an earlier process was making when it ended, and what is old. */
  async recover(): Promise<void> {
    await removeTree(this.#passing);
    for (const folder of [this.#marks, this.#results, this.#passing])
      await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#sweep();
  }

  async markOf(folder: string): Promise<SetUpMark | undefined> {
    const mark = Mark.safeParse(await jsonOf(this.#markPath(folder))).data;
    return mark?.identity === (await identityOf(folder)) ? mark : undefined;
  }

  async mark(folder: string, { before, isDone }: SetUpMark): Promise<void> {
    const path = this.#markPath(folder);
    await writeFile(`${path}.new`, JSON.stringify({ identity: await identityOf(folder), before, isDone }));
    await rename(`${path}.new`, path);
  }

  async give(key: string, folder: string): Promise<readonly string[] | undefined> {
    const kept = join(this.#results, key);
    const result = Result.safeParse(await jsonOf(join(kept, 'result.json'))).data;
    if (!result) return undefined;
    this.#used.set(key, (this.#used.get(key) ?? 0) + 1);
    const room = { bytes: this.#limits.mostBytes, entries: this.#limits.mostEntries };
    const made: string[] = [];
    try {
      await utimes(join(kept, 'result.json'), new Date(), new Date());
      for (const [n, path] of result.paths.entries()) {
        const done = await inFolder(folder, dirname(path), async (parent) => {
          const to = join(parent, basename(path));
          if (await lstat(to).catch(() => undefined)) throw new Error(`${path} is there`);
          made.push(path);
          await copyTree(join(kept, String(n)), to, room);
          return true;
        });
        if (done !== true) throw new Error(`there is no folder for ${path}`);
      }
      return result.paths;
    } catch {
      // Another layout of the folder, or a damaged result: the script is run.
      await this.clear(folder, made);
      return undefined;
    } finally {
      this.#used.set(key, (this.#used.get(key) ?? 1) - 1);
    }
  }

  async keep(key: string, folder: string, paths: readonly string[]): Promise<string | undefined> {
    const bytes = Math.floor(this.#limits.mostBytes / 2);
    const room = { bytes, entries: this.#limits.mostEntries };
    const aside = join(this.#passing, randomBytes(12).toString('hex'));
    const clean = paths.map((path) => path.replace(/\/$/, ''));
    try {
      await mkdir(aside, { mode: 0o700 });
      for (const [n, path] of clean.entries())
        await inFolder(folder, dirname(path), (parent) =>
          copyTree(join(parent, basename(path)), join(aside, String(n)), room),
        );
      await writeFile(join(aside, 'result.json'), JSON.stringify({ paths: clean, bytes: bytes - room.bytes }));
      await removeTree(join(this.#results, key));
      await rename(aside, join(this.#results, key));
      await this.#sweep();
      return undefined;
    } catch (error) {
      await removeTree(aside);
      return error instanceof Error ? error.message : String(error);
    }
  }

  async clear(folder: string, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const clean = path.replace(/\/$/, '');
      await inFolder(folder, dirname(clean), (parent) => removeTree(join(parent, basename(clean))));
    }
  }

  async #sweep(): Promise<void> {
    const found = [];
    for (const name of await readdir(this.#results)) {
      const path = join(this.#results, name, 'result.json');
      const result = Result.safeParse(await jsonOf(path)).data;
      const usedAt = (await lstat(path).catch(() => undefined))?.mtimeMs ?? 0;
      found.push({ name, bytes: result?.bytes ?? 0, usedAt: result ? usedAt : 0 });
    }
    let bytes = 0;
    for (const one of found.sort((a, b) => b.usedAt - a.usedAt)) {
      bytes += one.bytes;
      const isOver = bytes > this.#limits.mostBytes || Date.now() - one.usedAt > this.#limits.mostMs;
      if (!isOver || (this.#used.get(one.name) ?? 0) > 0) continue;
      bytes -= one.bytes;
      await removeTree(join(this.#results, one.name));
    }
  }

  #markPath(folder: string): string {
    return join(this.#marks, `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.json`);
  }
}

/** Identity of a folder: another one under its path has another. */
async function identityOf(folder: string): Promise<string> {
  const { ino, birthtimeMs } = await lstat(folder);
  return `${ino} ${birthtimeMs}`;
}

async function jsonOf(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // Not there, or damaged: as if it had not been kept.
    return undefined;
  }
}
