/**
 * One cycle of an agent's talk with its model: what it was told, what it said, the tools that it called, what they answered.
 *
 * Each step is written down before it has an effect: that the model is asked, and what that may cost; what it answered, before a
 * tool is called; what the tools answered, before the model is asked again. So whoever goes on after a crash knows where.
 */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

const about = { v: z.literal(1), logId: z.string(), workUnitId: z.string() };

const cycle = {
  agentId: z.string(),
  agentRole: z.string(),
  taskId: z.string().optional(),
  cycleNumber: z.number(),
  provider: z.string().optional(),
  model: z.string().optional(),
};
const toolCalls = z.array(z.object({ toolUseId: z.string(), name: z.string(), inputJson: z.string() }));
const toolResults = z.array(
  z.object({ toolUseId: z.string(), result: z.string(), truncated: z.boolean(), isError: z.boolean().optional() }),
);
const Cost = z.object({ tokens: z.number(), microUsd: z.number() });

const event = z.discriminatedUnion('type', [
  /** All of a cycle at once. */
  z.object({
    type: z.literal('ConversationCycleRecorded'),
    ...about,
    ...cycle,
    assistantText: z.string().optional(),
    toolCalls,
    toolResults,
    stopReason: z.string().optional(),
    inputTokens: z.number().optional(),
    outputTokens: z.number().optional(),
  }),
  z.object({
    type: z.literal('ModelAsked'),
    ...about,
    ...cycle,
    /** The conversation that it belongs to, the turn in the queue that it is counted for, and the lease that it was asked under. */
    run: z.number(),
    schedule: z.number(),
    generation: z.number(),
    /** What the agent was told before it: new facts, and what they are called. */
    said: z.string().optional(),
    told: z.array(z.string()),
    reserved: Cost,
  }),
  z.object({
    type: z.literal('ModelAnswered'),
    ...about,
    assistantText: z.string().optional(),
    toolCalls,
    stopReason: z.string(),
    inputTokens: z.number(),
    cachedInputTokens: z.number(),
    outputTokens: z.number(),
    microUsd: z.number(),
  }),
  z.object({ type: z.literal('ModelFailed'), ...about, fault: z.string(), reason: z.string(), isCharged: z.boolean() }),
  /** It is asked again after a while, before anybody is told that it did not answer. */
  z.object({
    type: z.literal('ProviderRetryAttempted'),
    ...about,
    agentId: z.string(),
    provider: z.string(),
    statusCode: z.number().optional(),
    attemptNumber: z.number(),
    maxAttempts: z.number(),
    delayMs: z.number(),
    reason: z.string(),
  }),
  z.object({ type: z.literal('ToolsAnswered'), ...about, toolResults }),
]);
type EntryEvent = z.infer<typeof event>;
type Events = readonly EntryEvent[];
type Of<Type extends EntryEvent['type']> = Omit<Extract<EntryEvent, { type: Type }>, 'type' | 'v'>;
type Asked = Of<'ModelAsked'>;
type Cost = z.infer<typeof Cost>;
/** The lease under which it was asked: an answer to a question that another has asked anew comes too late. */
type AskLease = Readonly<Pick<Asked, 'generation' | 'agentId'>>;

export interface ConversationEntry
  extends Of<'ConversationCycleRecorded'>, Partial<Pick<Asked, 'generation' | 'said'>> {
  readonly occurredAt: string;
  /** When it last went on. */
  readonly endedAt: string;
  readonly phase: 'asked' | 'answered' | 'done' | 'failed';
  readonly run: number;
  readonly schedule: number;
  readonly told: readonly string[];
  /** What it has cost, and what questions whose answer is not known may have. */
  readonly spent: Cost;
  readonly reserved: Cost;
  /** What those may have cost who asked in this place before, and were lost with their questions. */
  readonly lost?: readonly { readonly agentId: string; readonly spent: Cost }[];
}

const NOTHING: Cost = { tokens: 0, microUsd: 0 };

