import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requireLease } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { expireLease, leaseNext } from '../../rules/queue/queue.js';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { expectRefusal, makeUnit, post, queue, read, toolData } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Item {
  readonly workUnitId: string;
}

const taker = { agentId: 'a1', most: 3, hasKey: () => true };

describe('the queue', () => {
  it('holds what was enqueued, oldest first, with the flags that clients know', async () => {
    const studio = await startTestStudio();
    const [first, second] = [await makeUnit(studio), await makeUnit(studio)];
    await queue(studio, first);
    const given = { workUnitId: second.workUnitId, profileId: 'planner' };
    expect(await toolData(studio, 'svc_v1_scheduler_enqueue', given)).toMatchObject({ ...given, status: 'enqueued' });
    await queue(studio, first);
    const none = {
      priority: 0,
      awaitingResume: false,
      awaitingFileLease: false,
      awaitingCredentials: false,
      attemptCount: 0,
    };
    expect(await read(studio, '/scheduler/pending')).toEqual([
      { workUnitId: first.workUnitId, profileId: 'worker', ...none },
      { ...given, ...none },
    ]);
    expect(await toolData(studio, 'svc_v1_scheduler_pending')).toHaveLength(2);
  });

  it('tells what its units are about to change, and who else is', async () => {
    const studio = await startTestStudio();
    const [first, second] = [await makeUnit(studio), await makeUnit(studio)];
    await queue(studio, first);
    for (const { workUnitId } of [first, second])
      await toolData(studio, 'svc_v1_intent_record', { workUnitId, targetPath: 'src/a.ts' });
    const conflict = { overlappingFiles: ['src/a.ts'], conflictingWorkUnitIds: [second.workUnitId] };
    expect(await read(studio, '/scheduler/pending')).toMatchObject([{ conflict }]);
    expect(await read(studio, '/scheduler/pending?includeIntentGraph=1')).toMatchObject([
      { item: { conflict }, intents: [{ targetPath: 'src/a.ts', intentType: 'modify' }] },
    ]);
    expect(await read(studio, `/workunits/${first.workUnitId}/intents`)).toHaveLength(1);
    await post(studio, `/workunits/${second.workUnitId}/cancel`);
    expect(await read(studio, '/scheduler/pending')).not.toHaveProperty('0.conflict');
  });

  it('never tells or stores a key', async () => {
    const studio = await startTestStudio();
    const unit = await makeUnit(studio);
    const secret = 'sk-very-secret';
    await queue(studio, unit, { apiKey: secret, provider: 'openai', credentialRef: 'mine' });
    await post(studio, '/agents/spawn', {
      agentType: 'worker',
      workUnitId: unit.workUnitId,
      apiKey: secret,
      stageCredentials: { Review: { apiKey: secret, provider: 'anthropic' } },
    });
    await post(studio, `/scheduler/${unit.workUnitId}/resume`, { apiKey: secret });
    expect(await read(studio, '/scheduler/pending')).toMatchObject([{ provider: 'openai' }]);
    const room = await studio.host.room('~studio.workgroup');
    const texts = [(await studio.call('GET', '/studio/scheduler/pending')).text, JSON.stringify(studio.log)];
    for await (const entry of room.history()) texts.push(JSON.stringify(entry.writes));
    expect(texts.join('\n')).toContain('WorkUnitScheduled');
    expect(texts.join('\n')).toContain('"stageModels":{"Review":{"provider":"anthropic","credentialRef":"cred-');
    expect(texts.join('\n')).not.toContain(secret);
    const evicted = await post(studio, '/credentials/evict', { credentialRef: 'mine' });
    expect(evicted).toEqual({ evicted: true, credentialRef: 'mine' });
    expect(await post(studio, '/credentials/evict')).toEqual({ evicted: true, credentialRef: null });
  });

  it('refuses what is not there, not scheduled, or over', async () => {
    const studio = await startTestStudio();
    const unit = await makeUnit(studio);
    const given = { workUnitId: unit.workUnitId, profileId: 'worker' };
    const enqueue = (more: object) => ['POST', '/scheduler/enqueue', { ...given, ...more }] as const;
    await expectRefusal(studio, enqueue({ workUnitId: 'none' }), 404, 'workunit_not_found');
    await expectRefusal(studio, enqueue({ profileId: 'none' }), 404, 'profile_not_found');
    await expectRefusal(studio, enqueue({ taskId: 'none' }), 404, 'task_not_found');
    await expectRefusal(studio, enqueue({ sessionId: 'none' }), 404, 'session_not_found');
    await expectRefusal(studio, ['POST', '/scheduler/none/resume'], 404, 'workunit_not_found');
    await expectRefusal(studio, ['POST', `/scheduler/${unit.workUnitId}/resume`], 409, 'not_scheduled');
    await post(studio, `/workunits/${unit.workUnitId}/cancel`);
    await expectRefusal(studio, enqueue({}), 409, 'wrong_state');
  });

  it('fault 28: gives every unit its turn in the order in which it came, whatever comes later', async () => {
    const { call, change, records } = await openRecord();
    const waiting: string[] = [];
    const add = async (): Promise<void> => {
      const { workUnitId } = (await call('workunit.create', { goal: 'x' })) as Item;
      await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
      waiting.push(workUnitId);
    };
    for (let i = 0; i < 5; i++) await add();
    for (let i = 0; i < 20; i++) {
      await add();
      await add();
      const item = await change((open) => leaseNext(open, records, { ...taker, most: 100 }));
      expect(item?.workUnitId).toBe(waiting.shift());
    }
  });

  it('fault 28: lets nobody wait for longer than those who were there before, though work comes back and more comes', async () => {
    const { call, change, records } = await openRecord();
    const queued = () => records.scheduledItems.where('place', 'queued');
    /** By when each has its turn at the latest, counted in turns. */
    const latest = new Map<string, number>();
    for (let turn = 0; turn < 60; turn++) {
      for (let i = 0; i < 2; i++) {
        const { workUnitId } = (await call('workunit.create', { goal: 'x' })) as Item;
        await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
        latest.set(workUnitId, turn + queued().length);
      }
      const { workUnitId, generation } = (await change((open) => leaseNext(open, records, { ...taker, most: 100 })))!;
      const isLate = queued().filter((item) => (latest.get(item.workUnitId) ?? 0) <= turn);
      expect(isLate, `after ${turn} turns`).toEqual([]);
      // Every third falls silent, and comes again.
      if (turn % 3 !== 0) continue;
      await change((open) => expireLease(open, records, workUnitId, generation));
      latest.set(workUnitId, turn + 1 + queued().length);
    }
  });

  it('fault 32: works on no more at once than it may, also after a restart', async () => {
    const host = createHost({ store: memoryStore() });
    onTestFinished(() => host.close());
    const before = await openRecord(host);
    await aRepository(before);
    for (let i = 0; i < 6; i++) await before.call('external-goal.run', { goal: 'x' });
    const take = (record: typeof before) => record.change((open) => leaseNext(open, record.records, taker));
    for (let i = 0; i < 3; i++) expect(await take(before)).toBeDefined();
    expect(await take(before)).toBeUndefined();
    before.close();
    const after = await openRecord(host);
    expect(after.records.scheduledItems.where('place', 'parked').map(({ parkedFor }) => parkedFor)).toEqual(
      Array(3).fill('Resume'),
    );
    expect(await after.call('scheduler.resumeAll', {})).toEqual({ resumedCount: 3 });
    const taken = [await take(after), await take(after), await take(after), await take(after)];
    expect(taken.filter((item) => item !== undefined)).toHaveLength(3);
    await after.call('workunit.stopAll', {});
    expect(after.records.scheduledItems.all().every(({ place }) => place === 'removed')).toBe(true);
    after.close();
  });

  it('fault 30: does not begin for ever what ends the host each time', async () => {
    const host = createHost({ store: memoryStore() });
    onTestFinished(() => host.close());
    let record = await openRecord(host);
    await aRepository(record);
    const { workUnitId } = (await record.call('external-goal.run', { goal: 'poison' })) as Item;
    for (let start = 1; start <= 3; start++) {
      const item = await record.change((open) => leaseNext(open, record.records, taker));
      expect(item?.workUnitId).toBe(workUnitId);
      record.close();
      record = await openRecord(host);
      if (start < 3) await record.call('scheduler.resume', { workUnitId });
    }
    expect(record.records.workUnits.get(workUnitId)?.status).toBe('DeadLettered');
    expect(record.records.deadLetters.all()).toMatchObject([{ workUnitId, kind: 'Exception' }]);
    record.close();
  });

  it('fault 31: an agent whose lease was given to another cannot end it', async () => {
    const { call, change, records } = await openRecord();
    await aRepository({ change });
    const { workUnitId } = (await call('external-goal.run', { goal: 'x' })) as Item;
    const first = await change((open) => leaseNext(open, records, taker));
    await change((open) => expireLease(open, records, workUnitId, first!.generation));
    const second = await change((open) => leaseNext(open, records, { ...taker, agentId: 'a2' }));
    expect([first!.generation, second!.generation]).toEqual([1, 2]);
    expect(() => requireLease(records.scheduledItems.get(workUnitId), first!)).toThrow('this lease is over');
    await change((open) => expireLease(open, records, workUnitId, first!.generation));
    expect(records.scheduledItems.get(workUnitId)).toMatchObject({ place: 'leased', leasedBy: 'a2' });
  });

  it('parks what lacks its key, and lets it go on when that comes', async () => {
    const { call, change, records } = await openRecord();
    const { workUnitId } = (await call('workunit.create', { goal: 'x' })) as Item;
    await call('scheduler.enqueue', { workUnitId, profileId: 'worker', credentialRef: 'mine' });
    await aRepository({ change });
    await call('external-goal.run', { goal: 'y' });
    const item = await change((open) => leaseNext(open, records, { ...taker, hasKey: () => false }));
    expect(item?.workUnitId).not.toBe(workUnitId);
    expect(records.scheduledItems.get(workUnitId)?.parkedFor).toBe('Credentials');
    await call('scheduler.enqueue', { workUnitId, profileId: 'worker', credentialRef: 'mine', apiKey: 'k' });
    expect(records.scheduledItems.get(workUnitId)?.place).toBe('queued');
  });
});
