// Who takes part in a scenario, and the rows of all of them.
import type { BenchOptions } from '../bench.js';
import { type Contender, interleave } from './harness.js';
import { type Row, toRow } from '../results/row.js';

/** A contender with what its row says of it. */
export interface Entrant {
  readonly lib: string;
  readonly version: string;
  readonly form: string;
  readonly notes: readonly string[];
  readonly contender: Contender;
}

/** Rows, one for each entrant, measured in the same interleaved rounds. */
export async function runEntrants(
  bench: string,
  trace: string,
  entrants: readonly Entrant[],
  { repeat, progress }: Pick<BenchOptions, 'repeat' | 'progress'>,
): Promise<Row[]> {
  const outcomes = await interleave(
    entrants.map(({ contender }) => contender),
    repeat,
    progress,
  );
  return entrants.map(({ lib, version, form, notes }, index) =>
    toRow({ bench, lib, version, trace, form }, outcomes.slice(index, index + 1), notes),
  );
}
