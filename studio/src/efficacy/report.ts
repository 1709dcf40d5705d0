/** Report of a run of the suite: kept as a file, and held against another one case by case. */
import { z } from 'zod';
import type { Case } from './case.js';
import { CASES } from './cases.js';
import { type SolveOptions, solve } from './solve.js';
import { missingOf } from './toolchains.js';

const Outcome = z.object({
  name: z.string(),
  trait: z.string(),
  status: z.string(),
  isRight: z.boolean(),
  hasLanded: z.boolean(),
  turns: z.number(),
  tokens: z.number(),
  usd: z.number(),
  seconds: z.number(),
  failures: z.array(z.string()).readonly(),
  notes: z.array(z.string()).readonly(),
});
const Report = z.object({
  format: z.literal(1),
  version: z.string(),
  model: z.string(),
  suite: z.string(),
  begunAt: z.string(),
  /** Whether it was ended before all cases were tried. */
  isPart: z.boolean(),
  outcomes: z.array(Outcome),
  /** Cases whose toolchain the machine lacks. */
  notTried: z.array(z.object({ name: z.string(), why: z.string() })).optional(),
});
export type EvalReport = z.infer<typeof Report>;
export type EvalOutcome = z.infer<typeof Outcome>;

/** Cases by suite: all of them, a few that show the usual at little cost, and those with a trap. */
export const SUITES: Readonly<Record<string, readonly Case[]>> = {
  all: CASES,
  small: CASES.filter(({ trait }) => trait === 'plain').slice(0, 6),
  traps: CASES.filter(({ trait }) => trait !== 'plain'),
};

export interface SuiteOptions extends SolveOptions {
  readonly suite: string;
  /** Words of which a case's name has one. Empty: all cases of the suite. */
  readonly cases?: readonly string[] | undefined;
  readonly model: string;
  readonly version: string;
  readonly begunAt: string;
  readonly onNotTried?: ((name: string, why: string) => void) | undefined;
  readonly onOutcome?: ((outcome: EvalOutcome, report: EvalReport) => void | Promise<void>) | undefined;
}

/** Works on the cases of a suite, one after the other. Ends early when it is stopped, with what was tried until then. */
export async function runSuite(options: SuiteOptions): Promise<EvalReport> {
  const { suite, cases = [], model, version, begunAt, onOutcome, onNotTried, signal } = options;
  const wanted = (SUITES[suite] ?? []).filter(
    ({ name }) => cases.length === 0 || cases.some((one) => name.includes(one)),
  );
  const isStopped = (): boolean => signal?.aborted === true;
  const outcomes: EvalOutcome[] = [];
  const notTried: { name: string; why: string }[] = [];
  const reportNow = (): EvalReport => {
    const isPart = outcomes.length < wanted.length;
    const lacking = notTried.length === 0 ? {} : { notTried: [...notTried] };
    return { format: 1, version, model, suite, begunAt, isPart, outcomes: [...outcomes], ...lacking };
  };
  for (const one of wanted) {
    if (isStopped()) break;
    const why = await missingOf(one.needs);
    if (why !== undefined) {
      notTried.push({ name: one.name, why });
      onNotTried?.(one.name, why);
      continue;
    }
    const solved = await solve(one, options);
    // What was broken off says nothing of the model.
    if (isStopped() && !solved.isRight) break;
    const outcome = { name: one.name, trait: one.trait, ...solved };
    outcomes.push(outcome);
    await onOutcome?.(outcome, reportNow());
  }
  return reportNow();
}

/** Reads a report that was kept. Throws with what is wrong with it. */
export function readReport(text: string): EvalReport {
  const parsed = Report.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`it is no report of weft eval: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

export interface Sums {
  readonly cases: number;
  readonly solved: number;
  /** What has landed and is wrong. */
  readonly wrong: number;
  readonly turns: number;
  readonly tokens: number;
  readonly usd: number;
  readonly seconds: number;
}

export function sumsOf(outcomes: readonly EvalOutcome[]): Sums {
  const sum = (of: (one: EvalOutcome) => number): number => outcomes.reduce((all, one) => all + of(one), 0);
  return {
    cases: outcomes.length,
    solved: sum(({ isRight }) => (isRight ? 1 : 0)),
    wrong: sum(({ isRight, hasLanded }) => (hasLanded && !isRight ? 1 : 0)),
    turns: sum(({ turns }) => turns),
    tokens: sum(({ tokens }) => tokens),
    usd: sum(({ usd }) => usd),
    seconds: sum(({ seconds }) => seconds),
  };
}

export interface Comparison {
  /** Sums over the cases that both have tried: no others say anything. */
  readonly before: Sums;
  readonly after: Sums;
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  /** Cases that only one of them has tried. */
  readonly alone: readonly string[];
}

export function compareReports(before: EvalReport, after: EvalReport): Comparison {
  const [a, b] = [before, after].map(({ outcomes }) => new Map(outcomes.map((one) => [one.name, one])));
  const both = before.outcomes.filter(({ name }) => b!.has(name));
  const now = both.map(({ name }) => b!.get(name)!);
  const changed = (wasRight: boolean): string[] =>
    both
      .filter(({ name, isRight }) => isRight === wasRight && b!.get(name)!.isRight !== wasRight)
      .map(({ name }) => name);
  const alone = [...before.outcomes, ...after.outcomes].filter(({ name }) => !(a!.has(name) && b!.has(name)));
  return {
    before: sumsOf(both),
    after: sumsOf(now),
    gained: changed(false),
    lost: changed(true),
    alone: alone.map(({ name }) => name),
  };
}
