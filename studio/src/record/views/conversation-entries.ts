/**
 * Read model of conversations, with what they have cost by day and model, and by work unit and model, kept as they are folded: a total
 * costs as much as there are days, units and models in it, however many questions were asked.
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
  readonly writtenTokens: number;
}

export interface ModelCost extends Cost {
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** Cost of one model on one day. */
interface DayCost extends ModelCost {
  /** The day, as 2026-01-31, in UTC. */
  readonly day: string;
}

/** Totals as an image keeps them. */
interface KeptCosts {
  readonly days: readonly DayCost[];
  readonly units: readonly (readonly [workUnitId: string, costs: readonly ModelCost[]])[];
}

const NOTHING: Cost = {
  tokens: 0,
  microUsd: 0,
  turns: 0,
  milliseconds: 0,
  readTokens: 0,
  cachedTokens: 0,
  writtenTokens: 0,
};

export class ConversationEntries extends Collection<ConversationEntry, EntryEvent, 'workUnit'> {
  /** By day, provider and model; one without questions is not there. */
  readonly #days = new Map<string, DayCost>();
  /** By work unit, and there by provider and model. */
  readonly #units = new Map<string, Map<string, ModelCost>>();

  constructor() {
    super(conversationEntry, { workUnit: (entry) => entry.workUnitId });
  }

  /** What was spent on a day and later, by day and model. */
  costsSince(day: string): DayCost[] {
    return [...this.#days.values()].filter((cost) => cost.day >= day);
  }

  /** What was spent on a work unit, by model. */
  costsOf(workUnitId: string): ModelCost[] {
    return [...(this.#units.get(workUnitId)?.values() ?? [])];
  }

  protected override folded(_id: string, before?: ConversationEntry, after?: ConversationEntry): void {
    if (before) this.#add(before, -1);
    if (after) this.#add(after, 1);
  }

  protected override keptBeside(): KeptCosts {
    const units = [...this.#units].map(([workUnitId, costs]) => [workUnitId, [...costs.values()]] as const);
    return { days: [...this.#days.values()], units: units.filter(([, costs]) => costs.length > 0) };
  }

  // An image holds what this class has kept.
  protected override restoreBeside({ days, units }: KeptCosts): void {
    for (const cost of days) this.#days.set(keyOf(cost), cost);
    for (const [workUnitId, costs] of units)
      this.#units.set(workUnitId, new Map(costs.map((cost) => [keyOf(cost), cost])));
  }

  #add(entry: ConversationEntry, sign: 1 | -1): void {
    const { workUnitId, provider, model, endedAt } = entry;
    this.#count(this.#days, { day: dayOf(endedAt), provider, model }, entry, sign);
    const unit = this.#units.get(workUnitId) ?? new Map<string, ModelCost>();
    this.#units.set(workUnitId, unit);
    this.#count(unit, { provider, model }, entry, sign);
  }

  #count<Place extends Pick<ModelCost, 'provider' | 'model'>>(
    costs: Map<string, Cost & Place>,
    place: Place,
    entry: ConversationEntry,
    sign: 1 | -1,
  ): void {
    const key = keyOf(place);
    const known = costs.get(key);
    const now = { ...sum(known ?? NOTHING, costOf(entry), sign), ...place };
    if (now.turns === 0) costs.delete(key);
    else costs.set(key, now);
    this.changed(() => (known ? costs.set(key, known) : costs.delete(key)));
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
    writtenTokens: cycle.outputTokens ?? 0,
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
    writtenTokens: one.writtenTokens + sign * other.writtenTokens,
  };
}

export function dayOf(time: string): string {
  return time.slice(0, 10);
}

function keyOf({ day, provider, model }: Pick<DayCost, 'provider' | 'model'> & { readonly day?: string }): string {
  return JSON.stringify([day, provider, model]);
}
