import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it } from 'vitest';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { leaseNext } from './queue.js';

interface Made {
  readonly workUnitId: string;
  readonly agentId: string;
}

it('a start finds everything as it was, and begins nothing again that was under way', async () => {
  const folder = await tempFolder();
  const first = createHost({ store: levelStore(folder) });
  const before = await openRecord(first);
  await aRepository(before);
  const { workUnitId: goalId } = (await before.call('external-goal.run', { goal: 'all' })) as Made;
  await before.call('goal.pause', { goalId, reason: 'lunch' });
  const { workUnitId } = (await before.call('workunit.create', { goal: 'x' })) as Made;
  const { agentId } = (await before.call('agent.spawn', { agentType: 'worker', workUnitId })) as Made;
  await before.change((open) => leaseNext(open, before.records, { agentId, most: 3, hasKey: () => true }));
  const { workUnitId: waiting } = (await before.call('workunit.create', { goal: 'y' })) as Made;
  const { agentId: idle } = (await before.call('agent.spawn', { agentType: 'worker', workUnitId: waiting })) as Made;
  expect(before.records.workUnits.get(workUnitId)?.status).toBe('Executing');
  before.close();
  await first.close();

  const second = createHost({ store: levelStore(folder) });
  const after = await openRecord(second);
  const { agents, goals, scheduledItems, workUnits } = after.records;
  expect(goals.get(goalId)).toMatchObject({ status: 'Paused', pauseReason: 'lunch' });
  expect(scheduledItems.get(goalId)?.parkedFor).toBe('Paused');
  expect(scheduledItems.get(waiting)?.place).toBe('queued');
  expect(agents.get(idle)?.status).toBe('active');
  expect(agents.get(agentId)?.status).toBe('Interrupted');
  expect(scheduledItems.get(workUnitId)?.parkedFor).toBe('Resume');
  await after.call('agent.resume', { agentId });
  expect(workUnits.get(workUnitId)?.status).toBe('Queued');
  after.close();
  await second.close();
});
