/**
 * Rest: nothing is harmed any more, and everybody gets everything. It is waited for by looks and not by a clock alone, which goes on
 * while a machine stands still. Readers that are behind when it is given up say nothing about what is kept.
 */
import type { History } from './history.js';

export type End = Pick<History, 'last' | 'lastNodes'>;

/** What everybody had in the end, when all had the same; `late` says that they had not. */
export type Rested = (End & { readonly late?: undefined }) | { readonly late: string };

export interface RestParts {
  /** What everybody has. */
  readonly look: () => Promise<End & { readonly isSame: boolean }>;
  /** Whether whoever waits for it has gone. */
  readonly isOver: () => boolean;
  readonly now?: () => number;
  readonly pause?: () => Promise<void>;
}

/** It is given up after so many looks that found no rest, each of which may take as long as a join is waited for, and so many milliseconds. */
const [MOST_LOOKS, MOST_MS] = [20, 120_000];
const PAUSE_MS = 200;

const pauseBetween = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

export async function restOf({
  look,
  isOver,
  now = () => performance.now(),
  pause = pauseBetween,
}: RestParts): Promise<Rested> {
  const from = now();
  for (let looks = 1; ; looks++) {
    const { isSame, ...end } = await look();
    if (isSame) return end;
    if (isOver()) throw new Error('the test was ended before everybody had everything: nothing was checked');
    if (looks >= MOST_LOOKS && now() - from >= MOST_MS) return { late: `no rest after ${looks} looks` };
    await pause();
  }
}

/** What a history is checked with: readers that are late are not held against the log. */
export function endOf(rest: Rested): End {
  return rest.late === undefined ? rest : { last: [] };
}

/** What is told of those who are late: whose room it is, and what each of them lacks. */
export function waitingIn(
  { late }: Rested,
  crowd: { readonly room: string; readonly waiting: readonly string[] },
): string[] {
  return late === undefined ? [] : [`${crowd.room}: ${late}`, ...crowd.waiting];
}
