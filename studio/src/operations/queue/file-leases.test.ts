import { describe, expect, it } from 'vitest';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { read } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { askForFile } from '../../rules/queue/file-leases.js';
import { moveUnit } from '../../rules/queue/move.js';
import { lease } from '../../rules/queue/queue.js';
import { recordRead, recordSearch } from '../../rules/queue/usage.js';

interface Unit {
  readonly workUnitId: string;
}

async function begun() {
  const record = await openRecord();
  const { workUnitId: root } = (await record.call('workunit.create', { goal: 'all' })) as Unit;
  const parts: string[] = [];
  for (let i = 0; i < 3; i++) {
    const made = await record.call('workunit.create', { goal: 'part', parentWorkUnitId: root });
    const { workUnitId } = made as Unit;
    await record.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    parts.push(workUnitId);
  }
  const [a = '', b = '', c = ''] = parts;
  const ask = (workUnitId: string, path: string) =>
    record.change((open) => askForFile(open, record.records, workUnitId, path));
  return { ...record, root, a, b, c, ask };
}

describe('file leases', () => {
  it('are held by the first unit of a goal; the others are parked, and go on in their order', async () => {
    const { records, call, root, a, b, c, ask } = await begun();
    expect(await ask(a, 'src/a.ts')).toMatchObject({ holderWorkUnitId: a });
    expect(await ask(b, './SRC/a.ts')).toMatchObject({ holderWorkUnitId: a, waitQueue: [b] });
    await ask(c, 'src/a.ts');
    const until = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(await call('file-lease.list', {})).toEqual([
      { leaseId: `${root}/src/a.ts`, goalId: root, path: 'src/a.ts', holderWorkUnitId: a, until, waitQueue: [b, c] },
    ]);
    expect(await call('workunit.get', { workUnitId: b })).toMatchObject({ status: 'Waiting', awaitingFileLease: true });
    expect(await call('file-lease.release', { workUnitId: a })).toEqual({ workUnitId: a, promotedWorkUnitIds: [b] });
    expect(records.workUnits.get(b)?.status).toBe('Queued');
    expect(records.workUnits.get(c)?.status).toBe('Waiting');
    await call('workunit.cancel', { workUnitId: b });
    expect(await call('file-lease.list', {})).toMatchObject([{ holderWorkUnitId: c, waitQueue: [] }]);
    expect(records.workUnits.get(c)?.status).toBe('Queued');
  });

  it('are never waited for in a circle: who would close one is refused, and goes on without the file', async () => {
    const { records, call, a, b, c, ask } = await begun();
    await ask(a, 'x.ts');
    await ask(b, 'y.ts');
    await ask(c, 'z.ts');
    await ask(a, 'y.ts');
    await ask(b, 'z.ts');
    expect([a, b].map((id) => records.scheduledItems.get(id)?.parkedFor)).toEqual(['FileLease', 'FileLease']);
    await expect(ask(c, 'x.ts')).rejects.toMatchObject({
      reason: 'reject.file_held',
      message: expect.stringContaining(a) as string,
    });
    expect(records.scheduledItems.get(c)).toMatchObject({ place: 'queued' });
    // A file that nobody of the circle holds is free, and what it waits for comes when its holder ends.
    expect(await ask(c, 'other.ts')).toMatchObject({ holderWorkUnitId: c });
    await call('workunit.cancel', { workUnitId: c });
    expect(records.scheduledItems.get(b)?.parkedFor).toBeUndefined();
  });

  it('of work that is left to its parts are theirs as soon as one wants the file', async () => {
    const { records, call, change, root, a, b, ask } = await begun();
    await ask(root, 'x.ts');
    expect(await ask(a, 'x.ts')).toMatchObject({ holderWorkUnitId: a, waitQueue: [] });
    // Somebody works on its parts and on itself: it holds what it writes, until he is through.
    await call('scheduler.enqueue', { workUnitId: root, profileId: 'orchestrator' });
    await change((open) => lease(open, root, 'somebody'));
    await ask(root, 'y.ts');
    expect(await ask(b, 'y.ts')).toMatchObject({ holderWorkUnitId: root, waitQueue: [b] });
    await change((open) => moveUnit(open, records, root, 'Active'));
    const held = (await call('file-lease.list', {})) as readonly { path: string }[];
    expect(held.find(({ path }) => path === 'y.ts')).toMatchObject({ holderWorkUnitId: b, waitQueue: [] });
    expect(records.workUnits.get(b)?.status).toBe('Queued');
  });

  it('of work that nobody has in hand are its own where no part of it is open', async () => {
    const { records, call, change, a, b, ask } = await begun();
    await change((open) => lease(open, a, 'somebody'));
    await change((open) => moveUnit(open, records, a, 'Active'));
    await ask(a, 'x.ts');
    const { workUnitId } = (await call('workunit.create', { goal: 'part', parentWorkUnitId: a })) as Unit;
    await call('workunit.cancel', { workUnitId });
    expect(await ask(b, 'x.ts')).toMatchObject({ holderWorkUnitId: a, waitQueue: [b] });
    await call('workunit.create', { goal: 'part', parentWorkUnitId: a });
    expect(await ask(b, 'x.ts')).toMatchObject({ holderWorkUnitId: b, waitQueue: [] });
  });

  it('of one goal do not hold back another', async () => {
    const { call, change, a, ask } = await begun();
    await ask(a, 'a.ts');
    await aRepository({ change });
    const { workUnitId } = (await call('external-goal.run', { goal: 'other' })) as Unit;
    expect(await ask(workUnitId, 'a.ts')).toMatchObject({ holderWorkUnitId: workUnitId });
  });

  it('are not of files outside the repository, nor of units that are over', async () => {
    const { call, a, ask } = await begun();
    await expect(ask(a, '../a.ts')).rejects.toMatchObject({ reason: 'reject.path_outside_repository' });
    await call('workunit.cancel', { workUnitId: a });
    await expect(ask(a, 'a.ts')).rejects.toMatchObject({ reason: 'reject.wrong_state' });
  });

  it('keep a paused unit back until it is resumed', async () => {
    const { records, call, root, a, b, ask } = await begun();
    await ask(a, 'a.ts');
    await ask(b, 'a.ts');
    await call('goal.pause', { goalId: root });
    await call('file-lease.release', { workUnitId: a });
    expect(records.scheduledItems.get(b)?.parkedFor).toBe('Paused');
    await call('goal.resume', { goalId: root });
    expect(records.workUnits.get(b)?.status).toBe('Queued');
  });
});

