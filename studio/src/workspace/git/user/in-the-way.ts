/** Overwrite check: git would silently overwrite files that it ignores. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface Coming {
  readonly added: readonly string[];
  /** Paths that are removed at the same time. */
  readonly gone: readonly string[];
}

/** First existing path that would be overwritten by added files, if there is one. */
export async function inTheWay(folder: string, { added, gone }: Coming): Promise<string | undefined> {
  const leaves = new Set(gone);
  const passable = new Set<string>();
  for (const path of added) {
    const found = await blocking(folder, path, leaves, passable);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function blocking(
  folder: string,
  path: string,
  leaves: ReadonlySet<string>,
  passable: Set<string>,
): Promise<string | undefined> {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    const parent = path.slice(0, end);
    if (passable.has(parent)) continue;
    const found = await lstat(join(folder, parent)).catch(() => undefined);
    if (found?.isDirectory() === false) return leaves.has(parent) ? undefined : parent;
    passable.add(parent);
  }
  const found = await lstat(join(folder, path)).catch(() => undefined);
  if (found?.isDirectory() !== true) return found && path;
  const inside = await readdir(join(folder, path), { recursive: true, withFileTypes: true });
  const files = inside.filter((entry) => !entry.isDirectory());
  return files
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .find((one) => !leaves.has(one));
}
