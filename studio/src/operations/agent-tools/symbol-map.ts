/** Map of a branch, or of a part of it, by its symbols as their languages see them: files that others use most first, with members. */
import { textOf } from '../../workspace/files/file-in-folder.js';
import { shortened } from '../../workspace/files/numbered-lines.js';
import { rankedByUse } from '../../workspace/symbols/ranking.js';
import type { FileSymbols } from '../../workspace/symbols/symbols.js';

/** Some three characters a token: no more than four thousand of them. */
const MOST_CHARACTERS = 12_000;
const MOST_OF_FILE = 12;
const LONGEST_LINE = 120;

export type ReadFile = (path: string) => Promise<Buffer | undefined>;

/** Text of the map; of a single file all that it declares. */
export async function symbolMap(files: readonly FileSymbols[], read: ReadFile): Promise<string> {
  const texts = new Map<string, string>();
  for (const { path } of files) texts.set(path, textOf((await read(path)) ?? Buffer.alloc(0)) ?? '');
  const ranked = rankedByUse(
    files.map(({ path, symbols }) => {
      const text = texts.get(path) ?? '';
      const brought = importedIn(text);
      return { path, text, declared: symbols.filter(({ line }) => !brought.has(line)) };
    }),
    files.length === 1 ? Number.POSITIVE_INFINITY : MOST_OF_FILE,
  );
  const lines = ranked.flatMap(({ path, declared }) => {
    const source = (texts.get(path) ?? '').split('\n');
    const shown = declared.map(({ line, depth, kind }) => {
      const text = shortened((source[line - 1] ?? '').trim(), LONGEST_LINE);
      return `${'  '.repeat(depth + 1)}${line}: ${text}${kind === undefined ? '' : `  (${kind})`}`;
    });
    return [path, ...shown];
  });
  return [`${ranked.length} files that declare something, those first that others use most:`, ...fitting(lines)].join(
    '\n',
  );
}

const IMPORTS = /^(?:import\b[^'";]*|from\s+\S+\s+import\b(?:\s*\([^)]*\))?)/gm;

/** Lines of imports: some servers call what is imported declared. */
function importedIn(text: string): Set<number> {
  return new Set(
    [...text.matchAll(IMPORTS)].flatMap(({ 0: found, index }) => {
      const first = text.slice(0, index).split('\n').length;
      return found.split('\n').map((_, place) => first + place);
    }),
  );
}

function fitting(lines: readonly string[]): string[] {
  let left = MOST_CHARACTERS;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  if (end < 0) return [...lines];
  return [...lines.slice(0, end), `[${lines.length - end} of ${lines.length} lines left out; name a path]`];
}
