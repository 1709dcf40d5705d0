/** Plan of a registration: what would happen to a folder, found without writing anything there. */
import { adoptableKind, findFolder, isUnstarted } from '../spaces/adopt-folder.js';
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

/** `storeOf` says where the history of a folder would be kept. */
export async function planFolder(git: Git, named: string, storeOf: (folder: string) => string): Promise<FolderPlan> {
  const { folder: path, isThere } = await findFolder(named);
  if (!isThere) return { path, ...nothingYet, does: 'a new folder is made there, and a git repository in it' };
  if (await isUnstarted(path)) return { path, ...nothingYet, does: 'a git repository is made in the empty folder' };
  if ((await adoptableKind(git, path)) === 'worktree')
    return { path, kind: 'repository', files: 0, secrets: [], does: 'it is a git repository, and stays as it is' };
  const { files, secrets } = await git.previewKept(path, storeOf(path));
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
