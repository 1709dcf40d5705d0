// The workspace as the tooling sees it: where it is, which packages it has, in which order they build.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** What the tooling remembers between runs. Inside node_modules, so a fresh install forgets it all. */
export const memory = join(root, 'node_modules', '.weft');

/** Dependency order: a package comes after those it needs. */
export const packages = [
  { folder: 'core', needs: [] },
  { folder: 'server', needs: ['core'] },
  { folder: 'client/studio', needs: [] },
  { folder: 'client/face', needs: ['client/studio'] },
  { folder: 'studio', needs: ['core', 'client/face'] },
  { folder: 'client/web', needs: ['core'] },
  { folder: 'cli', needs: ['core', 'server', 'studio'] },
];

export function sha256(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

/** Hash of the names and contents of the files under `folder` that pass `accepts`. Content, not mtime: git moves mtimes. */
export function hashTree(folder, accepts) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .filter(accepts)
    .sort();
  return sha256(files.flatMap((file) => [file, readFileSync(join(folder, file))]));
}

/** Text of a file, or undefined when it is not there. */
export function readIfPresent(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** True when the module at `url` is the program that node was asked to run. */
export function isProgram(url) {
  return process.argv[1] !== undefined && fileURLToPath(url) === process.argv[1];
}