describe('usage', () => {
  it('counts what was read, searched for, and waited for', async () => {
    const { call, change, a, b, c, ask } = await begun();
    await change((open) => recordRead(open, a, ['x.ts', 'y.ts']));
    await change((open) => recordRead(open, b, ['y.ts']));
    const search = { query: 'q', matchedPaths: ['x.ts'], matchCount: 4 };
    await change((open) => recordSearch(open, { workUnitId: a, ...search, truncated: false }));
    await change((open) => recordSearch(open, { workUnitId: b, ...search, truncated: true }));
    for (const unit of [a, b, c]) await ask(unit, 'a.ts');
    expect(await call('usage-metric.fileHits', {})).toEqual([
      { path: 'y.ts', hits: 2 },
      { path: 'x.ts', hits: 1 },
    ]);
    expect(await call('usage-metric.fileHits', { topN: 1, sinceHours: 1 })).toEqual([{ path: 'y.ts', hits: 2 }]);
    expect(await call('usage-metric.searchActivity', {})).toEqual({
      searchCount: 2,
      totalMatches: 8,
      truncatedCount: 1,
    });
    expect(await call('usage-metric.searchActivity', { workUnitId: a })).toMatchObject({ searchCount: 1 });
    expect(await call('usage-metric.leaseContention', {})).toEqual([
      { path: 'a.ts', contentionCount: 2, contendingWorkUnitIds: [b, c] },
    ]);
  });

  it('is read over HTTP', async () => {
    const studio = await startTestStudio();
    expect(await read(studio, '/file-leases')).toEqual([]);
    expect(await read(studio, '/usage-metrics/file-hits?topN=3&sinceHours=2')).toEqual([]);
    expect(await read(studio, '/usage-metrics/lease-contention')).toEqual([]);
    expect(await read(studio, '/usage-metrics/search-activity')).toMatchObject({ searchCount: 0 });
    const released = await studio.call('POST', '/studio/file-leases/release', { body: { workUnitId: 'none' } });
    expect(released.json).toEqual({ workUnitId: 'none', promotedWorkUnitIds: [] });
  });
});
