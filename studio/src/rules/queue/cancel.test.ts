import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import type { Change } from '../../record/ledger/change.js';
import { type Life, mortal } from '../../testing/record/mortal-room.js';
import { type OpenRecord, openRecord } from '../../testing/record/open-record.js';
import { CANCELLED_AT_ONCE, cancelTree } from './cancel.js';
import { createUnit } from '../goals/create-unit.js';
import { moveUnit } from './move.js';
import { enqueue, leaseNext } from './queue.js';

/** A unit with many parts, of which the last has a part as well; made in changes that each fit into a record. */
async function treeOfUnits({ change, records }: OpenRecord, parts: number): Promise<string[]> {
  const make = (open: Change, goal: string, parentWorkUnitId?: string): string =>
    createUnit(open, records, { goal, owner: 'ann', ...(parentWorkUnitId === undefined ? {} : { parentWorkUnitId }) })
      .workUnitId;
  const ids = [await change((open) => make(open, 'all'))];
  while (ids.length <= parts) {
    const count = Math.min(500, parts + 1 - ids.length);
    ids.push(...(await change((open) => Array.from({ length: count }, () => make(open, 'part', ids[0])))));
  }
  return [...ids, await change((open) => make(open, 'deep', ids.at(-1)))];
}

function statuses({ records }: OpenRecord): string[] {
  return [...new Set(records.workUnits.all().map(({ status }) => status))];
}

it('a tree that no record can hold is cancelled, those above before those below', async () => {
  const record = await openRecord();
  const ids = await treeOfUnits(record, 6000);
  const refused = record.change((open) => cancelTree(open, record.records, ids[0]!));
  await expect(refused).rejects.toMatchObject({ reason: 'reject.change_too_large' });
  expect(statuses(record)).toEqual(['Created']);
  expect(await record.call('workunit.cancel', { workUnitId: ids[0] })).toEqual({ cancelledWorkUnitIds: ids });
  expect(statuses(record)).toEqual(['Cancelled']);
  expect(await record.call('workunit.cancel', { workUnitId: ids[0] })).toEqual({ cancelledWorkUnitIds: [] });
});

it('a goal with many parts is cancelled', async () => {
  const record = await openRecord();
  const [goalId, ...parts] = await treeOfUnits(record, CANCELLED_AT_ONCE);
  const cancelledWorkUnits = parts.length + 1;
  expect(await record.call('external-goal.cancel', { goalId })).toMatchObject({ cancelledWorkUnits });
  expect(statuses(record)).toEqual(['Cancelled']);
  expect(record.records.goals.get(goalId!)?.status).toBe('Abandoned');
});

it.each([true, false])(
  'a start ends what a host was cancelling when it was killed (last kept: %s)',
  async (isLastKept) => {
    const parts = 2 * CANCELLED_AT_ONCE + 5;
    for (const left of [1, 2, 3]) {
      const host = createHost({ store: memoryStore() });
      onTestFinished(() => host.close());
      const life: Life = { left: Number.POSITIVE_INFINITY, isLastKept, onDeath: () => died() };
      let died = (): void => undefined;
      const first = await openRecord(host, { through: (room) => mortal(room, life) });
      const ids = await treeOfUnits(first, parts);
      const aside = await first.change((open) => createUnit(open, first.records, { goal: 'else', owner: 'ann' }));
      const death = new Promise<void>((resolve) => (died = resolve));
      life.left = left;
      void first.call('workunit.cancel', { workUnitId: ids[0] });
      await death;
      first.close();
      const { records, close } = await openRecord(host);
      const isBegun = left > 1 || isLastKept;
      expect(ids.filter((id) => records.workUnits.get(id)?.status === 'Cancelled')).toEqual(isBegun ? ids : []);
      expect(records.workUnits.get(aside.workUnitId)?.status).toBe('Created');
      close();
    }
  },
);

it('what is being cancelled is not begun', async () => {
  const record = await openRecord();
  const { change, records } = record;
  const [root, part] = await treeOfUnits(record, 1);
  await change((open) => enqueue(open, records, part!, { profileId: 'worker' }));
  await change((open) => moveUnit(open, records, root!, 'Cancelled'));
  const take = (open: Change) => leaseNext(open, records, { agentId: 'a-1', most: 3, hasKey: () => true });
  expect(await change(take)).toBeUndefined();
  expect(records.scheduledItems.get(part!)?.place).toBe('queued');
});
