/**
 * Adoption of a folder: turns a path that a caller names into a repository on disk, or says why it cannot be one.
 *
 * Idempotent: after a crash while the folder or the repository was being made, the same call finds what is there and continues.
 */
import { lstat, mkdir, opendir, readdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { refusal } from '../../../reasons.js';
import { whyOfSystem } from '../../files/roots.js';
import type { Git } from '../user/git.js';

export interface NamedFolder {
  /** Real path, without symbolic links. */
  readonly folder: string;
  /** Removes what this call and its caller have made, and nothing that was there before. */
  readonly undo: () => Promise<void>;
}

/** Folder that a caller names; it is made when only the last name is missing. */
export async function ensureFolder(named: string): Promise<NamedFolder> {
  const { folder, isThere } = await findFolder(named);
  const isNew = !isThere && (await make(folder));
  const before = isNew ? [] : await readdir(folder).catch(() => undefined);
  return {
    folder,
    undo: async () => {
      if (before?.length !== 0) return;
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
      if (isNew) await rmdir(folder);
    },
  };
}

function requireUsable(path: string): void {
  const why = whyOfSystem(path);
  if (why !== undefined) throw unusable(path, why);
}

/** Folder that a caller names, or where it could be made. Refuses a path that no folder can be at, and writes nothing. */
export async function findFolder(named: string): Promise<{ readonly folder: string; readonly isThere: boolean }> {
  if (!isAbsolute(named)) throw unusable(named, 'is not absolute; give the full path of the folder');
  if (named.includes('\0')) throw unusable(named.replaceAll('\0', '\\0'), 'holds a NUL character');
  const path = resolve(named);
  requireUsable(path);
  const found = await stat(path).catch(whenMissing);
  if (found !== undefined) {
    if (!found.isDirectory()) throw unusable(path, 'is a file; name a folder');
    const folder = await realpath(path);
    requireUsable(folder);
    return { folder, isThere: true };
  }
  // A dangling link: making a folder at its target would be a guess.
  const link = await lstat(path).catch(whenMissing);
  if (link?.isSymbolicLink() === true) throw unusable(path, 'is a broken symbolic link');
  const parent = await realpath(dirname(path)).catch(whenMissing);
  if (parent === undefined) {
    throw unusable(path, `cannot be made, because ${dirname(path)} does not exist; make that first`);
  }
  const folder = join(parent, basename(path));
  requireUsable(folder);
  return { folder, isThere: false };
}

/** Answers whether it was this call that made it. */
async function make(folder: string): Promise<boolean> {
  return mkdir(folder).then(
    () => true,
    (error: unknown) => {
      // Another call was faster, and the folder is there.
      if (codeOf(error) === 'EEXIST') return false;
      throw unusable(folder, `cannot be made: ${codeOf(error) ?? 'unknown error'}`);
    },
  );
}

/**
 * Makes an existing folder a repository when it is none. One with files gets its store at `store`. The caller serializes calls
 * for one folder.
 */
export async function ensureRepository(git: Git, folder: string, store: string): Promise<void> {
  if (await isUnstarted(folder)) await git.init(folder);
  if ((await adoptableKind(git, folder)) === 'plain') await git.keep(folder, store);
}

/** Whether a folder is a repository or a plain folder; refuses one whose working tree is not in it. */
export async function adoptableKind(git: Git, folder: string): Promise<'worktree' | 'plain'> {
  const found = await git.inspect(folder);
  if (found.kind === 'bare') throw unusable(folder, 'is a bare repository; register a clone that has a working tree');
  if (found.kind === 'elsewhere')
    throw unusable(folder, `has its working tree configured at ${found.top} (core.worktree); register that folder`);
  if (found.kind === 'hashed')
    throw unusable(
      folder,
      `names its commits by ${found.hash}, which no branch of the studio can take over; use SHA-1`,
    );
  return found.kind;
}

export async function isEmptyFolder(folder: string): Promise<boolean> {
  return (await readdir(folder)).length === 0;
}

/** Whether the folder is empty, or has only what an interrupted git leaves: a `.git` without HEAD. */
export async function isUnstarted(folder: string): Promise<boolean> {
  const entries = await opendir(folder).catch((error: unknown) => {
    throw unusable(folder, `cannot be read: ${codeOf(error) ?? 'unknown error'}`);
  });
  try {
    const first = await entries.read();
    if (first === null) return true;
    if (first.name !== '.git' || !first.isDirectory() || (await entries.read()) !== null) return false;
  } finally {
    await entries.close();
  }
  return (await lstat(join(folder, '.git', 'HEAD')).catch(whenMissing)) === undefined;
}

function whenMissing(error: unknown): undefined {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw refusal('reject.repository_path_unusable', `the path cannot be read: ${code ?? 'unknown error'}`);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function unusable(path: string, why: string): Error {
  return refusal('reject.repository_path_unusable', `${path} ${why}`);
}
