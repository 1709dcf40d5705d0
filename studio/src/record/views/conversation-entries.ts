/**
 * Read model of conversations, with what they have cost by day and model, kept as they are folded: a total over days costs as much as
 * there are days and models, however many questions were asked.
 */
import {
  type ConversationEntry,
  type EntryEvent,
  conversationEntry,
} from '../aggregates/conversation-entry/conversation-entry.js';
import { Collection } from '../ledger/collection.js';

/** Cost of questions. All are integers, so what is added and taken away again leaves nothing. */
interface Cost {
  readonly tokens: number;
  readonly microUsd: number;
  readonly turns: number;
  readonly milliseconds: number;
  readonly readTokens: number;
  readonly cachedTokens: number;
}

/** Cost of one model on one day. */
interface DayCost extends Cost {
  /** The day, as 2026-01-31, in UTC. */
  readonly day: string;
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

const NOTHING: Cost = { tokens: 0, microUsd: 0, turns: 0, milliseconds: 0, readTokens: 0, cachedTokens: 0 };

export class ConversationEntries extends Collection<ConversationEntry, EntryEvent, 'workUnit'> {
  /** By day, provider and model; one without questions is not there. */
  readonly #costs = new Map<string, DayCost>();

  constructor() {
    super(conversationEntry, { workUnit: (entry) => entry.workUnitId });
  }

  /** What was spent on a day and later, by day and model. */
  costsSince(day: string): DayCost[] {
    return [...this.#costs.values()].filter((cost) => cost.day >= day);
  }

  protected override folded(_id: string, before?: ConversationEntry, after?: ConversationEntry): void {
    if (before) this.#add(before, -1);
    if (after) this.#add(after, 1);
  }

  protected override keptBeside(): readonly DayCost[] {
    return [...this.#costs.values()];
  }

  // An image holds what this class has kept.
  protected override restoreBeside(more: readonly DayCost[]): void {
    for (const cost of more) this.#costs.set(keyOf(cost), cost);
  }

  #add(entry: ConversationEntry, sign: 1 | -1): void {
    const { provider, model } = entry;
    const day = dayOf(entry.endedAt);
    const key = keyOf({ day, provider, model });
    const known = this.#costs.get(key);
    const now = { ...sum(known ?? NOTHING, costOf(entry), sign), day, provider, model };
    if (now.turns === 0) this.#costs.delete(key);
    else this.#costs.set(key, now);
    this.changed(() => (known ? this.#costs.set(key, known) : this.#costs.delete(key)));
  }
}

/** Cost of one question, with the reservations of those whose answer is not known. */
function costOf(cycle: ConversationEntry): Cost {
  const all = [cycle.spent, cycle.reserved, ...(cycle.lost ?? []).map(({ spent }) => spent)];
  return {
    tokens: all.reduce((total, { tokens }) => total + tokens, 0),
    microUsd: all.reduce((total, { microUsd }) => total + microUsd, 0),
    turns: 1,
    milliseconds: Math.max(0, Date.parse(cycle.endedAt) - Date.parse(cycle.occurredAt)),
    readTokens: cycle.inputTokens ?? 0,
    cachedTokens: cycle.cachedInputTokens ?? 0,
  };
}

export function sumOf(costs: readonly Cost[]): Cost {
  return costs.reduce((one, other) => sum(one, other, 1), NOTHING);
}

function sum(one: Cost, other: Cost, sign: 1 | -1): Cost {
  return {
    tokens: one.tokens + sign * other.tokens,
    microUsd: one.microUsd + sign * other.microUsd,
    turns: one.turns + sign * other.turns,
    milliseconds: one.milliseconds + sign * other.milliseconds,
    readTokens: one.readTokens + sign * other.readTokens,
    cachedTokens: one.cachedTokens + sign * other.cachedTokens,
  };
}

export function dayOf(time: string): string {
  return time.slice(0, 10);
}

function keyOf({ day, provider, model }: Pick<DayCost, 'day' | 'provider' | 'model'>): string {
  return JSON.stringify([day, provider, model]);
}
