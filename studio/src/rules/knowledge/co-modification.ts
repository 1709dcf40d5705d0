/** Which files change together: what a plan should not divide, and what a worker should look at. */
import type { Proposals } from '../../record/views/proposals.js';

/** Files that one piece of work touched. */
export type Touched = readonly string[];

export interface CoModification {
  readonly pathA: string;
  readonly pathB: string;
  /** How often they changed together. */
  readonly support: number;
  /** The share of the changes to the busier one in which the other changed too. */
  readonly confidence: number;
}

/** A change of more files than this says nothing of any two of them. */
const MOST_FILES = 50;
/** What changed long ago says little of what belongs together now. */
const MOST_CHANGES = 1000;
/** Fewer may be chance. */
const LEAST_SUPPORT = 2;

/** What each work unit touched, in all its proposals; those rejected too, because they show what belongs together. */
export function touchedFiles(proposals: Proposals, isMeant: (workUnitId: string) => boolean): Touched[] {
  const byUnit = new Map<string, Set<string>>();
  for (const { workUnitId, filesTouched } of proposals.all()) {
    if (workUnitId === undefined || !isMeant(workUnitId)) continue;
    const files = byUnit.get(workUnitId) ?? new Set();
    for (const path of filesTouched) files.add(path);
    byUnit.set(workUnitId, files);
  }
  return [...byUnit.values()].map((files) => [...files]);
}

/** Of changes oldest first; the surest pairs first. */
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
