/** Conversation of a unit's agent with its model, derived from the record and kept nowhere else. */
import type { ConversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import type { ScheduledItem } from '../record/aggregates/scheduled-item/scheduled-item.js';
import type { Records } from '../record/views/records.js';
import type { ModelCall, ModelMessage } from './provider.js';

/** Cycles of the unit's present conversation, in order. */
export function cyclesOf(records: Records, { workUnitId, run }: ScheduledItem): ConversationEntry[] {
  return records.conversationEntries.where('workUnit', workUnitId).filter((entry) => entry.run === run);
}

/** Messages for the model. A question whose answer was lost is left out; what was said with it is said again. */
export function messagesOf(cycles: readonly ConversationEntry[]): ModelMessage[] {
  return cycles
    .filter(({ phase }) => phase === 'answered' || phase === 'done')
    .flatMap((cycle) => {
      const results = new Map(cycle.toolResults.map((result) => [result.toolUseId, result]));
      const calls = callsOf(cycle);
      return [
        ...(cycle.said === undefined ? [] : [{ role: 'user' as const, text: cycle.said }]),
        { role: 'assistant' as const, text: cycle.assistantText ?? '', calls },
        ...calls.map(({ callId }) => {
          const { result = '', isError = false } = results.get(callId) ?? {};
          return { role: 'tool' as const, callId, text: result, isError };
        }),
      ];
    });
}

export function callsOf({ toolCalls }: ConversationEntry): ModelCall[] {
  return toolCalls.map(({ toolUseId, name, inputJson }) => ({
    callId: toolUseId,
    name,
    // We wrote it from the model's input, which was an object.
    input: JSON.parse(inputJson) as Record<string, unknown>,
  }));
}
