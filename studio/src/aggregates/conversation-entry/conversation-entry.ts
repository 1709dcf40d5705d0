/** One cycle of an agent's talk with its model: what it said, the tools that it called, what they answered. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.object({
  type: z.literal('ConversationCycleRecorded'),
  v: z.literal(1),
  logId: z.string(),
  workUnitId: z.string(),
  agentId: z.string(),
  agentRole: z.string(),
  taskId: z.string().optional(),
  cycleNumber: z.number(),
  assistantText: z.string().optional(),
  toolCalls: z.array(z.object({ toolUseId: z.string(), name: z.string(), inputJson: z.string() })),
  toolResults: z.array(z.object({ toolUseId: z.string(), result: z.string(), truncated: z.boolean() })),
  stopReason: z.string().optional(),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
});
type Given = Omit<z.infer<typeof event>, 'type' | 'v'>;

export interface ConversationEntry extends Given {
  readonly occurredAt: string;
}

export const conversationEntry = aggregate<ConversationEntry>()({
  name: 'conversation-entry',
  place: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, occurredAt: at },
  decide: {
    record: (_state, given: Given) => [{ type: 'ConversationCycleRecorded', v: 1, ...given }] as const,
  },
});
