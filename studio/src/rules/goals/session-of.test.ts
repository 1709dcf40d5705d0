import { describe, expect, it } from 'vitest';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';

interface Made {
  readonly workUnitId: string;
  readonly sessionId: string;
}

describe('the session of an event', () => {
  it('is that of the tree of its unit, from the first event on', async () => {
    const { call, ledger, change } = await openRecord();
    await aRepository({ change });
    const { workUnitId, sessionId } = (await call('external-goal.run', { goal: 'x' })) as Made;
    const part = (await call('workunit.create', { goal: 'y', parentWorkUnitId: workUnitId })) as Made;
    await call('workunit.create', { goal: 'elsewhere' });
    const about = ledger.feed
      .ofSession(sessionId)
      .map(({ stored: { event, id } }) => [(event as { type: string }).type, id]);
    expect(about).toEqual([
      ['SessionStarted', sessionId],
      ['WorkUnitCreated', workUnitId],
      ['GoalCreated', workUnitId],
      ['WorkUnitScheduled', workUnitId],
      ['WorkUnitStatusChanged', workUnitId],
      ['WorkUnitCreated', part.workUnitId],
    ]);
  });

  it('is the nearest, and the newest that still goes on', async () => {
    const { call, ledger, records } = await openRecord();
    const { workUnitId: root } = (await call('workunit.create', { goal: 'x' })) as Made;
    const { workUnitId: part } = (await call('workunit.create', { goal: 'y', parentWorkUnitId: root })) as Made;
    const begin = async (rootWorkUnitId: string) =>
      ((await call('session.start', { rootWorkUnitId, profileIds: ['worker'] })) as Made).sessionId;
    const lastOf = async () => {
      await call('scheduler.enqueue', { workUnitId: part, profileId: 'worker' });
      await call('workunit.cancel', { workUnitId: part });
      await call('requeue.requeue', { workUnitId: part });
      return ledger.feed.ofWorkUnit(part).at(-1)?.stored.meta.sessionId;
    };
    expect(await lastOf()).toBeUndefined();
    const whole = await begin(root);
    expect(await lastOf()).toBe(whole);
    const first = await begin(part);
    const second = await begin(part);
    expect(await lastOf()).toBe(second);
    await call('session.abandon', { sessionId: second });
    expect(records.sessions.get(second)?.status).toBe('Abandoned');
    await call('requeue.requeue', { workUnitId: part });
    expect(await lastOf()).toBe(first);
  });
});
