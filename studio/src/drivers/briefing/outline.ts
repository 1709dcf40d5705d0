/**
 * Outline section: a map of the repository by its symbols. Files whose declarations others use most come first, those that the task may change
 * before all; of each what it declares, with lines.
 */
import { compileGlob } from '../../workspace/files/glob.js';
import { rankedByUse } from '../../workspace/symbols/ranking.js';
import { type Declaration, declarationsIn } from './declarations.js';
import { type Fact, fitted, named } from './fact.js';

/** Some three characters a token: no more than three and a half thousand of them. */
const MOST_CHARACTERS = 10_000;
const MOST_OF_FILE = 12;

export interface Source {
  readonly path: string;
  readonly text: string;
}

interface Outlined {
  readonly path: string;
  readonly declared: readonly Declaration[];
}

export function outlineSection(sources: readonly Source[], scope: readonly string[]): Fact[] {
  const globs = scope.map(compileGlob);
  const isOurs = (path: string): boolean => globs.some((matches) => matches(path));
  const files = ranked(sources);
  if (files.length === 0) return [];
  const lines = [...files.filter(({ path }) => isOurs(path)), ...files.filter(({ path }) => !isOurs(path))].flatMap(
    linesOf,
  );
  const text = fitted(lines, MOST_CHARACTERS, 'symbols, asked for an outline, and grep find what is in the others');
  return [named('outline', `What the files declare, those first that others use most (line: declaration):\n${text}`)];
}

/** Files by how many others name what they declare. */
function ranked(sources: readonly Source[]): Outlined[] {
  return rankedByUse(
    sources.map(({ path, text }) => ({ path, text, declared: declarationsIn(path, text) })),
    MOST_OF_FILE,
  );
}

function linesOf({ path, declared }: Outlined): string[] {
  return [path, ...declared.map(({ line, text }) => `  ${line}: ${text}`)];
}
