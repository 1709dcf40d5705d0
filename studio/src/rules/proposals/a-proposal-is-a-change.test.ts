/** A proposal is a change: what changes nothing is refused, and what failed on the way stands in the review. */
import { expect, it } from 'vitest';
import { studioWith } from '../../testing/git/studio-repository.js';
import { conversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { execution } from '../../record/aggregates/execution/execution.js';
import { openRecord } from '../../testing/record/open-record.js';
import { proposal } from '../../testing/work/proposal.js';
import { troublesOf } from './troubles.js';

it('nothing is offered that changes nothing, unless it says why', async () => {
  const { branch, post, get } = await studioWith();
  await branch('same', {});
  const unit = (await post('workunits', { goal: 'g' })).json as { workUnitId: string; branchId: string };
  for (const body of [{ sourceBranch: 'same' }, { sourceBranch: unit.branchId, workUnitId: unit.workUnitId }]) {
    const offer = { ...body, targetBranch: 'main', summary: 's' };
    expect(await post('merges', offer)).toMatchObject({ status: 409, json: { code: 'reject.nothing_changed' } });
    expect((await get('merges')).json).toEqual([]);
  }
  const said = { sourceBranch: 'same', targetBranch: 'main', summary: 's', noFileChangesJustification: 'it was right' };
  expect(await post('merges', said)).toMatchObject({ status: 200, json: { status: 'Draft' } });
});

it('a failed test stands in the review until the same commit passes', async () => {
  const it = await studioWith({ 'package.json': '{ "name": "x", "scripts": { "test": "exit 3" } }' });
  await it.branch('one', { a: '1' });
  await it.post('workspace/test?branchId=one');
  const troublesIn = async (id: string) => ((await it.get(`merges/${id}`)).json as { troubles: unknown }).troubles;
  const id = await it.propose('one');
  expect(await troublesIn(id)).toEqual([{ kind: 'Test', text: expect.stringMatching(/ended with [1-9]/) as string }]);
  await it.branch('two', { 'package.json': '{ "name": "x", "scripts": { "test": "exit 0" } }' });
  await it.post('workspace/test?branchId=two');
  expect(await troublesIn(await it.propose('two'))).toEqual([]);
});

it('an approved result of cancelled work says so, lands nothing, and has its approval when that is queued again', async () => {
  const { propose, post, get } = await studioWith();
  const unit = (await post('workunits', { goal: 'g' })).json as { workUnitId: string; branchId: string };
  const { workUnitId, branchId } = unit;
  await post(`branches/${branchId}/resync-files`, { files: [{ path: 'c', content: '3' }], deletedPaths: [] });
  const id = await propose(branchId, 'main', { workUnitId });
  expect(await post(`merges/${id}/review`, { decision: 'Approved' })).toMatchObject({ json: { status: 'Approved' } });
  const troubles = async () => ((await get(`merges/${id}`)).json as { troubles: unknown }).troubles;
  expect(await troubles()).toEqual([]);

  expect(await post(`workunits/${workUnitId}/cancel`)).toMatchObject({ status: 200 });
  expect(await troubles()).toEqual([
    { kind: 'Work', text: 'its work was cancelled: it lands once that is queued again' },
  ]);
  expect(await post(`merges/${id}/apply`)).toMatchObject({ status: 409 });

  await post(`workunits/${workUnitId}/requeue`);
  expect((await get(`merges/${id}`)).json).toMatchObject({ status: 'Approved', troubles: [] });
});

it('a change that was refused stands in the review until it was made after all', async () => {
  const { change, records } = await openRecord();
  const entry = (n: number, isError: boolean, path: string) =>
    change((open) =>
      open.run(conversationEntry, `log-${n}`, 'record', {
        logId: `log-${n}`,
        workUnitId: 'wu-1',
        agentId: 'a',
        agentRole: 'worker',
        cycleNumber: n,
        toolCalls: [{ toolUseId: 't', name: 'svc_v1_workspace_write', inputJson: JSON.stringify({ path }) }],
        toolResults: [{ toolUseId: 't', result: 'outside of the scope', truncated: false, isError }],
      }),
    );
  const troubles = () => troublesOf(records, proposal({ workUnitId: 'wu-1' }));
  await entry(1, true, 'x');
  await entry(2, true, 'y');
  await entry(3, false, 'y');
  expect(troubles()).toEqual([{ kind: 'RefusedChange', text: 'x: outside of the scope' }]);
});

it('a failure stands in the review while the same commit is tried again, and no longer than until that has ended well', async () => {
  const { change, records } = await openRecord();
  const offered = proposal({});
  const { sourceBranch: branchId, headCommit: commit, repositoryId } = offered;
  const begin = (resultId: string) =>
    change((open) => open.run(execution, resultId, 'start', { resultId, branchId, repositoryId, commit, hostId: 'h' }));
  const end = (resultId: string, exitCode: number) =>
    change((open) => {
      const said = { startedAt: 'then', stdOut: '', stdErr: '', truncated: false };
      const step = { kind: 'Test' as const, projectRoot: '.', command: 'npm test', exitCode, ...said };
      open.run(execution, resultId, 'endStep', { step });
      open.run(execution, resultId, 'end', {});
    });
  const texts = () => troublesOf(records, offered).map(({ text }) => text);
  await begin('1');
  expect(texts()).toEqual([]);
  await end('1', 3);
  expect(texts()).toEqual(['npm test ended with 3']);
  await begin('2');
  expect(texts()).toEqual(['npm test ended with 3']);
  await end('2', 0);
  expect(texts()).toEqual([]);
});
