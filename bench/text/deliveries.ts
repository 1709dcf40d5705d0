import type { ConcurrentTrace } from '../measuring/trace.js';

/**
 * Deliveries: for each transaction, the earlier ones that its agent must receive before it types, in causal order. Every agent has
 * then seen exactly what it had seen when the trace was recorded.
 */
export function planDeliveries({ name, agents, transactions }: ConcurrentTrace): readonly (readonly number[])[] {
  const byAgent: number[][] = Array.from({ length: agents }, () => []);
  // Per transaction and agent: how many of the agent's transactions it has in its past, itself included.
  const pasts: Uint32Array[] = [];
  return transactions.map(({ agent, parents }, index) => {
    const past = new Uint32Array(agents);
    for (const parent of parents) raise(past, pasts[parent]);
    const own = byAgent[agent] ?? [];
    if (past[agent] !== own.length) {
      throw new Error(`Trace ${name}: agent ${agent} types transaction ${index} without having seen its own last one.`);
    }
    const before = pasts[own.at(-1) ?? -1] ?? new Uint32Array(agents);
    const missing = byAgent.flatMap((list, other) => (other === agent ? [] : list.slice(before[other], past[other])));
    own.push(index);
    past[agent] = own.length;
    pasts.push(past);
    return missing.sort((a, b) => a - b);
  });
}

/** Deliveries at the end: what each agent lacks of the whole. */
export function planLastDeliveries(
  { agents, transactions }: ConcurrentTrace,
  plan: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  return Array.from({ length: agents }, (_, agent) => {
    const seen = new Set<number>();
    for (const [index, transaction] of transactions.entries()) {
      if (transaction.agent !== agent) continue;
      seen.add(index);
      for (const delivered of plan[index] ?? []) seen.add(delivered);
    }
    return transactions.flatMap((_transaction, index) => (seen.has(index) ? [] : [index]));
  });
}

/**
 * Transactions that are the last of their agent in something that another agent receives: what is held back goes out
 * there.
 */
export function planHandOvers(
  { transactions }: ConcurrentTrace,
  deliveries: readonly (readonly number[])[],
): ReadonlySet<number> {
  const handOvers = new Set<number>();
  for (const delivered of deliveries) {
    const last = new Map<number, number>();
    for (const index of delivered) last.set(transactions[index]?.agent ?? -1, index);
    for (const index of last.values()) handOvers.add(index);
  }
  return handOvers;
}

function raise(past: Uint32Array, other: Uint32Array | undefined): void {
  if (other === undefined) return;
  for (let agent = 0; agent < past.length; agent += 1) past[agent] = Math.max(past[agent] ?? 0, other[agent] ?? 0);
}
