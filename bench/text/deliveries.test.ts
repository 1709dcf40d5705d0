import { describe, expect, it } from 'vitest';
import { planDeliveries, planLastDeliveries } from './deliveries.js';
import { type ConcurrentTrace, loadConcurrentTrace } from '../measuring/trace.js';

function graph(agents: number, ...transactions: readonly (readonly [agent: number, parents: readonly number[]])[]) {
  const list = transactions.map(([agent, parents]) => ({ agent, parents, edits: [] }));
  return { name: 'graph', agents, transactions: list, end: '' } satisfies ConcurrentTrace;
}

describe('planDeliveries', () => {
  it('hands over what the agent lacks of the past of its transaction, in causal order', () => {
    //  0 (A) - 1 (A) - 3 (A)
    //    \ 2 (B) - 4 (B, sees 3) - 5 (A, sees 4)
    const trace = graph(2, [0, []], [0, [0]], [1, [0]], [0, [1]], [1, [2, 3]], [0, [4]]);
    const plan = planDeliveries(trace);
    expect(plan).toEqual([[], [], [0], [], [1, 3], [2, 4]]);
    expect(planLastDeliveries(trace, plan)).toEqual([[], [5]]);
  });

  it('passes on what came through a third', () => {
    const trace = graph(3, [0, []], [1, [0]], [2, [1]]);
    expect(planDeliveries(trace)).toEqual([[], [0], [0, 1]]);
  });

  it('refuses an agent that forgot its own past', () => {
    expect(() => planDeliveries(graph(1, [0, []], [0, []]))).toThrow('without having seen its own last one');
  });

  it.each(['friendsforever.concurrent', 'clownschool.concurrent'])(
    '%s: each agent gets each foreign transaction once, after its parents',
    (name) => {
      const trace = loadConcurrentTrace(name);
      const plan = planDeliveries(trace);
      const last = planLastDeliveries(trace, plan);
      const known: Set<number>[] = Array.from({ length: trace.agents }, () => new Set());
      let wrong = 0;
      const take = (agent: number, index: number): void => {
        const set = known[agent];
        const parents = trace.transactions[index]?.parents ?? [];
        if (set === undefined || set.has(index) || parents.some((parent) => !set.has(parent))) wrong += 1;
        set?.add(index);
      };
      for (const [index, { agent }] of trace.transactions.entries()) {
        for (const delivered of plan[index] ?? []) take(agent, delivered);
        take(agent, index);
      }
      for (const [agent, list] of last.entries()) for (const delivered of list) take(agent, delivered);
      expect(wrong).toBe(0);
      expect(known.map((set) => set.size)).toEqual(known.map(() => trace.transactions.length));
    },
  );
});
