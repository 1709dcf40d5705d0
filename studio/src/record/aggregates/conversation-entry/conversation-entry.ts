/**
 * Conversation cycle of an agent and its model: what it was told, what it said, the tools that it called, what they answered.
 *
 * Write-ahead: each step is recorded before it has an effect. That the model is asked, and what that may cost; what it
 * answered, before a tool is called; what the tools answered, before the model is asked again. So recovery after a crash knows
 * where to continue.
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
const Frame = z.object({
  system: z.string(),
  tools: z.array(z.string()),
  roleVersion: z.string().optional(),
  /** Tools of servers, as they were offered. */
  serverTools: z.array(z.object({ name: z.string(), description: z.string(), inputJson: z.string() })).optional(),
});
const Compaction = z.object({
  text: z.string(),
  notes: z.string().optional(),
  kept: z.number(),
  longestResult: z.number().optional(),
  /** Tokens that it was to fit in. */
  limit: z.number(),
});
const Cost = z.object({ tokens: z.number(), microUsd: z.number() });

const event = z.discriminatedUnion('type', [
  /** A whole cycle in one event. */
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
    /** Number of the conversation, of the stay in the queue that it counts for, and of the lease that it was asked under. */
    run: z.number(),
    schedule: z.number(),
    generation: z.number(),
    /** New facts told to the agent before the question, and their ids. */
    said: z.string().optional(),
    told: z.array(z.string()),
    /** Word of the host about the work itself, such as that an answer was cut. */
    notice: z.string().optional(),
    /** System text and tools of the conversation: named where it begins or is compacted, and the same until then. */
    frame: Frame.optional(),
    /** Compaction of what was said before. */
    compaction: Compaction.optional(),
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
    /** Turn in the vendor's own form, where that says more than text and calls. */
    nativeJson: z.string().optional(),
    /** Call in the middle of which the answer was cut. */
    cut: z.object({ tool: z.string(), characters: z.number() }).optional(),
    refusal: z.string().optional(),
  }),
  z.object({ type: z.literal('ModelFailed'), ...about, fault: z.string(), reason: z.string(), isCharged: z.boolean() }),
  /** A retry, before anybody is told of a failure. */
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
export type EntryEvent = z.infer<typeof event>;
type Events = readonly EntryEvent[];
type Of<Type extends EntryEvent['type']> = Omit<Extract<EntryEvent, { type: Type }>, 'type' | 'v'>;
type Asked = Of<'ModelAsked'>;
type Cost = z.infer<typeof Cost>;
/** Lease under which it was asked. An answer to a question that was asked again since comes too late. */
type AskLease = Readonly<Pick<Asked, 'generation' | 'agentId'>>;

export interface ConversationEntry
  extends
    Of<'ConversationCycleRecorded'>,
    Partial<Pick<Asked, 'generation' | 'said' | 'notice' | 'frame' | 'compaction'>>,
    Partial<Pick<Of<'ModelAnswered'>, 'cachedInputTokens' | 'nativeJson' | 'cut' | 'refusal'>> {
  readonly occurredAt: string;
  /** Time of the latest event. */
  readonly endedAt: string;
  readonly phase: 'asked' | 'answered' | 'done' | 'failed';
  readonly run: number;
  readonly schedule: number;
  readonly told: readonly string[];
  /** Cost, with the reservations of questions whose answer is not known. */
  readonly spent: Cost;
  readonly reserved: Cost;
  /** How often this question was asked in vain. */
  readonly failures?: number;
  /** Reservations of lost questions that were asked in this cycle before, by agent. */
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
      const failed = state?.failures === undefined ? {} : { failures: state.failures };
      return { ...given, ...cost, ...failed, phase: 'asked', occurredAt, endedAt: at, toolCalls: [], toolResults: [] };
    }
    if (!state) return state;
    switch (event.type) {
      case 'ModelAnswered': {
        const { type: _type, v: _v, microUsd, ...answer } = event;
        const spent = sum(state.spent, { tokens: answer.inputTokens + answer.outputTokens, microUsd });
        const phase = answer.toolCalls.length === 0 ? 'done' : 'answered';
        return { ...state, ...answer, spent, reserved: NOTHING, phase, endedAt: at };
      }
      case 'ModelFailed': {
        const spent = event.isCharged ? sum(state.spent, state.reserved) : state.spent;
        return {
          ...state,
          spent,
          reserved: NOTHING,
          phase: 'failed',
          stopReason: event.fault,
          failures: (state.failures ?? 0) + 1,
          endedAt: at,
        };
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

    /** Asks the model, or asks again when the answer was lost. */
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

/** Lost question of this cycle: it may have cost its asker all that was reserved for it. */
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
