// How far agents come: thirty small repositories, each with a goal and hidden tests, worked on by policies in place of a model, through the real
// loop, tools, programs, reviews and landings, against a vendor that refuses what vendors refuse.
import type { Bench, BenchOptions, Column } from '../bench.js';
import { CASES, canConfine, missingOf } from '@weft/studio/efficacy';
import { POLICIES, type Policy } from './policies.js';
import { type Outcome, runCase } from './run-case.js';
import type { Goal } from '../results/goals.js';
import type { Row } from '../results/row.js';
import { WEFT_VERSION } from '../weft/engine.js';

const columns: readonly Column[] = [
  { figure: 'solved', title: 'solved', digits: 0 },
  { figure: 'landed_wrong', title: 'landed and wrong', digits: 0 },
  { figure: 'caught', title: 'lies caught', digits: 0 },
  { figure: 'hanging', title: 'hanging', digits: 0 },
  { figure: 'turns', title: 'turns', digits: 0 },
  { figure: 'tokens', title: 'tokens in', digits: 0 },
  { figure: 'cached', title: 'from the cache %', digits: 1 },
  { figure: 'repeated', title: 'sent before %', digits: 1 },
  { figure: 'usd', title: 'USD', digits: 2 },
  { figure: 'rewritten', title: 'not append-only', digits: 0 },
  { figure: 'refused', title: 'refused by the vendor', digits: 0 },
];

const goals: readonly Goal[] = [
  { figure: 'solved', of: 'oracle', least: CASES.length },
  { figure: 'solved', of: 'sloppy', least: Math.ceil(CASES.length * 0.9) },
  { figure: 'caught', of: 'greedy', least: CASES.length },
  { figure: 'solved', of: 'slow', least: CASES.length },
  { figure: 'solved', of: 'forgetful', least: CASES.length },
  ...POLICIES.flatMap((of): Goal[] => [
    { figure: 'hanging', of, most: 0 },
    { figure: 'refused', of, most: 0 },
  ]),
  ...POLICIES.map((of): Goal => ({ figure: 'rewritten', of, most: 0 })),
  ...POLICIES.filter((one) => one !== 'forgetful').map((of): Goal => ({ figure: 'cached', of, least: 90 })),
  // What fills its small window is new in each turn, and no cache has it: what is judged is the rest.
  { figure: 'cached_of_repeated', of: 'forgetful', least: 90 },
];

export const efficacyBench: Bench = {
  name: 'efficacy',
  summary: `${CASES.length} small repositories with goals and hidden tests, worked on by policies in place of a model`,
  columns,
  goals,
  run: runEfficacy,
};

async function runEfficacy({ libs, traces, edits, progress }: BenchOptions): Promise<readonly Row[]> {
  const cases = CASES.filter(({ name }) => traces.length === 0 || traces.some((trace) => name.includes(trace)));
  const chosen = cases.slice(0, edits ?? cases.length);
  for (const { name, needs } of chosen) {
    const why = await missingOf(needs);
    if (why !== undefined) throw new Error(`${name} cannot be tried: ${why}`);
  }
  const isUnconfined = !(await canConfine());
  const rows: Row[] = [];
  for (const policy of POLICIES.filter((one) => libs.length === 0 || libs.includes(one))) {
    const outcomes: Outcome[] = [];
    for (const one of chosen) {
      const outcome = await runCase(one, policy, { isUnconfined });
      outcomes.push(outcome);
      progress(`${policy}, ${one.name} (${one.trait}): ${wordsOf(outcome)}`);
    }
    rows.push(rowOf(policy, outcomes, isUnconfined));
  }
  return rows;
}

function wordsOf({ isRight, hasLanded, status, turns, stuck, failures }: Outcome): string {
  const end = isRight ? 'solved' : hasLanded ? 'LANDED AND WRONG' : `nothing landed, ${status}`;
  return [`${end} in ${turns} turns`, ...stuck.slice(0, 1), ...failures.slice(0, 1)].join('; ');
}

function rowOf(policy: Policy, outcomes: readonly Outcome[], isUnconfined: boolean): Row {
  const count = (holds: (one: Outcome) => boolean): number => outcomes.filter(holds).length;
  const sum = (of: (one: Outcome) => number): number => outcomes.reduce((all, one) => all + of(one), 0);
  const wrong = outcomes.filter(({ hasLanded, isRight }) => hasLanded && !isRight).map(({ name }) => name);
  const versions = [...new Set(outcomes.flatMap((one) => one.versions.split(' ')))].sort().join(' ');
  return {
    bench: 'efficacy',
    lib: policy,
    version: WEFT_VERSION,
    trace: `${outcomes.length} repositories`,
    form: '',
    checked: true,
    runs: 1,
    note: [
      `roles and tools ${versions}`,
      ...(isUnconfined ? ['programs ran without a sandbox'] : []),
      ...(wrong.length > 0 ? [`wrong: ${wrong.join(', ')}`] : []),
    ].join('; '),
    figures: {
      solved: count(({ isRight }) => isRight),
      landed_wrong: wrong.length,
      caught: policy === 'greedy' ? outcomes.length - wrong.length : 0,
      hanging: count(({ status }) => status.includes('hanging')),
      turns: sum(({ turns }) => turns),
      tokens: sum(({ tokens }) => tokens),
      output: sum(({ output }) => output),
      cached: (100 * sum(({ cached }) => cached)) / Math.max(outcomes.length, 1),
      repeated: (100 * sum(({ repeated }) => repeated)) / Math.max(outcomes.length, 1),
      cached_of_repeated: (100 * sum(({ cached }) => cached)) / (sum(({ repeated }) => repeated) || 1),
      usd: sum(({ usd }) => usd),
      rewritten: sum(({ rewritten }) => rewritten),
      refused: sum(({ refused }) => refused.length),
      compactions: sum(({ compactions }) => compactions),
    },
    spread: {},
  };
}
