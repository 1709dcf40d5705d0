/** Costs that are kept by day and by unit are what adding up all conversations anew comes to, whatever was taken back, forgotten or restored. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupBy } from '../../projections/group-by.js';
import type { ConversationEntry } from '../aggregates/conversation-entry/conversation-entry.js';
import { spendingOf } from '../../rules/goals/spending.js';
import { storedEvent } from '../ledger/stream.js';
import { ConversationEntries, dayOf } from './conversation-entries.js';

const cost = fc.record({ tokens: fc.nat(900), microUsd: fc.nat(900) });
const said = fc.oneof(
  fc.record({
    type: fc.constant('ModelAsked'),
    model: fc.constantFrom('a', 'b'),
    agentId: fc.constantFrom('x', 'y'),
    reserved: cost,
  }),
  fc.record({
    type: fc.constant('ModelAnswered'),
    inputTokens: fc.nat(90),
    cachedInputTokens: fc.nat(9),
    outputTokens: fc.nat(90),
    microUsd: fc.nat(900),
  }),
  fc.record({ type: fc.constant('ModelFailed'), isCharged: fc.boolean() }),
  fc.record({ type: fc.constant('ToolsAnswered') }),
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ how: fc.constantFrom('fold', 'foldAhead'), id: fc.constantFrom('1', '2', '3'), said }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ how: fc.constantFrom('forget', 'restore'), id: fc.constantFrom('1', '2', '3') }),
  },
);

const UNITS = ['u', 'w'];

/** Compares both with the slow way. */
function mustAgree(view: ConversationEntries): void {
  expect(inOrder(view.costsSince(''))).toEqual(inOrder(anew(view)));
  for (const unit of UNITS) {
    const own = anew(view, (one) => one.workUnitId === unit, false);
    expect(inOrder(view.costsOf(unit))).toEqual(inOrder(own));
  }
}

/** The slow way: all conversations, added up by day and model, or by model alone. */
function anew(view: ConversationEntries, counts: (one: ConversationEntry) => boolean = () => true, isByDay = true) {
  const byKey = groupBy(view.all().filter(counts), ({ endedAt, provider, model }) =>
    JSON.stringify([isByDay ? dayOf(endedAt) : undefined, provider, model]),
  );
  return [...byKey.values()].map((own) => {
    const { endedAt, provider, model } = own[0]!;
    const total = (of: (one: (typeof own)[number]) => number | undefined): number =>
      own.reduce((sum, one) => sum + (of(one) ?? 0), 0);
    const read = {
      readTokens: total((one) => one.inputTokens),
      cachedTokens: total((one) => one.cachedInputTokens),
      writtenTokens: total((one) => one.outputTokens),
    };
    const day = isByDay ? dayOf(endedAt) : undefined;
    return { day, provider, model, ...spendingOf(own), ...read };
  });
}

const inOrder = (costs: readonly object[]): string[] =>
  costs
    .map((one) =>
      JSON.stringify(
        Object.entries(one)
          .filter(([, value]) => value !== undefined)
          .sort(),
      ),
    )
    .sort();

it('costs by day and by unit are what adding up all conversations comes to', () => {
  const seen = { rows: 0, restored: 0 };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let view = new ConversationEntries();
      for (const [n, one] of steps.entries()) {
        if ('said' in one) {
          const key = `studio/conversation-entry/${one.id}/${view.version(one.id)}`;
          const about = {
            v: 1,
            logId: one.id,
            workUnitId: UNITS[Number(one.id) % 2],
            provider: 'p',
            agentRole: 'r',
            cycleNumber: 1,
          };
          const asked = { run: 1, schedule: 1, generation: 1, told: [], toolCalls: [], toolResults: [] };
          const ended = { stopReason: 'end', fault: 'f', reason: 'r' };
          // Some hours later each time, so that questions go over midnight.
          const at = new Date(Date.UTC(2026, 0, 1) + n * 5 * 3_600_000).toISOString();
          const event = { ...about, ...asked, ...ended, ...one.said, meta: { at, by: 'ann' } };
          view[one.how as 'fold' | 'foldAhead'](storedEvent(key, event)!);
          if (one.how === 'foldAhead') {
            mustAgree(view);
            view.takeBack();
          }
        } else if (one.how === 'forget') view.forget(one.id);
        else {
          const next = new ConversationEntries();
          next.restore(
            structuredClone({ ...view.kept(), chunks: view.kept().chunks.map(({ states }) => ({ states })) }),
          );
          view = next;
          seen.restored += 1;
        }
        mustAgree(view);
        seen.rows = Math.max(seen.rows, view.costsSince('').length);
      }
      const days = anew(view).map(({ day = '' }) => day);
      for (const day of days) expect(view.costsSince(day)).toHaveLength(days.filter((one) => one >= day).length);
    }),
    { numRuns: 200 },
  );
  expect(seen.rows).toBeGreaterThan(1);
  expect(seen.restored).toBeGreaterThan(0);
});
