/** Next step of an agent: a pure function of the record, so after a crash the work continues at the same step. */
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { FailureKind } from '../record/aggregates/dead-letter/dead-letter.js';

export interface Situation {
  /** Whether the lease is still held. */
  readonly isOurs: boolean;
  /** The conversation so far, oldest first. */
  readonly cycles: readonly ConversationEntry[];
  /** The stay in the queue that turns are counted for. */
  readonly schedule: number;
  readonly maxIterations: number;
  /** What is missing before the work is done; undefined when nothing is. */
  readonly missing: string | undefined;
}

export type NextStep =
  | { readonly do: 'leave' }
  /** `reminder` names what the agent has left out. */
  | { readonly do: 'ask'; readonly reminder?: string }
  | { readonly do: 'use tools'; readonly cycle: ConversationEntry }
  | { readonly do: 'end' }
  | { readonly do: 'fail'; readonly kind: FailureKind; readonly reason: string };

/** Loop detection: within so many cycles so many may be identical. */
const WINDOW = 8;
const MOST_ALIKE = 4;
/** Reminders before the agent fails. */
const REMINDERS = 2;

export function nextStep({ isOurs, cycles, schedule, maxIterations, missing }: Situation): NextStep {
  if (!isOurs) return { do: 'leave' };
  const last = cycles.at(-1);
  if (last?.phase === 'answered') return { do: 'use tools', cycle: last };
  const counted = cycles.filter((cycle) => cycle.schedule === schedule && cycle.phase === 'done');
  const hasStopped = counted.at(-1)?.toolCalls.length === 0;
  if (counted.length > 0 && missing === undefined) return { do: 'end' };
  if (hasStopped && counted.filter(({ toolCalls }) => toolCalls.length === 0).length > REMINDERS)
    return { do: 'fail', kind: 'ProgressNotVerified', reason: `the agent stopped, but ${missing}` };
  const repeated = repeatedIn(counted.slice(-WINDOW));
  if (repeated !== undefined)
    return { do: 'fail', kind: 'Stalled', reason: `the same was done ${MOST_ALIKE} times: ${repeated}` };
  if (counted.length >= maxIterations) {
    const reason = `${maxIterations} turns were not enough`;
    return { do: 'fail', kind: 'MaxIterationsExceeded', reason };
  }
  return hasStopped && missing !== undefined ? { do: 'ask', reminder: missing } : { do: 'ask' };
}

/** Tools of a call that repeats with identical answers. */
function repeatedIn(cycles: readonly ConversationEntry[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { toolCalls, toolResults } of cycles) {
    if (toolCalls.length === 0) continue;
    const calls = toolCalls.map(({ name, inputJson }, i) => [name, inputJson, toolResults[i]?.result]);
    const key = JSON.stringify(calls);
    const count = (counts.get(key) ?? 0) + 1;
    if (count >= MOST_ALIKE) return toolCalls.map(({ name }) => name).join(', ');
    counts.set(key, count);
  }
  return undefined;
}
