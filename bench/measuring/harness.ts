// Fair timing of several contenders: rounds interleaved (A B C, A B C, …) so that a slow minute of the machine hits all
// of them, garbage collected before the clock starts so that nobody pays for another, failures kept as results.
import { type Figures, type Summary, summarise } from './statistics.js';

export interface Contender {
  readonly name: string;
  /** One whole run. Checks its own result outside the clock and throws an error when it is wrong. */
  run(): Promise<Figures>;
}

export interface Outcome extends Summary {
  readonly name: string;
  readonly runs: number;
  /** Why the contender was taken out; its figures are those of the runs before. */
  readonly failure: string | undefined;
}

export type Progress = (line: string) => void;

export async function interleave(
  contenders: readonly Contender[],
  repeat: number,
  progress: Progress,
): Promise<readonly Outcome[]> {
  const entries = contenders.map((contender) => ({
    contender,
    runs: [] as Figures[],
    failure: undefined as string | undefined,
  }));
  for (let round = 1; round <= repeat; round += 1) {
    for (const entry of entries) {
      if (entry.failure !== undefined) continue;
      progress(`round ${round} of ${repeat}: ${entry.contender.name}`);
      try {
        entry.runs.push(await entry.contender.run());
      } catch (error) {
        entry.failure = error instanceof Error ? error.message : String(error);
        progress(`${entry.contender.name} failed: ${entry.failure}`);
      }
    }
  }
  return entries.map(({ contender, runs, failure }) => ({
    name: contender.name,
    runs: runs.length,
    failure,
    ...summarise(runs),
  }));
}

/** Times one action; the garbage of everything before it is collected first. */
export async function timed<T>(action: () => T | Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  collectGarbage();
  const started = performance.now();
  const result = await action();
  return { ms: performance.now() - started, result };
}

export function collectGarbage(): void {
  if (globalThis.gc === undefined)
    throw new Error('Start the benches with `npm run bench`: they need node --expose-gc.');
  globalThis.gc();
}

export function perSecond(count: number, ms: number): number {
  return (count / ms) * 1000;
}

/** Ends a run whose result is not what it must be. */
export function mustHold(holds: boolean, complaint: string): void {
  if (!holds) throw new Error(complaint);
}
