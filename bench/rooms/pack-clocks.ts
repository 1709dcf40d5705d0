// When the edits of a recording were made, as their author says it: one time for each run of nodes, on its first.
import { lognormal, seeded } from '../measuring/random.js';
import type { Edit } from '../measuring/trace.js';

/** Median pause of somebody who types; now and then there is a long one. */
const PAUSE_MS = 150;
const PAUSE_SIGMA = 1;
const BEGIN_MS = 1_700_000_000_000;

/** The time of each edit in unix ms; undefined is a history without times. */
type Times = (edits: readonly Edit[]) => readonly number[] | undefined;

export const clocks: Readonly<Record<string, Times>> = {
  'no clock': () => undefined,
  'clock of the recording': (edits) => edits.map(({ at }) => at),
  'realistic clock': (edits) => typedTimes(edits.length),
};

/** Times of typing in whole milliseconds, which never go back and are the same in every run. */
export function typedTimes(count: number): readonly number[] {
  const random = seeded(40);
  let now = BEGIN_MS;
  return Array.from({ length: count }, () => {
    now += lognormal(random, PAUSE_MS, PAUSE_SIGMA);
    return Math.round(now);
  });
}
