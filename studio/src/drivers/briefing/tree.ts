/** Tree section: the repository's folders with how many files each has, unfolded where the task may write. */
import { type Fact, fitted, named } from './fact.js';

const MOST_CHARACTERS = 8000;
const MOST_LINES = 200;
/** Folders of more files than that are named without them. */
const MOST_UNFOLDED = 40;

interface Folder {
  readonly files: string[];
  readonly folders: Map<string, Folder>;
  count: number;
}

/** Section of these paths. `isNear` says whether a folder is of interest to the task, or leads to one that is. */
export function treeSection(paths: readonly string[], scope: readonly string[]): Fact[] {
  if (paths.length === 0) return [];
  const root = folderOf(paths);
  for (let depth = 6; depth >= 1; depth -= 1) {
    const lines = linesOf(root, '', depth, namedIn(scope));
    if (lines.length > MOST_LINES && depth > 1) continue;
    const tree = fitted(lines, MOST_CHARACTERS, 'view shows a folder');
    return [named('tree', `The repository (${paths.length} files):\n${tree}`)];
  }
  return [];
}

function folderOf(paths: readonly string[]): Folder {
  const root: Folder = { files: [], folders: new Map(), count: 0 };
  for (const path of paths) {
    const names = path.split('/');
    const file = names.pop() ?? '';
    let folder = root;
    folder.count += 1;
    for (const name of names) {
      const below: Folder = folder.folders.get(name) ?? { files: [], folders: new Map(), count: 0 };
      folder.folders.set(name, below);
      folder = below;
      folder.count += 1;
    }
    folder.files.push(file);
  }
  return root;
}

function linesOf(folder: Folder, path: string, depth: number, near: ReadonlySet<string>): string[] {
  const below = [...folder.folders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, inner]) => {
      const at = `${path}${name}`;
      const line = `${at}/ (${inner.count})`;
      const isShown = depth > 1 || near.has(at);
      return isShown ? [line, ...linesOf(inner, `${at}/`, Math.max(1, depth - 1), near)] : [line];
    });
  if (folder.files.length > MOST_UNFOLDED && !near.has(path.slice(0, -1)))
    return [...below, `${path}… ${folder.files.length} files`];
  return [...below, ...folder.files.map((file) => path + file)];
}

/** Folders that patterns name, with those above them. */
function namedIn(scope: readonly string[]): Set<string> {
  return new Set(
    scope.flatMap((pattern) => {
      const names = pattern.replace(/^\.?\//, '').split('/');
      const mark = names.findIndex((name) => /[*?]/.test(name));
      const folders = mark < 0 ? names.slice(0, -1) : names.slice(0, mark);
      return folders.map((_, place) => folders.slice(0, place + 1).join('/'));
    }),
  );
}
