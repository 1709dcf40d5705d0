/** Writes down what agents try and may not: a person should know of it. */
import { attempt } from '../aggregates/attempt/attempt.js';
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
    await ledger.change(name, (change) =>
      change.run(attempt, `${agentId}/${operation}`, 'refuse', { operation, agentId, ...about, reason }),
    );
  } catch (error) {
    // The refusal stands all the same.
    log({ level: 'error', message: 'a refused attempt could not be recorded', about: { operation, agentId }, error });
  }
}