export const conversationEntry = aggregate<ConversationEntry>()({
  name: 'conversation-entry',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'ConversationCycleRecorded') {
      const { type: _type, v: _v, ...given } = event;
      const spent = { tokens: (given.inputTokens ?? 0) + (given.outputTokens ?? 0), microUsd: 0 };
      const none = { run: 0, schedule: 0, told: [], reserved: NOTHING, spent };
      return state ?? { ...given, ...none, phase: 'done', occurredAt: at, endedAt: at };
    }
    if (event.type === 'ModelAsked') {
      const { type: _type, v: _v, ...given } = event;
      const occurredAt = state?.occurredAt ?? at;
      const cost = state ? costOfLost(state, given.agentId) : { spent: NOTHING };
      return { ...given, ...cost, phase: 'asked', occurredAt, endedAt: at, toolCalls: [], toolResults: [] };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ModelAnswered': {
        const { type: _type, v: _v, microUsd, cachedInputTokens: _cached, ...answer } = event;
        const spent = sum(state.spent, { tokens: answer.inputTokens + answer.outputTokens, microUsd });
        const phase = answer.toolCalls.length === 0 ? 'done' : 'answered';
        return { ...state, ...answer, spent, reserved: NOTHING, phase, endedAt: at };
      }
      case 'ModelFailed': {
        const spent = event.isCharged ? sum(state.spent, state.reserved) : state.spent;
        return { ...state, spent, reserved: NOTHING, phase: 'failed', stopReason: event.fault, endedAt: at };
      }
      case 'ProviderRetryAttempted':
        return { ...state, endedAt: at };
      case 'ToolsAnswered':
        return { ...state, toolResults: event.toolResults, phase: 'done', endedAt: at };
    }
  },
  decide: {
    record: (_state, given: Of<'ConversationCycleRecorded'>): Events => [
      { type: 'ConversationCycleRecorded', v: 1, ...given },
    ],

    /** Also anew, when it was asked before and the answer is lost. */
    ask(state, given: Asked): Events {
      if (state && state.phase !== 'asked' && state.phase !== 'failed') throw lost(given.logId);
      return [{ type: 'ModelAsked', v: 1, ...given }];
    },

    answer(state, { generation, agentId, ...given }: Of<'ModelAnswered'> & AskLease): Events {
      if (!isAskedBy(state, { generation, agentId })) throw lost(given.logId);
      return [{ type: 'ModelAnswered', v: 1, ...given }];
    },

    fail(state, { generation, agentId, ...given }: Of<'ModelFailed'> & AskLease): Events {
      if (!isAskedBy(state, { generation, agentId })) return [];
      return [{ type: 'ModelFailed', v: 1, ...given }];
    },

    retry: (state, given: Of<'ProviderRetryAttempted'>): Events =>
      state?.phase === 'asked' ? [{ type: 'ProviderRetryAttempted', v: 1, ...given }] : [],

    use(state, given: Of<'ToolsAnswered'>): Events {
      return state?.phase === 'answered' ? [{ type: 'ToolsAnswered', v: 1, ...given }] : [];
    },
  },
});

/** What was asked before in its place was never answered, and may have cost whoever asked it what was set aside for it. */
function costOfLost({ agentId, spent, reserved, lost = [] }: ConversationEntry, now: string) {
  const before = sum(spent, reserved);
  return agentId === now ? { spent: before, lost } : { spent: NOTHING, lost: [...lost, { agentId, spent: before }] };
}

function isAskedBy(state: ConversationEntry | undefined, { generation, agentId }: AskLease): boolean {
  return state?.phase === 'asked' && state.generation === generation && state.agentId === agentId;
}

function sum(a: Cost, b: Cost): Cost {
  return { tokens: a.tokens + b.tokens, microUsd: a.microUsd + b.microUsd };
}

function lost(logId: string): Error {
  return refusal('reject.lease_lost', 'another has gone on with this conversation', { logId });
}
