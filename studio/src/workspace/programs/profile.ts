/**
 * What lies in a folder and how it is built, tested, checked and run, by the files alone: pure, so that the same files give the
 * same answer everywhere. Every project in it is a root; one that another's tool takes along is none.
 */
import { STACKS, type Commands, type Stack } from './stacks.js';

export interface ProjectRoot extends Commands {
  /** `.` for the folder itself. */
  readonly relativePath: string;
  readonly stack: Stack | 'none';
  /** Whether the run command is meant to go on. */
  readonly isLongRunning: boolean;
  /** What people have written down for agents, its beginning. */
  readonly ruleFileContent?: string;
}

const MOST_ROOTS = 16;
const MOST_DEPTH = 4;
/** So much of what people have written down for agents is read. */
export const MOST_RULES = 4000;
/** What it stands in: the first of them that is there. */
export const RULE_FILES = ['AGENTS.md', 'CLAUDE.md', '.clinerules', '.cursorrules'];
/** Not the project's own, even where git does not ignore them. */
const FOREIGN = /(^|\/)(node_modules|vendor|third_party|target|dist|build|\.venv|venv|testdata|fixtures?)\//;

interface Folder {
  readonly path: string;
  readonly names: ReadonlySet<string>;
}

/** Files whose contents `detectRoots` wants to see. */
export function filesToRead(files: readonly string[]): string[] {
  return foldersOf(files).flatMap(({ path, names }) => {
    const markers = STACKS.flatMap((stack) => [...names].filter((name) => stack.reads(name)));
    return [...markers, ...RULE_FILES.filter((name) => names.has(name))].map((name) => join(path, name));
  });
}

/** `text` gives what is in one of the files, or undefined. */
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

/** Shallow ones first. */
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
