import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { expect, it, onTestFinished } from 'vitest';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { misplaced } from './places.js';

it('fault 27: a unit that is in no queue is told of when the host starts', async () => {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const { call, change, records, close } = await openRecord(host);
  const { workUnitId } = (await call('workunit.create', { goal: 'lost' })) as { workUnitId: string };
  await aRepository({ change });
  await call('external-goal.run', { goal: 'not lost' });
  expect(misplaced(records)).toEqual([]);
  // Moved by the aggregate alone, which nothing in the studio does.
  await change((open) => open.run(workUnit, workUnitId, 'move', { to: 'Queued' }));
  const lost = { workUnitId, status: 'Queued', places: [] };
  expect(misplaced(records)).toEqual([lost]);
  close();
  const studio = await startTestStudio(host);
  expect(studio.log).toMatchObject([
    { level: 'error', message: 'a work unit is in no queue, or in two', about: { ...lost, places: '' } },
  ]);
});
