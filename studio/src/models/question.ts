/** Question to a model: its cost is reserved before, and its answer is recorded before it has an effect. */
import { conversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { Change } from '../record/ledger/change.js';
import type { Ledger } from '../record/ledger/ledger.js';
import type { Records } from '../record/views/records.js';
import { type Budgets, type Grant, costOf, grant, spentSoFar } from './budgets.js';
import type { ChosenModel } from './chosen-model.js';
import type { ModelRequest, ModelTurn, Retry, TurnOptions } from './provider.js';

/** Token limit of a short answer, for questions beside the work. */
export const SHORT_ANSWER_TOKENS = 8192;
/** Conservative token estimate: a token is seldom shorter. */
const BYTES_PER_TOKEN = 3;
/** Longest timer. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Question {
  readonly logId: string;
  readonly workUnitId: string;
  readonly agentId: string;
  /** Generation of the lease that it is asked under. */
  readonly generation: number;
  readonly model: ChosenModel;
}

/** Reserves the cost of a question; answers how long its answer may be. */
export function setAside(
  change: Change,
  records: Records,
  { workUnitId, agentId, model }: Omit<Question, 'logId' | 'generation'>,
  request: ModelRequest,
  budgets: Budgets,
): Grant {
  const inputTokens = Math.ceil(Buffer.byteLength(JSON.stringify(request)) / BYTES_PER_TOKEN);
  const spent = spentSoFar(records, change, workUnitId, agentId);
  return grant(spent, budgets, { inputTokens, outputTokens: request.maxTokens, price: model.price });
}

export interface Asked {
  readonly request: ModelRequest;
  readonly longestMs?: number | undefined;
}

/** Whoever watches while it is answered; `onWhole` is told before the answer is recorded. */
export interface Watched extends Pick<TurnOptions, 'onText' | 'onStartOver'> {
  readonly onWhole?: () => void;
}

/** Asks a recorded question. Throws what the provider throws, also when it takes longer than it may. */
export async function put(
  ledger: Pick<Ledger, 'change'>,
  question: Question,
  { request, longestMs }: Asked,
  stop: AbortSignal,
  { onWhole, ...watched }: Watched = {},
): Promise<ModelTurn> {
  const { logId, workUnitId, agentId, generation, model } = question;
  const signal =
    longestMs === undefined
      ? stop
      : AbortSignal.any([stop, AbortSignal.timeout(Math.min(Math.ceil(longestMs), LONGEST_MS))]);
  const told: Promise<void>[] = [];
  const onRetry = (retry: Retry): void => {
    // A failing record shows again when the answer is recorded, where it counts.
    told.push(ledger.change(callerOf(agentId), noteRetry(question, retry)).catch(() => undefined));
  };
  const turn = await model.provider.turn(request, { ...watched, signal, onRetry }).finally(() => Promise.all(told));
  onWhole?.();
  const { inputTokens, cachedInputTokens, outputTokens } = turn.usage;
  await ledger.change(callerOf(agentId), (change) => {
    change.run(conversationEntry, logId, 'answer', {
      logId,
      workUnitId,
      agentId,
      generation,
      assistantText: toWellFormed(turn.text),
      stopReason: turn.stop,
      inputTokens,
      cachedInputTokens,
      outputTokens,
      microUsd: turn.usage.microUsd ?? costOf(turn.usage, model.price),
      ...(turn.native && { nativeJson: JSON.stringify(turn.native) }),
      ...(turn.cut && { cut: turn.cut }),
      ...(turn.refusal === undefined ? {} : { refusal: toWellFormed(turn.refusal) }),
      toolCalls: turn.calls.map(({ callId, name, input }) => ({
        toolUseId: callId,
        name,
        inputJson: JSON.stringify(input),
      })),
    });
  });
  return turn;
}

function noteRetry({ logId, workUnitId, agentId, model }: Question, { fault, attempt, most, delayMs }: Retry) {
  const { status, message: reason } = fault;
  return (change: Change): void => {
    change.run(conversationEntry, logId, 'retry', {
      logId,
      workUnitId,
      agentId,
      provider: model.provider.name,
      attemptNumber: attempt,
      maxAttempts: most,
      delayMs,
      reason: toWellFormed(reason),
      ...(status === undefined ? {} : { statusCode: status }),
    });
  };
}

/** Well-formed text: a lone surrogate has no bytes, and no room stores it. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

export function callerOf(agentId: string): string {
  return `agent:${agentId}`;
}
