/** Two hosts that write to one workgroup: each has a room of its own, and what one writes comes to the other late and in pieces. */
import { type Host, createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { execution } from '../aggregates/execution/execution.js';
import { lease, leaseNext } from '../../rules/queue/queue.js';
import { settleAfterStart } from '../../rules/queue/restart.js';
import { deliverAll, linked } from '../../testing/record/linked-rooms.js';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { Tallies, tally } from '../../testing/tally.js';
import { WORKGROUP_ROOM } from '../../studio.js';
import { createRecords } from '../views/records.js';
import type { Change } from './change.js';
import { Ledger } from './ledger.js';

const ROOM = 'workgroup';

async function openOn(host: Host, hostId: string) {
  const workgroup = await host.room(ROOM);
  const tallies = new Tallies();
  let count = 0;
  const ledger = await Ledger.open({
    hostId,
    workgroup,
    local: await host.room('local'),
    collections: [...Object.values(createRecords()), tallies],
    now: () => '2024-05-06T07:08:09.000Z',
    newId: (prefix) => `${prefix}${hostId}-${++count}`,
    log: () => undefined,
  });
  return { ledger, tallies, workgroup };
}

/** What is shown, whatever order it came in. */
function shown({ tallies }: { tallies: Tallies }) {
  return tallies.all().sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** All that a host was told, as texts. */
function told({ ledger }: { ledger: Ledger }): string[] {
  return ledger.feed
    .after(0)
    .map(({ stored: { key, event } }) => `${key} ${JSON.stringify(event)}`)
    .sort();
}

const STREAMS = ['x', 'y'];
const step = fc.oneof(
  fc.record({
    host: fc.nat(1),
    id: fc.constantFrom(...STREAMS),
    does: fc.constantFrom('open', 'add', 'tag', 'end'),
    n: fc.nat(3),
  }),
  fc.record({ link: fc.nat(1) }),
);

describe('two hosts of one workgroup', () => {
  it('show the same when they have heard the same, whoever wrote what at once, and after a restart', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const machines = [createHost({ store: memoryStore() }), createHost({ store: memoryStore() })];
        const hosts = [await openOn(machines[0]!, 'a'), await openOn(machines[1]!, 'b')];
        const [a, b] = hosts as [(typeof hosts)[0], (typeof hosts)[0]];
        const links = linked(a.workgroup, b.workgroup);
        for (const one of steps) {
          if ('link' in one) {
            await links[one.link]!.deliver();
            continue;
          }
          const { host, id, does, n } = one;
          const change = hosts[host]!.ledger.change(`host ${host}`, (open) => {
            if (does === 'open') open.run(tally, id, 'open', { id, tags: [`${host}`] });
            else if (does === 'add') open.run(tally, id, 'add', { much: n });
            else if (does === 'tag') open.run(tally, id, 'tag', { tags: [`${host}`, `${n}`] });
            else open.end(tally, id, 'end', {});
          });
          // What makes no sense as it stands is refused.
          await change.catch(() => undefined);
        }
        await deliverAll(links);
        expect(shown(a)).toEqual(shown(b));
        for (const id of STREAMS) expect(a.tallies.version(id)).toBe(b.tallies.version(id));
        expect(told(a)).toEqual(told(b));
        a.ledger.close();
        const again = await openOn(machines[0]!, 'a');
        expect(shown(again)).toEqual(shown(b));
        for (const link of links) link.stop();
        for (const { ledger } of [again, b]) ledger.close();
        for (const machine of machines) await machine.close();
      }),
      { numRuns: 50 },
    );
  });

  it('fold what comes before what it stands on when that has come', async () => {
    const machines = [createHost({ store: memoryStore() }), createHost({ store: memoryStore() })];
    const [a, b] = [await openOn(machines[0]!, 'a'), await openOn(machines[1]!, 'b')];
    const event = (n: number, said: object) => ({ key: `studio/tally/x/${n}`, value: { v: 1, ...said } });
    const first = event(0, { type: 'TallyOpened', id: 'x', tags: [] });
    const second = event(1, { type: 'TallyAdded', much: 2 });
    await b.workgroup.transact(() => ({ writes: [second], result: undefined }));
    expect(b.tallies.all()).toEqual([]);
    await b.workgroup.transact(() => ({ writes: [first], result: undefined }));
    expect(b.tallies.get('x')).toMatchObject({ sum: 2 });
    expect(a.tallies.all()).toEqual([]);
    for (const { ledger } of [a, b]) ledger.close();
    for (const machine of machines) await machine.close();
  });

  it('take no more than there is room for, when both look for something to do at once', async () => {
    const { host, ledger, records, call, change } = await openRecord();
    await aRepository({ change });
    const theirs = createRecords();
    const other = await Ledger.open({
      hostId: 'another',
      workgroup: await host.room(WORKGROUP_ROOM),
      local: await host.room('another'),
      collections: Object.values(theirs),
      log: () => undefined,
      now: () => new Date().toISOString(),
      newId: (prefix) => `${prefix}another`,
    });
    for (const goal of ['x', 'y']) await call('external-goal.run', { goal });
    const [first, second] = records.scheduledItems.where('place', 'queued');
    const taker = (agentId: string, workUnitId: string) => ({
      agentId,
      most: 1,
      hasKey: () => true,
      mayTake: (item: { workUnitId: string }) => item.workUnitId === workUnitId,
    });
    // Each writes to the streams of another unit; that there is room both read from all.
    const taken = await Promise.all([
      ledger.change('ann', (open) => leaseNext(open, records, taker('a-1', first!.workUnitId))),
      other.change('another', (open) => leaseNext(open, theirs, taker('a-2', second!.workUnitId))),
    ]);
    expect(taken.filter((item) => item !== undefined)).toHaveLength(1);
    expect(records.scheduledItems.where('place', 'leased')).toHaveLength(1);
    other.close();
  });

  it('leave alone what the other works on when they start', async () => {
    const { host, records, call, change } = await openRecord();
    const theirRecords = createRecords();
    const other = await Ledger.open({
      hostId: 'another',
      workgroup: await host.room(WORKGROUP_ROOM),
      local: await host.room('another'),
      collections: Object.values(theirRecords),
      log: () => undefined,
      now: () => new Date().toISOString(),
      newId: (prefix) => `${prefix}another`,
    });
    await aRepository({ change });
    const [mine, theirs] = [
      await call('external-goal.run', { goal: 'x' }),
      await call('external-goal.run', { goal: 'y' }),
    ];
    const ids = [mine, theirs].map((one) => (one as { workUnitId: string }).workUnitId) as [string, string];
    await change((open) => lease(open, ids[0], 'a-1'));
    await other.change('another', (open) => lease(open, ids[1], 'a-2'));
    const build = (open: Change) =>
      open.run(execution, `exec/${open.hostId}`, 'start', {
        resultId: `exec/${open.hostId}`,
        branchId: 'b',
        repositoryId: 'r',
        commit: 'c',
        hostId: open.hostId,
      }).resultId;
    const builds = [await change(build), await other.change('another', build)];
    await change((open) => settleAfterStart(open, records));
    expect(ids.map((id) => records.scheduledItems.get(id)?.place)).toEqual(['parked', 'leased']);
    expect(builds.map((id) => records.executions.get(id)?.status)).toEqual(['interrupted', 'running']);
    // That host, when it starts again, ends its own.
    await other.change('another', (open) => settleAfterStart(open, theirRecords));
    expect(builds.map((id) => records.executions.get(id)?.status)).toEqual(['interrupted', 'interrupted']);
    other.close();
  });
});
