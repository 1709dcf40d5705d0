/** Logs of other versions of the studio, through a whole start. */
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it, onTestFinished } from 'vitest';
import { eventKey } from './record/ledger/stream.js';
import { WORKGROUP_ROOM } from './studio.js';
import { type Unit, expectRefusal, makeUnit, post, read } from './testing/doors/calls.js';
import { gitRepository } from './testing/git/git-repository.js';
import { openRecord } from './testing/record/open-record.js';
import { recordDigest } from './testing/record/record-digest.js';
import { tempFolder } from './testing/temp-folder.js';
import { startTestStudio } from './testing/test-studio.js';

const at = '2026-01-02T03:04:05.000Z';
const meta = { at, by: 'ann' };
const of = (workUnitId: string) => ({ ...meta, workUnitId });
const about = { v: 1, workUnitId: 'wu-1' };
const step = {
  kind: 'Build',
  projectRoot: '.',
  command: 'make',
  startedAt: at,
  exitCode: 0,
  stdOut: 'built',
  stdErr: '',
  truncated: false,
};

/** Streams as the first version wrote them, which had one host only and did not say where anything was. */
function oldest(path: string, commit: string): (readonly [aggregate: string, id: string, events: object[]])[] {
  const ran = { v: 1, branchId: 'work-1', repositoryId: 'repo-1', workUnitId: 'wu-1', commit };
  return [
    [
      'repository',
      'repo-1',
      [{ type: 'RepositoryRegistered', v: 1, repositoryId: 'repo-1', path, rootCommits: [commit] }],
    ],
    [
      'work-unit',
      'wu-1',
      [
        {
          type: 'WorkUnitCreated',
          ...about,
          goal: 'all',
          owner: 'ann',
          branchId: 'work-1',
          dependsOn: [],
          fileScope: [],
          taskReviewPolicy: 'HumanRequired',
          workspaceReviewPolicy: 'HumanRequired',
          bypassPromotionBranch: false,
          expectedOutputKind: 'FileChange',
          repositoryId: 'repo-1',
        },
        { type: 'WorkUnitStatusChanged', ...about, previousStatus: 'Created', newStatus: 'Queued' },
        { type: 'WorkUnitStatusChanged', ...about, previousStatus: 'Queued', newStatus: 'Executing' },
      ],
    ],
    [
      'scheduled-item',
      'wu-1',
      [
        { type: 'WorkUnitScheduled', ...about, profileId: 'worker', attemptCount: 0 },
        { type: 'SchedulerLeaseAcquired', ...about, agentId: 'a', expiresAt: at, generation: 1 },
      ],
    ],
    [
      'conversation-entry',
      'log-1',
      [
        {
          type: 'ConversationCycleRecorded',
          ...about,
          logId: 'log-1',
          agentId: 'a',
          agentRole: 'worker',
          cycleNumber: 1,
          toolCalls: [],
          toolResults: [],
          inputTokens: 10,
          outputTokens: 5,
        },
      ],
    ],
    [
      'execution',
      'exec/work-1/1',
      [
        { type: 'ExecutionStarted', resultId: 'exec/work-1/1', ...ran },
        { type: 'ExecutionStepEnded', v: 1, resultId: 'exec/work-1/1', step },
        { type: 'ExecutionEnded', v: 1, resultId: 'exec/work-1/1' },
      ],
    ],
    ['execution', 'exec/work-1/2', [{ type: 'ExecutionStarted', resultId: 'exec/work-1/2', ...ran }]],
  ];
}

async function hostOn(folder: string) {
  const host = createHost({ store: levelStore(folder) });
  let isOpen = true;
  const end = async (): Promise<void> => {
    if (isOpen) await host.close();
    isOpen = false;
  };
  onTestFinished(end);
  const room = await host.room(WORKGROUP_ROOM);
  const write = (writes: { key: string; value: unknown }[]) => room.transact(() => ({ writes, result: undefined }));
  return { host, end, write };
}

