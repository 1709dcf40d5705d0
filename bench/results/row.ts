import * as z from 'zod';
import type { Outcome } from '../measuring/harness.js';
import type { Figures } from '../measuring/statistics.js';

/** One line of a result: a library in one scenario. */
export interface Row {
  readonly bench: string;
  readonly lib: string;
  readonly version: string;
  /** Trace, or another input. */
  readonly trace: string;
  /** Form in which the document was saved; empty where it does not matter. */
  readonly form: string;
  /** Whether the result of every run was compared with what it must be, outside the clock. */
  readonly checked: boolean;
  readonly runs: number;
  readonly note: string;
  readonly figures: Figures;
  readonly spread: Figures;
}

/** Joins what several contenders measured of the same library into one row. */
export function toRow(
  about: Pick<Row, 'bench' | 'lib' | 'version' | 'trace' | 'form'>,
  outcomes: readonly Outcome[],
  notes: readonly string[],
): Row {
  const failures = outcomes.flatMap(({ failure }) => (failure === undefined ? [] : [`FAILED: ${failure}`]));
  return {
    ...about,
    checked: failures.length === 0 && outcomes.length > 0,
    runs: outcomes.length === 0 ? 0 : Math.min(...outcomes.map(({ runs }) => runs)),
    note: [...failures, ...notes].filter((note) => note !== '').join('; '),
    figures: Object.assign({}, ...outcomes.map(({ figures }) => figures)) as Figures,
    spread: Object.assign({}, ...outcomes.map((outcome) => outcome.spread)) as Figures,
  };
}

/** The row as one flat JSON object; figures keep their names. */
export function toJsonLine({ figures, spread, ...about }: Row): string {
  const rounded = Object.entries(figures).map(([name, value]) => [name, Number(value.toPrecision(6))]);
  const spreads = Object.entries(spread).map(([name, value]) => [name, Number(value.toFixed(4))]);
  return JSON.stringify({ ...about, ...Object.fromEntries(rounded), spread: Object.fromEntries(spreads) });
}

const Line = z
  .object({
    bench: z.string(),
    lib: z.string(),
    version: z.string(),
    trace: z.string(),
    form: z.string(),
    checked: z.boolean(),
    runs: z.number(),
    note: z.string(),
    spread: z.record(z.string(), z.number()),
  })
  .catchall(z.number());

/** The other direction of `toJsonLine`: whatever is a number and no field of a row is a figure. */
export function parseRow(line: unknown): Row {
  const { bench, lib, version, trace, form, checked, runs, note, spread, ...figures } = Line.parse(line);
  return { bench, lib, version, trace, form, checked, runs, note, spread, figures };
}
