/**
 * File listing of a repository: the first N by path, whatever the size of the tree.
 *
 * `subPath` is resolved on disk before git sees it, so neither `..` nor a symbolic link leads out.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { refusal } from '../../reasons.js';
import type { Git } from '../git/user/git.js';
import { compileGlob } from './glob.js';

export const MAX_LISTED_FILES = 10_000;

export interface FileQuery {
  readonly subPath?: string | undefined;
  readonly pattern?: string | undefined;
}

export interface FileList {
  readonly files: string[];
  /** Whether there are more files. */
  readonly truncated: boolean;
}

export async function listFiles(
  git: Git,
  folder: string,
  query: FileQuery,
  limit = MAX_LISTED_FILES,
): Promise<FileList> {
  const scope = await confine(folder, query.subPath ?? '');
  const matches = query.pattern === undefined ? () => true : compileGlob(query.pattern);
  const first = new FirstInOrder(limit);
  await git.eachFile(folder, scope, (path) => {
    if (matches(path)) first.add(path);
  });
  return first.done();
}

/** Real path of `subPath`, relative to the folder; refused when it is outside. */
export async function confine(folder: string, subPath: string): Promise<string> {
  const outside = (): Error => refusal('reject.path_outside_repository', `${subPath} leads out of the repository`);
  if (subPath.includes('\0')) throw refusal('reject.path_outside_repository', 'the path holds a NUL character');
  if (isAbsolute(subPath)) throw outside();
  const real = await nearestReal(join(folder, subPath));
  if (!isInside(folder, real)) throw outside();
  return relative(folder, real);
}

/** Resolves links in the existing part: a tracked file that was deleted is still listed. */
async function nearestReal(wanted: string): Promise<string> {
  const missing: string[] = [];
  for (let path = wanted; ; path = dirname(path)) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined) return join(real, ...missing);
    missing.unshift(basename(path));
  }
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Bounded top-N: the smallest `limit` distinct texts, in memory for at most twice as many. */
class FirstInOrder {
  readonly #limit: number;
  #kept: string[] = [];
  #dropped = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    this.#kept.push(text);
    if (this.#kept.length >= 2 * this.#limit + 2) this.#prune();
  }

  done(): FileList {
    this.#prune();
    return { files: this.#kept, truncated: this.#dropped };
  }

  #prune(): void {
    const distinct = [...new Set(this.#kept)].sort();
    if (distinct.length > this.#limit) this.#dropped = true;
    this.#kept = distinct.slice(0, this.#limit);
  }
}
