/**
 * Outline section: a map of the repository by its symbols. Files whose declarations others use most come first, those that the task may change
 * before all; of each what it declares, with lines.
 */
import { compileGlob } from '../../workspace/files/glob.js';
import { type Declaration, declarationsIn, namesIn } from './declarations.js';
import { type Fact, fitted, named } from './fact.js';

/** Some three characters a token: no more than three and a half thousand of them. */
const MOST_CHARACTERS = 10_000;
const MOST_OF_FILE = 12;
/** Shorter names are used for too much to say anything. */
const SHORTEST_NAME = 3;

export interface Source {
  readonly path: string;
  readonly text: string;
}

interface Outlined {
  readonly path: string;
  readonly declared: readonly Declaration[];
  readonly uses: number;
}

export function outlineSection(sources: readonly Source[], scope: readonly string[]): Fact[] {
  const globs = scope.map(compileGlob);
  const isOurs = (path: string): boolean => globs.some((matches) => matches(path));
  const files = ranked(sources);
  if (files.length === 0) return [];
  const lines = [...files.filter(({ path }) => isOurs(path)), ...files.filter(({ path }) => !isOurs(path))].flatMap(
    linesOf,
  );
  const text = fitted(lines, MOST_CHARACTERS, 'symbols and grep find what is in the others');
  return [named('outline', `What the files declare, those first that others use most (line: declaration):\n${text}`)];
}

/** Files by how many others name what they declare. */
function ranked(sources: readonly Source[]): Outlined[] {
  const outlined = sources.map(({ path, text }) => ({
    path,
    declared: declarationsIn(path, text),
    names: namesIn(text),
  }));
  const users = new Map<string, number>();
  for (const { names } of outlined) for (const name of names) users.set(name, (users.get(name) ?? 0) + 1);
  /** Other files that name it. */
  const usesOf = ({ name }: Declaration): number => (name.length < SHORTEST_NAME ? 0 : (users.get(name) ?? 1) - 1);
  return outlined
    .filter(({ declared }) => declared.length > 0)
    .map(({ path, declared }) => {
      const most = [...declared].sort((a, b) => usesOf(b) - usesOf(a) || a.line - b.line).slice(0, MOST_OF_FILE);
      const uses = most.reduce((sum, one) => sum + usesOf(one), 0);
      return { path, declared: most.sort((a, b) => a.line - b.line), uses };
    })
    .sort((a, b) => b.uses - a.uses || (a.path < b.path ? -1 : 1));
}

function linesOf({ path, declared }: Outlined): string[] {
  return [path, ...declared.map(({ line, text }) => `  ${line}: ${text}`)];
}
