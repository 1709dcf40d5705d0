/** Plan of a registration: what would happen to a folder, found without writing anything there. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { refusal } from '../../../reasons.js';
import type { Git } from './git.js';

export interface FolderPlan {
  /** Real path of the folder, as far as it is there. */
  readonly path: string;
  /** A repository already, one that would be made in an empty or new folder, or a folder whose history the studio would keep. */
  readonly kind: 'repository' | 'new' | 'kept';
  /** What would be done, as one sentence says it. */
  readonly does: string;
  /** Number of files that would be taken in; none but for a kept folder. */
  readonly files: number;
  /** Files that would be left out since their names are those of secrets. */
  readonly secrets: string[];
}

const MOST_NAMED = 5;

export async function planFolder(git: Git, named: string): Promise<FolderPlan> {
  if (!isAbsolute(named)) throw unusable(named, 'is not absolute; give the full path of the folder');
  const path = await realpath(resolve(named)).catch(() => undefined);
  if (path === undefined)
    return { path: resolve(named), ...nothingYet, does: 'a new folder is made there, and a git repository in it' };
  if (!(await stat(path)).isDirectory()) throw unusable(path, 'is a file; name a folder');
  if ((await readdir(path)).length === 0)
    return { path, ...nothingYet, does: 'a git repository is made in the empty folder' };
  const found = await git.inspect(path);
  if (found.kind !== 'plain')
    return { path, kind: 'repository', files: 0, secrets: [], does: 'it is a git repository, and stays as it is' };
  const { files, secrets } = await git.previewKept(path);
  return { path, kind: 'kept', files, secrets, does: sentenceOf(files, secrets) };
}

const nothingYet = { kind: 'new' as const, files: 0, secrets: [] };

function sentenceOf(files: number, secrets: readonly string[]): string {
  const count = `${files} ${files === 1 ? 'file' : 'files'}`;
  const kept = `it is no git repository: the studio keeps a history of its ${count} among its own data, and writes one file there, .git, that points to it`;
  if (secrets.length === 0) return kept;
  const more = secrets.length > MOST_NAMED ? ` and ${secrets.length - MOST_NAMED} more` : '';
  return `${kept}; left out as secrets: ${secrets.slice(0, MOST_NAMED).join(', ')}${more}`;
}

function unusable(path: string, why: string): Error {
  return refusal('reject.repository_path_unusable', `${path} ${why}`);
}
