import { describe, expect, it } from 'vitest';
import type { FailureKind } from '../../record/aggregates/dead-letter/dead-letter.js';
import { aRepository } from '../../testing/work/a-repository.js';
import { type OpenRecord, openRecord } from '../../testing/record/open-record.js';
import { expectRefusal, read, tool } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { toDeadLetter } from '../../rules/queue/dead-letters.js';
import { misplaced } from '../../rules/queue/places.js';
import { leaseNext } from '../../rules/queue/queue.js';

interface Unit {
  readonly workUnitId: string;
}
interface Replanned {
  readonly newWorkUnitIds: [string];
}

/** In which order a way out comes, twice under one name, beside what else is asked for at once. */
const RACES = [
  ['act', 'act'],
  ['act', 'act', 'cancel'],
  ['act', 'cancel', 'requeue', 'act'],
  ['act', 'requeue', 'act', 'cancel'],
  ['cancel', 'act', 'act'],
  ['cancel', 'act', 'requeue', 'act'],
  ['cancel', 'requeue', 'act', 'act'],
  ['requeue', 'act', 'cancel', 'act'],
] as const;

const taker = { agentId: 'a1', most: 9, hasKey: () => true };

async function enqueued(record: OpenRecord, more: object = {}): Promise<string> {
  const { workUnitId } = (await record.call('workunit.create', { goal: 'build it', ...more })) as Unit;
  await record.call('scheduler.enqueue', { workUnitId, profileId: 'worker', provider: 'openai', model: 'm1' });
  return workUnitId;
}

/** The unit is worked on, and fails. Answers the entry. */
async function fails({ change, records }: OpenRecord, workUnitId: string, kind: FailureKind = 'Exception') {
  return change((open) => {
    leaseNext(open, records, taker);
    return toDeadLetter(open, records, { workUnitId, kind, reason: 'no luck', agentId: 'a1' }).entryId;
  });
}

