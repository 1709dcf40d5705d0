import { createHost } from '@weft/core';
import type { Host } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aRepository } from '../testing/work/a-repository.js';
import { ManualClock } from '../testing/manual-clock.js';
import { openRecord } from '../testing/record/open-record.js';
import { NO_ANSWER } from '../rules/people/clarify.js';
import { keepTimes } from './keep-times.js';
import { LEASE_MS, leaseNext } from '../rules/queue/queue.js';

const taker = { agentId: 'a1', most: 3, hasKey: () => true };

async function opened(host?: Host, wall = new ManualClock()) {
  const record = await openRecord(host);
  const steady = new ManualClock(0);
  const { ledger, records } = record;
  const times = keepTimes({ ledger, records, wall, steady, log: () => undefined });
  await aRepository(record);
  const { workUnitId } = (await record.call('external-goal.run', { goal: 'x' })) as { workUnitId: string };
  const ask = (more: object) =>
    record.call('clarification.request', { workUnitId, question: 'which?', ...more }) as Promise<{ requestId: string }>;
  const take = () => record.change((open) => leaseNext(open, records, taker));
  return { record, records, ledger, wall, steady, times, workUnitId, ask, take };
}

describe('time', () => {
  it('answers a question by default, and the work goes on', async () => {
    const { ask, wall, ledger, records, workUnitId, times } = await opened();
    const { requestId } = await ask({ timeoutSeconds: 60, defaultResponse: 'the first' });
    wall.pass(59_000);
    await ledger.settled();
    expect(records.clarifications.get(requestId)?.status).toBe('open');
    wall.pass(2000);
    await ledger.settled();
    expect(records.clarifications.get(requestId)).toMatchObject({
      status: 'answered',
      response: 'the first',
      respondedBy: 'timeout',
      resumed: true,
    });
    expect(records.workUnits.get(workUnitId)?.status).toBe('Queued');
    times.close();
  });

  it('gives up a question that nobody answers, and the work has failed', async () => {
    const { ask, wall, ledger, records, workUnitId, times } = await opened();
    const { requestId } = await ask({ timeoutSeconds: 60, timeoutBehavior: 'auto_abandon' });
    wall.pass(61_000);
    await ledger.settled();
    expect(records.clarifications.get(requestId)?.status).toBe('abandoned');
    expect(records.deadLetters.all()).toMatchObject([{ workUnitId, kind: 'Stalled' }]);
    times.close();
  });

  it('does nothing about a question that was answered meanwhile', async () => {
    const { ask, wall, ledger, records, record, workUnitId, times } = await opened();
    const { requestId } = await ask({ timeoutSeconds: 60 });
    await record.call('clarification.respond', { workUnitId, response: 'mine' });
    wall.pass(61_000);
    await ledger.settled();
    expect(records.clarifications.get(requestId)).toMatchObject({ response: 'mine' });
    times.close();
  });

  it('fault 33: a question is due at its time, though the host was away', async () => {
    const host = createHost({ store: memoryStore() });
    onTestFinished(() => host.close());
    const wall = new ManualClock();
    const before = await opened(host, wall);
    await before.record.call('option.change', { defaultClarificationTimeoutSeconds: 60 });
    const { requestId } = await before.ask({});
    before.times.close();
    before.record.close();
    wall.jump(120_000);
    const after = await opened(host, wall);
    wall.pass(0);
    await after.ledger.settled();
    expect(after.records.clarifications.get(requestId)).toMatchObject({ status: 'answered', response: NO_ANSWER });
    after.times.close();
  });

  it('ends a lease after a silence, and not before', async () => {
    const { steady, ledger, records, times, workUnitId, take } = await opened();
    await take();
    steady.pass(LEASE_MS - 1);
    times.renew(workUnitId, 1);
    steady.pass(LEASE_MS - 1);
    await ledger.settled();
    expect(records.scheduledItems.get(workUnitId)?.place).toBe('leased');
    times.renew(workUnitId, 0);
    steady.pass(1);
    await ledger.settled();
    expect(records.scheduledItems.get(workUnitId)).toMatchObject({ place: 'queued', generation: 1 });
    expect(records.workUnits.get(workUnitId)?.status).toBe('Queued');
    times.close();
  });

  it('fault 6: a clock that jumps ends no lease', async () => {
    const { wall, ledger, records, times, workUnitId, take } = await opened();
    await take();
    wall.pass(24 * 3_600_000);
    await ledger.settled();
    expect(records.scheduledItems.get(workUnitId)?.place).toBe('leased');
    times.close();
  });

  it('leaves alone a lease that came to its end otherwise, and the next one', async () => {
    const { steady, ledger, records, record, times, workUnitId, take } = await opened();
    await take();
    steady.pass(LEASE_MS - 1000);
    await record.call('goal.pause', { goalId: workUnitId });
    await record.call('goal.resume', { goalId: workUnitId });
    await take();
    steady.pass(2000);
    await ledger.settled();
    expect(records.scheduledItems.get(workUnitId)).toMatchObject({ place: 'leased', generation: 2 });
    times.close();
  });
});
