/** What work has cost: the sum over every cycle that is recorded. */
import type { ConversationEntry } from '../aggregates/conversation-entry/conversation-entry.js';
import type { Records } from '../views/records.js';
import { treeOf } from './tree.js';

export interface Spending {
  /** Read and written, with what is set aside for questions whose answer is not known. */
  readonly tokens: number;
  /** Millionths of a dollar. */
  readonly microUsd: number;
  readonly turns: number;
  readonly milliseconds: number;
}

export function spendingOf(cycles: readonly ConversationEntry[]): Spending {
  const total = { tokens: 0, microUsd: 0, turns: 0, milliseconds: 0 };
  for (const { spent, reserved, occurredAt, endedAt } of cycles) {
    total.tokens += spent.tokens + reserved.tokens;
    total.microUsd += spent.microUsd + reserved.microUsd;
    total.turns += 1;
    total.milliseconds += Math.max(0, Date.parse(endedAt) - Date.parse(occurredAt));
  }
  return total;
}

/** All that was asked for a unit and for all below it. */
export function cyclesOfTree(records: Records, rootId: string): ConversationEntry[] {
  return treeOf(records, rootId).flatMap((unit) => records.conversationEntries.where('workUnit', unit.workUnitId));
}

/** An agent works on one unit. */
export function cyclesOfAgent(
  { conversationEntries }: Records,
  { workUnitId, agentId }: { readonly workUnitId: string; readonly agentId: string },
): ConversationEntry[] {
  return conversationEntries.where('workUnit', workUnitId).filter((cycle) => cycle.agentId === agentId);
}
