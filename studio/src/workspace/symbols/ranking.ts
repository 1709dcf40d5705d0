/** Ranking of files by how many others name what they declare: what a reader of a map wants to see first. */

export interface Declared {
  readonly name: string;
  /** Line, from 1. */
  readonly line: number;
}

interface Declaring<D extends Declared> {
  readonly path: string;
  readonly text: string;
  readonly declared: readonly D[];
}

/** Shorter names are used for too much to say anything. */
const SHORTEST_NAME = 3;

/** Files that declare anything, each with so many of its declarations: those that most others use, in the order of its lines. */
export function rankedByUse<D extends Declared>(
  files: readonly Declaring<D>[],
  mostOfFile: number,
): { readonly path: string; readonly declared: readonly D[] }[] {
  const users = new Map<string, number>();
  for (const { text } of files) for (const name of namesIn(text)) users.set(name, (users.get(name) ?? 0) + 1);
  /** Other files that name it. */
  const usesOf = ({ name }: D): number => (name.length < SHORTEST_NAME ? 0 : (users.get(name) ?? 1) - 1);
  return files
    .filter(({ declared }) => declared.length > 0)
    .map(({ path, declared }) => {
      const most = [...declared].sort((a, b) => usesOf(b) - usesOf(a) || a.line - b.line).slice(0, mostOfFile);
      const uses = most.reduce((sum, one) => sum + usesOf(one), 0);
      return { path, declared: most.sort((a, b) => a.line - b.line), uses };
    })
    .sort((a, b) => b.uses - a.uses || (a.path < b.path ? -1 : 1));
}

/** Names that a text uses. */
function namesIn(text: string): Set<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g));
}
