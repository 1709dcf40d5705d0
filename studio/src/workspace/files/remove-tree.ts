/**
 * Removal of folders that programs have written to. One can nest folders deeper than a path may be long, which `rm` cannot name: such
 * a tree is folded first, by moving what lies deep to its top. Whoever dies in between finds the same tree, less deep.
 */
import { type Dirent } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of a path below the tree's own at which it is folded: less than half of what Linux takes, and more than a name has. */
const FOLDED_AT = 1500;

export async function removeTree(path: string): Promise<void> {
  for (let moved = 0; ;) {
    const failure = await rm(path, { recursive: true, force: true, maxRetries: 10 }).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    if (failure === undefined) return;
    const deep = failure.code === 'ENAMETOOLONG' ? await deepIn(path) : [];
    if (deep.length === 0) throw failure;
    for (const folder of deep)
      await rename(folder, join(path, `deep-${process.pid}-${moved++}`)).catch(unlessGone(undefined));
  }
}

/** Highest folders whose paths are long already. */
async function deepIn(path: string): Promise<string[]> {
  const found: string[] = [];
  const toSee = [path];
  for (let folder = toSee.pop(); folder !== undefined; folder = toSee.pop()) {
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(unlessGone([]));
    for (const entry of entries) {
      if (!entry.isDirectory()) continue;
      const below = join(folder, entry.name);
      if (Buffer.byteLength(below) - Buffer.byteLength(path) > FOLDED_AT) found.push(below);
      else toSee.push(below);
    }
  }
  return found;
}

/** Answer for what is gone meanwhile: a removal that has failed in one place goes on in others. */
function unlessGone<T>(answer: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return answer;
    throw error;
  };
}
