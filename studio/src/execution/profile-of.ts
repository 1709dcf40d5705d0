/** How what is on a branch is built, tested, checked and run. */
import { branchFiles } from '../branches/files.js';
import type { Ground } from '../branches/ground.js';
import type { BranchPlace } from '../branches/place.js';
import { readBytes, textOf } from '../workspace/file-in-folder.js';
import { type ProjectRoot, detectRoots, filesToRead } from '../workspace/profile.js';

/** Longer ones tell nothing more. */
const MOST_BYTES = 256 << 10;

export async function rootsOf(ground: Ground, place: BranchPlace, folder: string): Promise<ProjectRoot[]> {
  const files = await branchFiles(ground, place);
  const texts = new Map<string, string>();
  for (const path of filesToRead(files)) {
    const bytes = await readBytes(folder, path).catch(() => undefined);
    const text = bytes && bytes.length <= MOST_BYTES ? textOf(bytes) : undefined;
    if (text !== undefined) texts.set(path, text);
  }
  return detectRoots(files, (path) => texts.get(path));
}
