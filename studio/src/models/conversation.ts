/** Conversation of a unit's agent with its model, derived from the record and kept nowhere else. */
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { ScheduledItem } from '../record/aggregates/scheduled-item/scheduled-item.js';
import type { Records } from '../record/views/records.js';
import { compacted } from './compaction.js';
import type { ModelCall, ModelMessage, NativeTurn } from './provider.js';

/** Cycles of the unit's present conversation, in order. */
export function cyclesOf(records: Records, { workUnitId, run }: ScheduledItem): ConversationEntry[] {
  return records.conversationEntries.where('workUnit', workUnitId).filter((entry) => entry.run === run);
}

/**
 * Messages for the model, append-only: those of one request begin with those of the request before it, unless a compaction is recorded
 * between them. A question whose answer was lost is left out; what was said with it is said again.
 */
export function messagesOf(cycles: readonly ConversationEntry[]): ModelMessage[] {
  return cycles
    .filter(({ phase }) => phase === 'answered' || phase === 'done')
    .reduce<ModelMessage[]>((before, cycle) => [...askedWith(before, cycle), ...answeredIn(cycle)], []);
}

/** Messages up to a question: those before it, compacted if that was recorded with it, and what was said with it. */
export function askedWith(before: readonly ModelMessage[], { compaction, said, notice }: Said): ModelMessage[] {
  return [
    ...(compaction ? compacted(before, compaction) : before),
    ...(said === undefined ? [] : [{ role: 'user' as const, text: said }]),
    ...(notice === undefined ? [] : [{ role: 'notice' as const, text: notice }]),
  ];
}

export type Said = Pick<ConversationEntry, 'compaction' | 'said' | 'notice'>;

function answeredIn(cycle: ConversationEntry): ModelMessage[] {
  const results = new Map(cycle.toolResults.map((result) => [result.toolUseId, result]));
  const calls = callsOf(cycle);
  const native = nativeIn(cycle);
  return [
    { role: 'assistant', text: cycle.assistantText ?? '', calls, ...(native && { native }) },
    ...calls.map(({ callId }) => {
      const { result = '', isError = false } = results.get(callId) ?? {};
      return { role: 'tool' as const, callId, text: result, isError };
    }),
  ];
}

function nativeIn({ nativeJson }: ConversationEntry): NativeTurn | undefined {
  // We wrote it from a turn that a provider gave.
  return nativeJson === undefined ? undefined : (JSON.parse(nativeJson) as NativeTurn);
}

export function callsOf({ toolCalls }: ConversationEntry): ModelCall[] {
  return toolCalls.map(({ toolUseId, name, inputJson }) => ({
    callId: toolUseId,
    name,
    // We wrote it from the model's input, which was an object.
    input: JSON.parse(inputJson) as Record<string, unknown>,
  }));
}
