import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Paths of all files below a folder in which others are at work: what is gone meanwhile is none of them. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [path] : [];
    }),
  );
  return found.flat();
}
