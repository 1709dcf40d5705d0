/**
 * Budgets of goals, units and agents. Spending is the sum over all recorded cycles; what a question may cost is reserved in the
 * change that records it. So a restart loses nothing, and no two agents spend the same.
 */
import type { Records } from '../record/views/records.js';
import { type Spending, cyclesOfAgent, spendingOf, spendingOfTree, spendingOfUnit } from '../rules/goals/spending.js';
import { firstRootOf } from '../rules/goals/tree.js';
import type { Change } from '../record/ledger/change.js';
import type { ModelUsage } from './provider.js';

export interface Limits {
  /** Tokens read and written. */
  readonly tokens?: number | undefined;
  readonly microUsd?: number | undefined;
  readonly turns?: number | undefined;
  /** Time at work; waiting for people is free. */
  readonly milliseconds?: number | undefined;
}
type Kind = keyof Limits;
export type Scope = 'goal' | 'unit' | 'agent';
export type Budgets = Readonly<Partial<Record<Scope, Limits | undefined>>>;

/** Price of a model: dollars for a million tokens. */
export interface Price {
  readonly input: number;
  /** Read from the vendor's cache. Default: as any input. */
  readonly cachedInput?: number | undefined;
  /** Written to the vendor's cache. Default: as any input. */
  readonly cacheWrite?: number | undefined;
  readonly output: number;
}

const NAMES: Readonly<Record<Kind, string>> = {
  tokens: 'tokens',
  microUsd: 'money',
  turns: 'turns',
  milliseconds: 'time',
};

export interface Wanted {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly price: Price | undefined;
}

export interface Exhausted {
  readonly exhausted: Scope;
  readonly reason: string;
}

export type Grant =
  | {
      readonly outputTokens: number;
      readonly reserved: { readonly tokens: number; readonly microUsd: number };
      /** Time limit of the answer. Absent: none. */
      readonly longestMs?: number;
    }
  | Exhausted;

/** Answer that may be reserved whatever is left. */
const USUAL_OUTPUT = 8192;

/** Part of what is left that one answer may reserve: others ask at the same time, and few answers are as long as they may be. */
function fairOf(left: number): number {
  return Math.min(left, Math.max(USUAL_OUTPUT, left / 4));
}

/** Least useful answer, in tokens. */
const LEAST_OUTPUT = 256;

/** Grant for one question: the longest answer that every budget allows, or the budget that is exhausted. */
export function grant(
  spent: Readonly<Record<Scope, Spending>>,
  budgets: Budgets,
  { inputTokens, outputTokens, price }: Wanted,
): Grant {
  const rest = (scope: Scope, kind: Kind): number =>
    (budgets[scope]?.[kind] ?? Number.POSITIVE_INFINITY) - spent[scope][kind];
  const scopes = ['goal', 'unit', 'agent'] as const;
  const inMoney = price ? undefined : scopes.find((scope) => budgets[scope]?.microUsd !== undefined);
  if (inMoney !== undefined)
    return {
      exhausted: inMoney,
      reason: `the ${inMoney} has a limit in dollars, and nobody knows what this model costs: name its price under "prices" of the host's file of models, or limit tokens`,
    };
  const room = scopes.flatMap((scope) => {
    // Input may be written to a cache, which costs more.
    const forMoney = rest(scope, 'microUsd') - inputTokens * Math.max(price?.input ?? 0, price?.cacheWrite ?? 0);
    return [
      { scope, kind: 'turns' as const, output: rest(scope, 'turns') >= 1 ? outputTokens : 0 },
      { scope, kind: 'milliseconds' as const, output: rest(scope, 'milliseconds') > 0 ? outputTokens : 0 },
      { scope, kind: 'tokens' as const, output: fairOf(rest(scope, 'tokens') - inputTokens) },
      { scope, kind: 'microUsd' as const, output: price ? fairOf(forMoney / price.output) : outputTokens },
    ];
  });
  const least = room.reduce((a, b) => (b.output < a.output ? b : a));
  if (least.output < Math.min(LEAST_OUTPUT, outputTokens))
    return { exhausted: least.scope, reason: `nothing is left of the ${NAMES[least.kind]} of the ${least.scope}` };
  const output = Math.floor(Math.min(least.output, outputTokens));
  const microUsd = price
    ? Math.ceil(inputTokens * Math.max(price.input, price.cacheWrite ?? 0) + output * price.output)
    : 0;
  const longestMs = Math.min(...scopes.map((scope) => rest(scope, 'milliseconds')));
  const given = { outputTokens: output, reserved: { tokens: inputTokens + output, microUsd } };
  return Number.isFinite(longestMs) ? { ...given, longestMs } : given;
}

/** Spending that counts towards each budget of a unit and its agent. */
export function spentSoFar(
  records: Records,
  look: Pick<Change, 'state'>,
  workUnitId: string,
  agentId: string,
): Record<Scope, Spending> {
  const unit = spendingOfUnit(records, workUnitId);
  const goal = spendingOfTree(records, firstRootOf(look, workUnitId));
  const agent = cyclesOfAgent(records, { workUnitId, agentId });
  return { goal, unit, agent: spendingOf(agent, agentId) };
}

/** Cost in millionths of a dollar: a dollar for a million tokens is one millionth for each. */
export function costOf(usage: ModelUsage, price: Price | undefined): number {
  if (!price) return 0;
  const { inputTokens, cachedInputTokens, cacheWriteTokens = 0, outputTokens } = usage;
  const { input, cachedInput = input, cacheWrite = input, output } = price;
  const fresh = inputTokens - cachedInputTokens - cacheWriteTokens;
  const read = cachedInputTokens * cachedInput + cacheWriteTokens * cacheWrite;
  return Math.ceil(fresh * input + read + outputTokens * output);
}

/** Shares of a limit at which its spender is warned, in percent. */
const WARNINGS = [95, 80, 50] as const;

export interface Warning {
  /** Key of a warning, so that it is given once. */
  readonly id: string;
  readonly text: string;
}

/** Warnings of limits that are nearly used up: the highest share that was reached, for each limit. */
export function warningsOf(spent: Readonly<Record<Scope, Spending>>, budgets: Budgets): Warning[] {
  return (['goal', 'unit', 'agent'] as const).flatMap((scope) =>
    KINDS.flatMap((kind) => {
      const most = budgets[scope]?.[kind];
      if (most === undefined) return [];
      const share = WARNINGS.find((percent) => spent[scope][kind] * 100 >= most * percent);
      const what = `${NAMES[kind]} of the ${scope}`;
      return share === undefined ? [] : [{ id: `limit ${share} ${scope} ${kind}`, text: warningOf(share, what) }];
    }),
  );
}

/** Text of a warning, with what follows from it. */
function warningOf(share: number, what: string): string {
  const advice =
    share >= 95
      ? 'Bring what is done into a state that builds, and end your work now: propose it, or say what is left.'
      : share >= 80
        ? 'Finish what you have begun; begin nothing new.'
        : 'Use the rest for what the task needs.';
  return `${share} % of the ${what} are used. ${advice}`;
}

const KINDS = ['tokens', 'microUsd', 'turns', 'milliseconds'] as const;
