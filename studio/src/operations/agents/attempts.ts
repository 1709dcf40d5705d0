/** Audit of refused attempts: what agents try and may not is recorded, and becomes a finding so that a person knows of it. */
import { attempt } from '../../record/aggregates/attempt/attempt.js';
import type { FindingGiven } from '../../record/aggregates/finding/finding.js';
import { findingIdOf } from '../../rules/knowledge/detect-findings.js';
import { reportFindings } from '../../rules/knowledge/findings.js';
import type { Caller } from '../kernel/caller.js';
import type { OperationParts } from '../kernel/context.js';

type Input = Readonly<Record<string, unknown>>;

/** Input fields that name something. Nothing else of an input is kept. */
const NAMES = /(^path|Path|^branch|Id)s?$/;
/** Length limit of a text that an agent chose. */
const LONGEST = 200;

export interface Tried {
  readonly operation: string;
  readonly input: Input;
  /** Work unit of the agent. Default: what the input names. */
  readonly workUnitId?: unknown;
  /** Why it was refused; absent when the operation is for people. */
  readonly reason?: string;
}

export async function recordAttempt(
  { ledger, records, log }: OperationParts,
  { name, agentId = name }: Caller,
  { operation, input, workUnitId = input['workUnitId'], reason }: Tried,
): Promise<void> {
  const about = typeof workUnitId === 'string' && records.workUnits.get(workUnitId) ? { workUnitId } : {};
  const refused = { operation, agentId, ...about, target: targetOf(input) };
  try {
    await ledger.change(name, (change) => {
      const why = reason === undefined ? {} : { reason: inShort(reason) };
      change.run(attempt, `${agentId}/${operation}`, 'refuse', { ...refused, ...why });
      reportFindings(change, [findingOf(refused, reason)]);
    });
  } catch (error) {
    // The refusal holds even if it cannot be recorded.
    log({ level: 'error', message: 'a refused attempt could not be recorded', about: { operation, agentId }, error });
  }
}

/** Finding in our own words alone: what people promote of it is told to other agents. */
function findingOf(refused: { readonly operation: string; readonly agentId: string }, reason?: string): FindingGiven {
  const { operation, agentId } = refused;
  const why = reason === undefined ? 'because only people may do that' : 'because that is not its own to do';
  return {
    findingId: findingIdOf('attempt', agentId, operation),
    source: 'Deterministic',
    kind: 'PromptImprovement',
    title: `An agent tried what it may not: ${operation}`,
    summary: `It was refused ${why}. What it had read before may have told it to: look at that.`,
    supportingDataJson: JSON.stringify(refused),
  };
}

/** Target of the attempt, as it was named. */
function targetOf(input: Input): string | undefined {
  const named = Object.entries(input).filter(([name, value]) => NAMES.test(name) && isSaid(value));
  const said = named.map(([name, value]) => `${name} ${String(value)}`).sort();
  return said.length === 0 ? undefined : inShort(said.join(', '));
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}

/** Shortened, well-formed text: a lone surrogate has no bytes, and no room stores it. */
function inShort(text: string): string {
  return text.slice(0, LONGEST).replace(/\p{Surrogate}/gu, '\uFFFD');
}
