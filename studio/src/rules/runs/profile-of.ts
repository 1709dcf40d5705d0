/** Project detection: how the content of a folder is built, tested, checked and run. */
import { branchFiles } from '../branches/files.js';
import type { BranchContext } from '../branches/branch-context.js';
import type { StoredBranch } from '../branches/stored-branch.js';
import { readBytes, textOf } from '../../workspace/files/file-in-folder.js';
import { type ProjectRoot, detectRoots, filesToRead } from '../../workspace/programs/profile.js';

/** Longer files are not read. */
const MOST_BYTES = 256 << 10;

/** Project roots of a branch's own folder. */
export async function rootsOf(context: BranchContext, branch: StoredBranch, folder: string): Promise<ProjectRoot[]> {
  return rootsIn(folder, await branchFiles(context, branch));
}

export async function rootsIn(folder: string, files: readonly string[]): Promise<ProjectRoot[]> {
  const texts = new Map<string, string>();
  for (const path of filesToRead(files)) {
    const bytes = await readBytes(folder, path).catch(() => undefined);
    const text = bytes && bytes.length <= MOST_BYTES ? textOf(bytes) : undefined;
    if (text !== undefined) texts.set(path, text);
  }
  return detectRoots(files, (path) => texts.get(path));
}