it('fault 9: a log of the oldest version is read as what it means now, and goes on as such', async () => {
  const folder = await tempFolder();
  const { host, end, write } = await hostOn(folder);
  const path = join(await tempFolder(), 'user');
  for (const [aggregate, id, events] of oldest(path, await gitRepository(path, { a: '' })))
    await write(events.map((event, n) => ({ key: eventKey(aggregate, id, n), value: { ...event, meta: of('wu-1') } })));
  const studio = await startTestStudio(host);
  // All of it was of this host: what it was at is given back, what ran has ended, and what was found then is known.
  expect(await read(studio, '/scheduler/awaiting-resume')).toMatchObject([{ workUnitId: 'wu-1', profileId: 'worker' }]);
  expect(await read(studio, '/workunits/wu-1')).toMatchObject({ goal: 'all', status: 'Waiting', createdAt: at });
  expect(await read(studio, '/workspace/exec/latest?branchId=work-1')).toMatchObject({
    resultId: 'exec/work-1/1',
    allSucceeded: true,
    builds: [{ stdOut: 'built', command: 'make' }],
  });
  expect(await read(studio, '/repositories')).toMatchObject([{ repositoryId: 'repo-1', path }]);
  expect(await read(studio, '/workunits/wu-1/conversation-log')).toMatchObject([{ logId: 'log-1', inputTokens: 10 }]);
  const kinds = (await read<{ kind: string }[]>(studio, '/replay/timeline')).map(({ kind }) => kind);
  expect(kinds.slice(0, 3)).toEqual(['RepositoryRegistered', 'WorkUnitCreated', 'WorkUnitStatusChanged']);
  expect(kinds).toEqual(expect.arrayContaining(['ExecutionInterrupted', 'SchedulerLeaseInterrupted']));
  expect(await post(studio, '/scheduler/wu-1/resume', {})).toMatchObject({ status: 'resumed' });
  expect(studio.log.filter(({ level }) => level === 'error')).toEqual([]);

  // What this version has written behind it is one log with it: read anew, from the disk, every view is the same.
  const live = await openRecord(host);
  live.close();
  await studio.close();
  await end();
  const again = await hostOn(folder);
  const anew = await openRecord(again.host);
  expect(recordDigest(anew.records)).toBe(recordDigest(live.records));
  expect(anew.records.executions.get('exec/work-1/2')?.status).toBe('interrupted');
  anew.close();
});

it('fault 9: what a newer version has written is refused by name, at the start and while it runs, and the rest goes on', async () => {
  const folder = await tempFolder();
  const { host, end, write } = await hostOn(folder);
  const first = await startTestStudio(host);
  const [newer, other] = [await makeUnit(first), await makeUnit(first)];
  const next = async ({ workUnitId }: Unit, event: object): Promise<string> => {
    const key = eventKey('work-unit', workUnitId, 1);
    await write([{ key, value: { ...event, workUnitId, meta: of(workUnitId) } }]);
    return key;
  };
  // A kind that nobody knows yet, and another shape of one that is known.
  const key = await next(newer, { type: 'WorkUnitLentOut', v: 1 });
  await first.close();
  await end();

  const again = await hostOn(folder);
  const studio = await startTestStudio(again.host);
  expect(studio.log).toContainEqual(
    expect.objectContaining({
      level: 'error',
      message: 'an event of a newer version was left out',
      about: { aggregate: 'work-unit', id: newer.workUnitId, position: 1 },
    }),
  );
  const refused = await studio.call('POST', `/studio/workunits/${newer.workUnitId}/cancel`);
  expect(refused).toMatchObject({
    status: 422,
    json: {
      code: 'reject.event_not_understood',
      details: { key },
      error: `cannot read the event at ${key}`,
      recovery: [expect.stringContaining('Update this host') as string],
    },
  });
  expect(await post(studio, `/workunits/${other.workUnitId}/cancel`)).toEqual({
    cancelledWorkUnitIds: [other.workUnitId],
  });
  const late = await makeUnit(studio);
  await again.write([
    {
      key: eventKey('work-unit', late.workUnitId, 1),
      value: { type: 'WorkUnitStatusChanged', v: 2, workUnitId: late.workUnitId, to: 'Queued', meta },
    },
  ]);
  await expectRefusal(studio, ['POST', `/workunits/${late.workUnitId}/cancel`], 422, 'event_not_understood');
  // What it could read of it is shown, and nothing was decided on it.
  expect(await read(studio, `/workunits/${newer.workUnitId}`)).toMatchObject({ status: 'Created' });
});
