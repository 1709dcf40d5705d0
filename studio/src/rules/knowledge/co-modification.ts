/** Co-modification mining: which files change together, as a hint for plans and workers. */
import type { Proposals } from '../../record/views/proposals.js';

/** Files touched by one piece of work. */
export type Touched = readonly string[];

export interface CoModification {
  readonly pathA: string;
  readonly pathB: string;
  /** Support: how often they changed together. */
  readonly support: number;
  /** Confidence: the share of changes to the busier file in which the other changed too. */
  readonly confidence: number;
}

/** Larger changes say nothing about pairs of files. */
const MOST_FILES = 50;
/** Window of recent changes. */
const MOST_CHANGES = 1000;
/** Least support; less may be chance. */
const LEAST_SUPPORT = 2;

/** Files touched by each work unit, in all its proposals; also rejected ones, which still show what belongs together. */
export function touchedFiles(proposals: Pick<Proposals, 'all'>, isMeant: (workUnitId: string) => boolean): Touched[] {
  const byUnit = new Map<string, Set<string>>();
  for (const { workUnitId, filesTouched } of proposals.all()) {
    if (workUnitId === undefined || !isMeant(workUnitId)) continue;
    const files = byUnit.get(workUnitId) ?? new Set();
    for (const path of filesTouched) files.add(path);
    byUnit.set(workUnitId, files);
  }
  return [...byUnit.values()].map((files) => [...files]);
}

/** Mines pairs from changes, oldest first. Answers the surest pairs first. */
export function coModifications(changes: readonly Touched[]): CoModification[] {
  const alone = new Map<string, number>();
  const together = new Map<string, number>();
  for (const files of changes.slice(-MOST_CHANGES)) {
    const paths = [...new Set(files)].sort();
    if (paths.length > MOST_FILES) continue;
    for (const [i, pathA] of paths.entries()) {
      alone.set(pathA, (alone.get(pathA) ?? 0) + 1);
      for (const pathB of paths.slice(i + 1)) {
        const pair = `${pathA}\n${pathB}`;
        together.set(pair, (together.get(pair) ?? 0) + 1);
      }
    }
  }
  return [...together]
    .filter(([, support]) => support >= LEAST_SUPPORT)
    .map(([pair, support]) => {
      const [pathA = '', pathB = ''] = pair.split('\n');
      const busier = Math.max(alone.get(pathA) ?? 0, alone.get(pathB) ?? 0);
      return { pathA, pathB, support, confidence: support / busier };
    })
    .sort((a, b) => b.confidence - a.confidence || b.support - a.support || (a.pathA < b.pathA ? -1 : 1));
}
