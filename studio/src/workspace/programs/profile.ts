/**
 * Project detection: what is in a folder and how it is built, tested, checked and run, from the files alone. Pure, so the same
 * files give the same answer everywhere. Every project is a root, except one that another's tool includes.
 */
import { STACKS, type Commands, type Stack } from './stacks.js';

export interface ProjectRoot extends Commands {
  /** Path; `.` is the folder itself. */
  readonly relativePath: string;
  readonly stack: Stack | 'none';
  /** Whether the run command is a server that does not end. */
  readonly isLongRunning: boolean;
  /** Beginning of the guidance file for agents. */
  readonly ruleFileContent?: string;
}

const MOST_ROOTS = 16;
const MOST_DEPTH = 4;
/** Characters read of a guidance file. */
const MOST_RULES = 4000;
/** Guidance file names; the first that exists counts. */
export const RULE_FILES = ['AGENTS.md', 'CLAUDE.md', '.clinerules', '.cursorrules'];
/** Folders of third-party files, even where git does not ignore them. */
const FOREIGN = /(^|\/)(node_modules|vendor|third_party|target|dist|build|\.venv|venv|testdata|fixtures?)\//;

interface Folder {
  readonly path: string;
  readonly names: ReadonlySet<string>;
}

/** Files whose contents `detectRoots` needs. */
export function filesToRead(files: readonly string[]): string[] {
  return foldersOf(files).flatMap(({ path, names }) => {
    const markers = STACKS.flatMap((stack) => [...names].filter((name) => stack.reads(name)));
    return [...markers, ...RULE_FILES.filter((name) => names.has(name))].map((name) => join(path, name));
  });
}

/** Detects project roots. `text` reads one of the files, or answers undefined. */
export function detectRoots(files: readonly string[], text: (path: string) => string | undefined): ProjectRoot[] {
  const roots: ProjectRoot[] = [];
  const covering: { readonly path: string; readonly covers: (below: string) => boolean; readonly stack: Stack }[] = [];
  for (const { path, names } of foldersOf(files)) {
    const read = (name: string): string => text(join(path, name)) ?? '';
    const all = { names, read, below: files.flatMap((file) => relativeTo(path, file) ?? []) };
    const found = STACKS.find(({ isRoot }) => isRoot(all));
    if (!found) continue;
    const { stack } = found;
    const isPart = covering.some((one) => {
      const below = relativeTo(one.path, path);
      return one.stack === stack && below !== undefined && one.covers(below);
    });
    if (isPart) continue;
    covering.push({ path, stack, covers: (below) => found.covers(all, below) });
    const rules = RULE_FILES.filter((name) => names.has(name)).map(read)[0];
    const { isLongRunning = false, ...commands } = found.commands(all);
    roots.push({
      relativePath: path === '' ? '.' : path,
      stack,
      ...commands,
      isLongRunning,
      ...(rules === undefined ? {} : { ruleFileContent: rules.slice(0, MOST_RULES) }),
    });
    if (roots.length === MOST_ROOTS) break;
  }
  return roots;
}

/** Folders, shallow ones first. */
function foldersOf(files: readonly string[]): Folder[] {
  const folders = new Map<string, Set<string>>();
  for (const file of files) {
    const parts = file.split('/');
    const name = parts.pop();
    if (name === undefined || parts.length > MOST_DEPTH || FOREIGN.test(file)) continue;
    const path = parts.join('/');
    folders.set(path, (folders.get(path) ?? new Set()).add(name));
  }
  const depth = (path: string): number => (path === '' ? 0 : path.split('/').length);
  return [...folders]
    .map(([path, names]) => ({ path, names }))
    .sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1));
}

function relativeTo(folder: string, path: string): string | undefined {
  if (folder === '') return path === '' ? undefined : path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
