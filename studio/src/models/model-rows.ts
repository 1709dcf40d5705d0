/**
 * Model rows: what a model can take and give, how hard it thinks for which stage, how one speaks to it, what it costs. A row is found by
 * the beginning of the model's name; the host's file overrides it field by field. Vendors' figures are those of November 2026.
 */
import type { Price } from './budgets.js';
import type { Effort, Ways } from './provider.js';

export interface ModelRow {
  /** Context window in tokens, of which a conversation is compacted long before the end. */
  readonly context: number;
  /** Most tokens of an answer, thinking included. */
  readonly output: number;
  /** Effort by stage of the asker's profile, or for all of them. */
  readonly effort?: Effort | Readonly<Record<string, Effort>> | undefined;
  readonly ways: Ways;
  readonly price?: Price | undefined;
}

/** Override of a row, from the host's file. */
export interface RowOverride {
  readonly context?: number | undefined;
  readonly output?: number | undefined;
  readonly effort?: Effort | undefined;
  readonly thinking?: 'adaptive' | 'none' | number | undefined;
  readonly wire?: 'responses' | 'chat' | undefined;
}

const CAREFUL = { Plan: 'high', Execute: 'high', Review: 'medium', Reconcile: 'high' } as const;
const USUAL = { Plan: 'high', Execute: 'medium', Review: 'medium', Reconcile: 'high' } as const;
const LIGHT = { Plan: 'medium', Execute: 'medium', Review: 'medium', Reconcile: 'medium' } as const;
const ADAPTIVE: Ways = { thinking: 'adaptive' };
const ADAPTIVE_WITH_NOTICES: Ways = { thinking: 'adaptive', systemNotices: true };

/** Price of a model of Anthropic: a write to its cache costs a quarter more than input, a read a tenth of it. */
function priced(input: number, output: number, cachedInput = input / 10): Price {
  return { input, output, cachedInput, cacheWrite: input * 1.25 };
}

const MILLION = 1_000_000;

/** Rows by beginning of the name; the longest that fits counts. */
const ROWS: Readonly<Record<string, ModelRow>> = {
  'claude-fable-5': {
    context: MILLION,
    output: 64_000,
    effort: CAREFUL,
    ways: ADAPTIVE_WITH_NOTICES,
    price: priced(10, 50),
  },
  'claude-opus-5': {
    context: MILLION,
    output: 64_000,
    effort: USUAL,
    ways: ADAPTIVE_WITH_NOTICES,
    price: priced(5, 25),
  },
  'claude-opus-5-5': {
    context: MILLION,
    output: 64_000,
    effort: USUAL,
    ways: ADAPTIVE_WITH_NOTICES,
    price: priced(4, 20, 0.2),
  },
  'claude-sonnet-5': { context: MILLION, output: 64_000, effort: CAREFUL, ways: ADAPTIVE, price: priced(2, 10) },
  'claude-haiku-5': { context: MILLION, output: 32_000, effort: LIGHT, ways: ADAPTIVE },
  'claude-sonnet-4-5': {
    context: 200_000,
    output: 32_000,
    ways: { thinking: { budgetTokens: 8000 } },
    price: priced(3, 15),
  },
  claude: { context: 200_000, output: 32_000, ways: {} },
  'gpt-5': { context: 272_000, output: 32_000, effort: USUAL, ways: {} },
  'gpt-6': { context: 272_000, output: 32_000, effort: USUAL, ways: {} },
  'gemini-3': { context: MILLION, output: 32_000, ways: {} },
};

/** Row of a model that nobody has described. */
const UNKNOWN: ModelRow = { context: 128_000, output: 8192, ways: {} };

/** Conversations grow to this share of the window, and never beyond what models still read well. */
const USED = 0.6;
const MOST_USED = 200_000;

export function rowOf(model: string, override: RowOverride = {}): ModelRow {
  const name = Object.keys(ROWS)
    .filter((beginning) => model.startsWith(beginning))
    .reduce((longest, one) => (one.length > longest.length ? one : longest), '');
  const row = ROWS[name] ?? UNKNOWN;
  const { context = row.context, output = row.output, effort = row.effort, thinking, wire } = override;
  const ways = {
    ...row.ways,
    ...(wire === undefined ? {} : { wire }),
    ...(thinking === undefined ? {} : { thinking: thinkingOf(thinking) }),
  };
  return { ...row, context, output: Math.min(output, mostOutput(context)), effort, ways };
}

/** Why a person's row cannot be kept to: an answer that would be cut is said, not cut without a word. */
export function wrongRow(model: string, override: RowOverride): string | undefined {
  const { context } = rowOf(model, override);
  const most = mostOutput(context);
  if (override.output === undefined || override.output <= most) return undefined;
  return `answers of ${override.output} tokens do not fit behind a conversation in a context of ${context}: say ${most} or less, or a larger context`;
}

const mostOutput = (context: number): number => Math.floor(context * (1 - USED));

/** Tokens at which a conversation is compacted. The longest answer fits behind it: no row has more room for one than is left. */
export function compactAt({ context }: ModelRow): number {
  return Math.min(context * USED, MOST_USED);
}

export function effortFor({ effort }: ModelRow, stage: string): Effort | undefined {
  return typeof effort === 'object' ? effort[stage] : effort;
}

function thinkingOf(thinking: NonNullable<RowOverride['thinking']>): Ways['thinking'] {
  if (thinking === 'none') return undefined;
  return thinking === 'adaptive' ? thinking : { budgetTokens: thinking };
}