describe('dead letters', () => {
  it('say what failed, with whom, and how often', async () => {
    const record = await openRecord();
    const workUnitId = await enqueued(record);
    const entryId = await fails(record, workUnitId);
    const entry = {
      entryId,
      workUnitId,
      agentId: 'a1',
      profileId: 'worker',
      reason: 'no luck',
      kind: 'Exception',
      attemptCount: 1,
      maxAttemptsReached: false,
      provider: 'openai',
      model: 'm1',
    };
    expect(await record.call('dead-letter.list', {})).toMatchObject([entry]);
    expect(await record.call('dead-letter.get', { entryId })).toMatchObject(entry);
    expect(record.records.workUnits.get(workUnitId)).toMatchObject({ status: 'DeadLettered' });
    expect(record.records.goals.get(workUnitId)).toMatchObject({ status: 'Blocked' });
  });

  it('end the agents of their unit: one has failed, the others have stopped', async () => {
    const record = await openRecord();
    const workUnitId = await enqueued(record);
    const spawn = async () =>
      ((await record.call('agent.spawn', { agentType: 'worker', workUnitId })) as { agentId: string }).agentId;
    const [mine, other] = [await spawn(), await spawn()];
    await record.change((open) => {
      leaseNext(open, record.records, { ...taker, agentId: mine });
      return toDeadLetter(open, record.records, { workUnitId, kind: 'Exception', reason: 'no luck', agentId: mine });
    });
    expect([mine, other].map((agentId) => record.records.agents.get(agentId)?.status)).toEqual([
      'failed:no luck',
      'stopped',
    ]);
  });

  it('fault 31: are retried until the cap, each once, and leave the list', async () => {
    const record = await openRecord();
    const workUnitId = await enqueued(record);
    for (const attempt of [1, 2]) {
      const entryId = await fails(record, workUnitId);
      expect(await record.call('dead-letter.retry', { entryId, overrideModel: `m${attempt}` })).toEqual({
        outcome: 'Retried',
      });
      expect(await record.call('dead-letter.list', {})).toEqual([]);
      expect(record.records.scheduledItems.get(workUnitId)).toMatchObject({ place: 'queued', model: `m${attempt}` });
      await expect(record.call('dead-letter.retry', { entryId })).rejects.toMatchObject({
        reason: 'reject.wrong_state',
      });
    }
    const last = await fails(record, workUnitId);
    await expect(record.call('dead-letter.retry', { entryId: last })).rejects.toMatchObject({
      reason: 'reject.attempts_exhausted',
      data: { attempts: 3, cap: 3 },
    });
    const newestFirst = (await record.call('dead-letter.byWorkUnit', { workUnitId })) as { attemptCount: number }[];
    expect(newestFirst.map(({ attemptCount }) => attemptCount)).toEqual([3, 2, 1]);
    expect(await record.call('dead-letter.history', { workUnitId })).toEqual(newestFirst.toReversed());
    await record.call('option.change', { maxFailureAttempts: 4 });
    await record.call('dead-letter.retry', { entryId: last });
  });

  it('are retried with a correction beyond the cap, which begins anew', async () => {
    const record = await openRecord();
    await record.call('option.change', { maxFailureAttempts: 1 });
    const workUnitId = await enqueued(record);
    const entryId = await fails(record, workUnitId);
    await record.call('dead-letter.retryWithContext', { entryId, steeringContext: 'in French' });
    expect(record.records.workUnits.get(workUnitId)).toMatchObject({
      goal: 'build it\n\nCorrection: in French',
      status: 'Queued',
      executionInfo: { failureAttemptCount: 0 },
    });
    expect(record.records.steeringDecisions.all()).toMatchObject([
      { kind: 'RetryWithContext', constraint: 'in French' },
    ]);
  });

  it('are continued only when the iterations ran out', async () => {
    const record = await openRecord();
    const workUnitId = await enqueued(record);
    const other = await fails(record, workUnitId, 'Stalled');
    await expect(record.call('dead-letter.goOn', { entryId: other })).rejects.toMatchObject({
      reason: 'reject.recovery_not_applicable',
    });
    await record.call('dead-letter.retry', { entryId: other });
    const entryId = await fails(record, workUnitId, 'MaxIterationsExceeded');
    expect(await record.call('dead-letter.goOn', { entryId })).toEqual({ outcome: 'Continued', completion: 'Queued' });
    expect(record.records.scheduledItems.get(workUnitId)).toMatchObject({ place: 'queued', continuesEntryId: entryId });
  });

  it('are parked when something is paused, and not lost', async () => {
    const record = await openRecord();
    const workUnitId = await enqueued(record);
    const entryId = await fails(record, workUnitId, 'MaxIterationsExceeded');
    await record.call('goal.pause', { goalId: workUnitId });
    expect(await record.call('dead-letter.goOn', { entryId })).toMatchObject({ outcome: 'Parked' });
    await record.call('goal.resume', { goalId: workUnitId });
    expect(record.records.workUnits.get(workUnitId)).toMatchObject({ status: 'Queued' });
  });

  it('are planned anew beside what failed: a part under the same parent, and others wait for that one', async () => {
    const record = await openRecord();
    const { workUnitId: root } = (await record.call('workunit.create', { goal: 'all' })) as Unit;
    const part = await enqueued(record, { parentWorkUnitId: root, fileScope: ['src/**'] });
    const { workUnitId: waiting } = (await record.call('workunit.create', {
      goal: 'later',
      parentWorkUnitId: root,
      dependsOn: [part],
    })) as Unit;
    const entryId = await fails(record, part);
    const { newWorkUnitIds } = (await record.call('dead-letter.replan', { entryId })) as Replanned;
    const [instead] = newWorkUnitIds;
    const { records } = record;
    expect(records.workUnits.get(part)?.status).toBe('Cancelled');
    expect(records.workUnits.get(instead)).toMatchObject({
      goal: 'build it',
      parentWorkUnitId: root,
      replacesWorkUnitId: part,
      fileScope: ['src/**'],
      status: 'Queued',
      metadata: { failure: 'no luck' },
    });
    expect(records.scheduledItems.get(instead)).toMatchObject({ profileId: 'planner', model: 'm1' });
    expect(records.workUnits.get(waiting)?.dependsOn).toEqual([instead]);
    const latest = { goal: 'later still', parentWorkUnitId: root, dependsOn: [part, instead] };
    const { workUnitId: later } = (await record.call('workunit.create', latest)) as Unit;
    expect(records.workUnits.get(later)?.dependsOn).toEqual([instead]);
    await expect(record.call('requeue.requeue', { workUnitId: part })).rejects.toMatchObject({
      reason: 'reject.wrong_state',
    });
  });

  it('are planned anew as the root of the same goal, which its sessions go on with', async () => {
    const record = await openRecord();
    await aRepository(record);
    const { workUnitId: root, sessionId } = (await record.call('external-goal.run', { goal: 'all' })) as Unit & {
      sessionId: string;
    };
    await record.call('session.pause', { sessionId });
    await record.call('session.resume', { sessionId });
    const entryId = await fails(record, root);
    await record.call('session.pause', { sessionId });
    const { newWorkUnitIds } = (await record.call('dead-letter.replan', { entryId })) as Replanned;
    const [instead] = newWorkUnitIds;
    const { records } = record;
    expect(records.goals.all()).toMatchObject([{ goalId: root, workUnitId: instead, status: 'Blocked' }]);
    expect(records.workUnits.get(instead)?.status).toBe('Waiting');
    await record.call('session.resume', { sessionId });
    expect(records.workUnits.get(instead)?.status).toBe('Queued');
    expect(records.goals.get(root)?.status).toBe('Exploring');
    const failedAgain = await fails(record, instead, 'MaxIterationsExceeded');
    expect(await record.call('external-goal.status', { goalId: root })).toMatchObject({
      sessionId,
      workUnitId: instead,
      deadLetter: { entryId: failedAgain },
    });
    await record.call('session.abandon', { sessionId });
    expect(records.goals.get(root)?.status).toBe('Abandoned');
  });

  it('are closed when their unit is cancelled', async () => {
    const record = await openRecord();
    const workUnitId = await enqueued(record);
    const entryId = await fails(record, workUnitId);
    await record.call('workunit.cancel', { workUnitId });
    expect(await record.call('dead-letter.get', { entryId })).toMatchObject({ resolution: 'Cancelled' });
    await expect(record.call('dead-letter.replan', { entryId })).rejects.toMatchObject({
      reason: 'reject.wrong_state',
    });
  });

  it('fault 31: every way out, raced with cancelling and requeueing and repeated under one name, happens once and loses nothing', async () => {
    const studio = await startTestStudio();
    const inside = await openRecord(studio.host);
    for (const [action, body] of [
      ['retry', {}],
      ['retry-with-context', { steeringContext: 'so' }],
      ['continue', {}],
      ['replan', {}],
    ] as const)
      for (const order of RACES) {
        const workUnitId = await enqueued(inside);
        const entryId = await fails(inside, workUnitId, 'MaxIterationsExceeded');
        const headers = { 'idempotency-key': `${action} ${entryId}` };
        const act = () => studio.call('POST', `/studio/dead-letter/${entryId}/${action}`, { body, headers });
        const post = (what: string) => studio.call('POST', `/studio/workunits/${workUnitId}/${what}`);
        const raced = await Promise.all(order.map((one) => (one === 'act' ? act() : post(one))));
        const acted = [...raced.filter((_, i) => order[i] === 'act'), await act()];
        const what = `${action} in ${order.join(', ')}`;
        for (const { status } of [...raced, ...acted]) expect([200, 409], what).toContain(status);
        // Once it was done, everybody who asked for it by this name is answered the same.
        const done = acted.filter(({ status }) => status === 200);
        expect(new Set(done.map(({ text }) => text)).size, what).toBe(done.length === 0 ? 0 : 1);
        if (order[0] === 'act') expect(done, what).toHaveLength(acted.length);
        expect(misplaced(inside.records), what).toEqual([]);
        const events = inside.ledger.feed.after(0).map(({ stored }) => stored);
        const ends = events.filter(({ id, event }) => id === entryId && 'resolution' in (event as object));
        expect(ends, what).toHaveLength(1);
        const isReplanned = inside.records.deadLetters.get(entryId)?.resolution === 'Replanned';
        expect(isReplanned, what).toBe(action === 'replan' && done.length > 0);
        expect(inside.records.workUnits.where('replaces', workUnitId), what).toHaveLength(isReplanned ? 1 : 0);
      }
    inside.close();
  });

  it('are refused over HTTP where there are none', async () => {
    const studio = await startTestStudio();
    expect(await read(studio, '/dead-letter')).toEqual([]);
    expect(await read(studio, '/dead-letter/history/none')).toEqual([]);
    for (const [method, path] of [
      ['GET', '/none'],
      ['GET', '/by-work-unit/none'],
      ['POST', '/none/retry'],
      ['POST', '/none/replan'],
      ['POST', '/none/continue'],
    ] as const)
      await expectRefusal(studio, [method, `/dead-letter${path}`], 404, 'dead_letter_not_found');
    const corrected = ['POST', '/dead-letter/none/retry-with-context', { steeringContext: 'x' }] as const;
    await expectRefusal(studio, corrected, 404, 'dead_letter_not_found');
    await expectRefusal(studio, ['POST', '/dead-letter/none/retry-with-context', {}], 400, 'invalid_input');
    expect(await tool(studio, 'svc_v1_dead_letter_retry', { entryId: 'none' })).toMatchObject({
      status: 'error',
      code: 'reject.dead_letter_not_found',
    });
  });
});
