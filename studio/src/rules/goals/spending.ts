/** Spending: the sum over all recorded cycles. */
import type { ConversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { type ModelCost, sumOf } from '../../record/views/conversation-entries.js';
import type { Records } from '../../record/views/records.js';
import { treeOf } from './tree.js';

export interface Spending {
  /** Tokens read and written, with the reservations of questions whose answer is not known. */
  readonly tokens: number;
  readonly microUsd: number;
  readonly turns: number;
  readonly milliseconds: number;
}

/** Spending of all agents, or of one. */
export function spendingOf(cycles: readonly ConversationEntry[], agentId?: string): Spending {
  const total = { tokens: 0, microUsd: 0, turns: 0, milliseconds: 0 };
  const add = ({ tokens, microUsd }: ConversationEntry['spent']): void => {
    total.tokens += tokens;
    total.microUsd += microUsd;
  };
  const counts = (one: { readonly agentId: string }): boolean => agentId === undefined || one.agentId === agentId;
  for (const cycle of cycles) {
    for (const lost of cycle.lost ?? []) if (counts(lost)) add(lost.spent);
    if (!counts(cycle)) continue;
    for (const cost of [cycle.spent, cycle.reserved]) add(cost);
    total.turns += 1;
    total.milliseconds += Math.max(0, Date.parse(cycle.endedAt) - Date.parse(cycle.occurredAt));
  }
  return total;
}

/** Costs of a unit and all below it, by unit and model: they are kept, so no cycle is read for them. */
export function costsOfTree(records: Records, rootId: string): ModelCost[] {
  return treeOf(records, rootId).flatMap(({ workUnitId }) => records.conversationEntries.costsOf(workUnitId));
}

/** Spending of a unit and all below it. */
export function spendingOfTree(records: Records, rootId: string): Spending {
  return sumOf(costsOfTree(records, rootId));
}

/** Spending of a unit alone. */
export function spendingOfUnit({ conversationEntries }: Records, workUnitId: string): Spending {
  return sumOf(conversationEntries.costsOf(workUnitId));
}

/** Cycles of a unit and all below it. */
export function cyclesOfTree(records: Records, rootId: string): ConversationEntry[] {
  return treeOf(records, rootId).flatMap((unit) => records.conversationEntries.where('workUnit', unit.workUnitId));
}

/** Cycles of an agent, who works on one unit. */
export function cyclesOfAgent(
  { conversationEntries }: Records,
  { workUnitId, agentId }: { readonly workUnitId: string; readonly agentId: string },
): ConversationEntry[] {
  return conversationEntries
    .where('workUnit', workUnitId)
    .filter((cycle) => [cycle, ...(cycle.lost ?? [])].some((one) => one.agentId === agentId));
}
