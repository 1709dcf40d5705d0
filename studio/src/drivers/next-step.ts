/** Next step of an agent: a pure function of the record, so after a crash the work continues at the same step. */
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { FailureKind } from '../record/aggregates/dead-letter/dead-letter.js';
import { repetitionIn } from './stall.js';

export interface Situation {
  /** Whether the lease is still held. */
  readonly isOurs: boolean;
  /** The conversation so far, oldest first. */
  readonly cycles: readonly ConversationEntry[];
  /** The stay in the queue that turns are counted for. */
  readonly schedule: number;
  readonly maxIterations: number;
  /** Whether a person was asked what becomes of a refusal. */
  readonly isReferred?: boolean;
  /** What is missing before the work is done; undefined when nothing is. */
  readonly missing: string | undefined;
}

export type NextStep =
  | { readonly do: 'leave' }
  /** A notice tells what the agent has left out, or what went wrong with its last answer. */
  | { readonly do: 'ask'; readonly notice?: string }
  | { readonly do: 'use tools'; readonly cycle: ConversationEntry }
  | { readonly do: 'end' }
  /** The model refuses: a person decides how it goes on. */
  | { readonly do: 'refer'; readonly reason: string }
  | { readonly do: 'fail'; readonly kind: FailureKind; readonly reason: string };

/** Stall: one call again and again with one outcome. The agent is told of it, and in the end it is stopped. */
const ALIKE_TOLD = 3;
const ALIKE_MOST = 5;
/** Answers in a row that were cut. */
const MOST_CUT = 3;
/** Reminders before the agent fails. */
const REMINDERS = 2;
/** Shares of its turns after which an agent is told, in percent. */
const TURNS_TOLD = [80, 95];

export function nextStep(situation: Situation): NextStep {
  const { isOurs, cycles, schedule, maxIterations, isReferred = false, missing } = situation;
  if (!isOurs) return { do: 'leave' };
  const last = cycles.at(-1);
  if (last?.phase === 'answered') return { do: 'use tools', cycle: last };
  const counted = cycles.filter((cycle) => cycle.schedule === schedule && cycle.phase === 'done');
  const done = counted.at(-1);
  if (!done) return { do: 'ask' };
  if (missing === undefined) return { do: 'end' };
  if (done.stopReason === 'refused' && !isReferred)
    return { do: 'refer', reason: done.refusal || done.assistantText || 'no reason was given' };
  const failure = failureOf(counted, maxIterations, missing);
  if (failure) return failure;
  const notices = [cutNotice(done), repetitionNotice(counted), turnsNotice(counted.length, maxIterations)];
  // Who was cut, or pauses, has not stopped.
  const hasStopped = isStop(done) && !notices[0];
  const reminder = `You stopped, but ${missing}. Do what is left, or ask.`;
  const said = [hasStopped ? reminder : undefined, ...notices].filter((notice) => notice !== undefined);
  return said.length === 0 ? { do: 'ask' } : { do: 'ask', notice: said.join('\n') };
}

function failureOf(
  counted: readonly ConversationEntry[],
  maxIterations: number,
  missing: string,
): NextStep | undefined {
  const stops = counted.filter(isStop).length;
  if (stops > REMINDERS && counted.at(-1)!.toolCalls.length === 0 && isStop(counted.at(-1)!))
    return { do: 'fail', kind: 'ProgressNotVerified', reason: `the agent stopped, but ${missing}` };
  if (counted.length >= MOST_CUT && counted.slice(-MOST_CUT).every(({ stopReason }) => stopReason === 'length'))
    return {
      do: 'fail',
      kind: 'Exception',
      reason: `${MOST_CUT} answers in a row were cut: give the model more room for its answers, as "output" under "models" of the host's file of models`,
    };
  const repeated = repetitionIn(counted);
  if (repeated && repeated.times >= ALIKE_MOST)
    return { do: 'fail', kind: 'Stalled', reason: `the same was done ${repeated.times} times: ${repeated.tool}` };
  if (counted.length >= maxIterations)
    return { do: 'fail', kind: 'MaxIterationsExceeded', reason: `${maxIterations} turns were not enough` };
  return undefined;
}

/** Whether the agent ended its turn without wanting anything more. */
function isStop({ toolCalls, stopReason }: ConversationEntry): boolean {
  return toolCalls.length === 0 && !NOT_STOPPED.has(stopReason ?? 'end');
}

/** Ends of turns after which the agent has more to say. */
const NOT_STOPPED: ReadonlySet<string> = new Set(['length', 'full', 'paused', 'refused']);

function cutNotice({ stopReason, cut, outputTokens = 0 }: ConversationEntry): string | undefined {
  if (stopReason !== 'length' && stopReason !== 'full') return undefined;
  const where = stopReason === 'full' ? 'because the context was full' : `at ${outputTokens} tokens`;
  if (!cut) return `Your answer was cut ${where}. Go on where it stopped, in shorter turns.`;
  return (
    `Your answer was cut ${where}, inside a call of ${cut.tool} of which ${cut.characters} characters had come. That call was not made. ` +
    'Make it again in parts: write a long file piece by piece, or edit what is there.'
  );
}

function repetitionNotice(counted: readonly ConversationEntry[]): string | undefined {
  const repeated = repetitionIn(counted);
  if (repeated?.times !== ALIKE_TOLD) return undefined;
  const what = repeated.isError ? 'fails in the same way' : 'gives the same';
  return (
    `This is the third time that ${repeated.tool} ${what}, and nothing has changed in between. Say what you expected, name another cause, and do ` +
    'something that tells them apart.'
  );
}

function turnsNotice(turns: number, most: number): string | undefined {
  if (!TURNS_TOLD.some((percent) => turns === Math.ceil((most * percent) / 100))) return undefined;
  return `You have taken ${turns} of ${most} turns. Bring what you have begun to an end, and end your work before they are used up.`;
}
