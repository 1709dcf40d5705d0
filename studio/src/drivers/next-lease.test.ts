import { describe, expect, it } from 'vitest';
import { aRepository } from '../testing/work/a-repository.js';
import { openRecord } from '../testing/record/open-record.js';
import { moveUnit } from '../rules/queue/move.js';
import { nextLease } from './next-lease.js';

describe('waiting for a turn', () => {
  it('fault 29: sees what was enqueued after it has looked and before it waits', async () => {
    const { call, records, ledger, change: bare } = await openRecord();
    await aRepository({ change: bare });
    let late: unknown;
    const change: typeof ledger.change = async (by, work) => {
      const result = await ledger.change(by, work);
      late ??= await call('external-goal.run', { goal: 'late' });
      return result;
    };
    const taker = { agentId: 'a1', most: 2, hasKey: () => true };
    const item = await nextLease({ change, feed: ledger.feed }, records, taker, new AbortController().signal);
    expect(late).toMatchObject({ workUnitId: item?.workUnitId });
  });

  it('gives every unit to one of several that wait', async () => {
    const { call, change, records, ledger } = await openRecord();
    await aRepository({ change });
    const stop = new AbortController();
    const total = 60;
    const done: string[] = [];
    const work = async (agentId: string): Promise<void> => {
      for (;;) {
        const item = await nextLease(ledger, records, { agentId, most: 2, hasKey: () => true }, stop.signal);
        if (!item) return;
        await change((open) => moveUnit(open, records, item.workUnitId, 'Completed'));
        done.push(item.workUnitId);
        if (done.length === total) stop.abort();
      }
    };
    const workers = ['a1', 'a2', 'a3'].map(work);
    const made: string[] = [];
    for (let i = 0; i < total; i++) {
      const { workUnitId } = (await call('external-goal.run', { goal: 'x' })) as { workUnitId: string };
      made.push(workUnitId);
      // At another moment of the workers each time.
      for (let turn = 0; turn < i % 7; turn++) await Promise.resolve();
    }
    await Promise.all(workers);
    expect(done.toSorted()).toEqual(made.toSorted());
  });

  it('ends when it is told to', async () => {
    const { records, ledger } = await openRecord();
    const stop = new AbortController();
    const waiting = nextLease(ledger, records, { agentId: 'a1', most: 2, hasKey: () => true }, stop.signal);
    await ledger.settled();
    stop.abort();
    expect(await waiting).toBeUndefined();
  });
});
