/** Writes down what agents try and may not: a person should know of it. */
import { attempt } from '../aggregates/attempt/attempt.js';
import type { FindingGiven } from '../aggregates/finding/finding.js';
import { findingIdOf } from '../knowledge/detect-findings.js';
import { reportFindings } from '../knowledge/findings.js';
import type { Caller } from './caller.js';
import type { Shared } from './context.js';

export async function recordAttempt(
  { ledger, records, log }: Shared,
  { name, agentId = name }: Caller,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  /** Why, unless because it is for people. */
  reason?: string,
): Promise<void> {
  const { workUnitId } = input;
  // Nothing else of the input: it is not ours to keep, and an agent chose it.
  const about = typeof workUnitId === 'string' && records.workUnits.get(workUnitId) ? { workUnitId } : {};
  try {
    await ledger.change(name, (change) => {
      change.run(attempt, `${agentId}/${operation}`, 'refuse', { operation, agentId, ...about, reason });
      reportFindings(change, [findingOf(operation, agentId, reason)]);
    });
  } catch (error) {
    // The refusal stands all the same.
    log({ level: 'error', message: 'a refused attempt could not be recorded', about: { operation, agentId }, error });
  }
}

/** Of words of ours alone: what people promote of it is told to other agents. */
function findingOf(operation: string, agentId: string, reason: string | undefined): FindingGiven {
  return {
    findingId: findingIdOf('attempt', operation, agentId),
    ...{ source: 'Deterministic', kind: 'PromptImprovement', title: `An agent tried what it may not: ${operation}` },
    summary: `It was refused ${reason === undefined ? 'because only people may do that' : 'because that is not its own to do'}. Look at what it was told.`,
    supportingDataJson: JSON.stringify({ agentId, operation }),
  };
}
