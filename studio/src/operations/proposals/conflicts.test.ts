import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type StudioRepository, studioWith } from '../../testing/git/studio-repository.js';

const refused = (status: number, code: string) => ({ status, json: { code } });

async function idOf(conflicted: Promise<{ json: unknown; status: number }>): Promise<string> {
  const { json, status } = await conflicted;
  expect(status).toBe(409);
  return (json as { details: { conflictId: string } }).details.conflictId;
}

async function unitWith({ post }: StudioRepository, content: string, more: object = {}) {
  const unit = (await post('workunits', { goal: `write ${content}`, ...more })).json as {
    workUnitId: string;
    branchId: string;
  };
  await post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'a', content }] });
  return unit;
}

describe('conflicts', () => {
  it('of the parts of a goal are listed, and ended with contents that a person gives', async () => {
    const it = await studioWith({ a: '1\n', b: '1\n' });
    const root = (await it.post('workunits', { goal: 'g' })).json as { workUnitId: string };
    const ids: string[] = [];
    let losing = '';
    for (const text of ['one\n', 'two\n']) {
      const part = await unitWith(it, text, { parentWorkUnitId: root.workUnitId });
      losing = part.branchId;
      if (text === 'two\n')
        await it.post(`branches/${part.branchId}/resync-files`, { files: [{ path: 'c', content: '' }] });
      ids.push(await it.approved('-', 'main', { workUnitId: part.workUnitId }));
    }
    await it.post(`merges/${ids[0]}/apply`);
    const conflictId = await idOf(it.post(`merges/${ids[1]}/apply`));
    const path = `workunits/${root.workUnitId}/task-conflicts`;
    expect((await it.get(path)).json).toMatchObject([
      { conflictId, proposalId: ids[1], winningProposalId: ids[0], conflictingPaths: ['a'], status: 'Open' },
    ]);
    const statusOf = async (branchId: string) =>
      ((await it.get(`branches/${branchId}/status`)).json as { status: string }).status;
    expect(await statusOf(losing)).toBe('conflicted');
    for (const files of [{}, { b: 'x' }, { a: 'x', b: 'x' }])
      expect(await it.post(`${path}/${conflictId}/resolve`, { files })).toMatchObject(
        refused(400, 'reject.invalid_input'),
      );
    const resolved = await it.post(`${path}/${conflictId}/resolve`, { files: { a: 'both\n' } });
    expect(resolved.json).toMatchObject({
      status: 'Merged',
      reconciledFrom: [ids[1]],
      targetBranch: `merge/${root.workUnitId}`,
    });
    expect((await it.get(`merges/${ids[1]}`)).json).toMatchObject({ status: 'Superseded' });
    expect(await statusOf(losing)).not.toBe('conflicted');
    expect((await it.get(path)).json).toEqual([]);
    const branch = encodeURIComponent(`merge/${root.workUnitId}`);
    const { workingDirectory } = (await it.post(`branches/${branch}/checkout`)).json as { workingDirectory: string };
    expect(await readFile(join(workingDirectory, 'a'), 'utf8')).toBe('both\n');
    // What was not in conflict has come along.
    expect(await readFile(join(workingDirectory, 'c'), 'utf8')).toBe('');
    expect(await it.post(`${path}/${conflictId}/resolve`, { files: { a: 'x' } })).toMatchObject(
      refused(409, 'reject.wrong_state'),
    );
    expect(
      (await it.get(`merges/${(resolved.json as { proposalId: string }).proposalId}/constituents`)).json,
    ).toMatchObject([{ proposalId: ids[1], status: 'Superseded' }]);
  });

  it('on the candidate branch are brought together by work of their own', async () => {
    const it = await studioWith();
    const units = [await unitWith(it, 'one\n'), await unitWith(it, 'two\n')];
    const ids: string[] = [];
    for (const { workUnitId } of units) ids.push(await it.approved('-', 'candidate', { workUnitId }));
    expect((await it.post(`merges/${ids[0]}/apply`)).json).toMatchObject({
      landedOnCandidateBranch: true,
      promotedToDisk: false,
    });
    const conflictId = await idOf(it.post(`merges/${ids[1]}/apply`));
    expect((await it.get('branches/candidate/conflicts')).json).toMatchObject([{ conflictId, status: 'Open' }]);
    const path = `branches/candidate/conflicts/${conflictId}`;
    const first = (await it.post(`${path}/reconcile`, { steeringNotes: 'keep both' })).json;
    const unit = (await it.post(`${path}/reconcile`)).json as { workUnitId: string; branchId: string };
    expect((await it.get('branches/candidate/conflicts')).json).toMatchObject([
      { status: 'Reconciling', reconcilingWorkUnitId: unit.workUnitId },
    ]);
    expect(first).toMatchObject({
      fileScope: ['a'],
      reconciliationTargetPaths: ['a'],
      reconciliationSourceProposalIds: [ids[1]],
      workspaceReviewPolicy: 'HumanRequired',
      goal: expect.stringContaining('keep both') as string,
      status: 'Queued',
    });
    expect((await it.get('scheduler/pending')).json).toMatchObject([
      { profileId: 'reconciler' },
      { profileId: 'reconciler', workUnitId: unit.workUnitId },
    ]);
    expect((await it.get('branches/candidate/conflicts')).json).toMatchObject([{ status: 'Reconciling' }]);
    await it.post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'a', content: 'one\ntwo\n' }] });
    const id = await it.approved('-', 'candidate', { workUnitId: unit.workUnitId });
    expect((await it.post(`merges/${id}/apply`)).json).toMatchObject({ status: 'Merged', reconciledFrom: [ids[1]] });
    expect((await it.get('branches/candidate/conflicts')).json).toEqual([]);
    const pending = (await it.get('branches/candidate/pending')).json as { proposalId: string }[];
    expect(pending.map(({ proposalId }) => proposalId)).toEqual([ids[0], id]);
    expect((await it.post('branches/candidate/promote')).json).toEqual({
      promoted: true,
      source: 'candidate',
      target: 'main',
      proposalCount: 2,
      proposalIds: [ids[0], id],
    });
    expect(await readFile(join(it.folder, 'a'), 'utf8')).toBe('one\ntwo\n');
    expect((await it.post('branches/candidate/promote')).json).toMatchObject({ proposalCount: 0 });
  });

  it('of more than a thousand files are one conflict, which is brought together as a whole', async () => {
    const it = await studioWith();
    const names = Array.from({ length: 1001 }, (_, n) => `f${n}`);
    const ids: string[] = [];
    for (const name of ['one', 'two']) {
      await it.branch(name, Object.fromEntries(names.map((file) => [file, name])));
      ids.push(await it.approved(name, 'main'));
    }
    await it.post(`merges/${ids[0]}/apply`);
    const { status, json } = await it.post(`merges/${ids[1]}/apply`);
    expect(status).toBe(409);
    expect(json).toMatchObject({
      code: 'reject.merge_conflict',
      error: expect.stringContaining('and 998 more files') as string,
    });
    expect((await it.get('conflicts')).json).toMatchObject({ conflicts: [] });
  });

  it('fault 23: of what brings others together end with it, all the way down', async () => {
    const it = await studioWith();
    for (const name of ['one', 'two', 'three']) await it.branch(name, { a: `${name}\n` });
    const [one, two, three] = [
      await it.approved('one', 'candidate'),
      await it.approved('two', 'candidate'),
      await it.approved('three', 'candidate'),
    ];
    await it.post(`merges/${one}/apply`);
    const first = await idOf(it.post(`merges/${two}/apply`));
    const { branchId, workUnitId } = (await it.post(`branches/candidate/conflicts/${first}/reconcile`)).json as {
      branchId: string;
      workUnitId: string;
    };
    await it.post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content: 'one two\n' }] });
    const both = await it.approved('-', 'candidate', { workUnitId });
    // Meanwhile another conflict is ended in its own way, and so the reconciliation is in conflict itself.
    const second = await idOf(it.post(`merges/${three}/apply`));
    await it.post(`branches/candidate/conflicts/${second}/resolve`, { files: { a: 'one three\n' } });
    const third = await idOf(it.post(`merges/${both}/apply`));
    const ended = await it.post(`branches/candidate/conflicts/${third}/resolve`, { files: { a: 'all\n' } });
    expect(ended.json).toMatchObject({ status: 'Merged', reconciledFrom: [both] });
    expect((await it.get('branches/candidate/conflicts')).json).toEqual([]);
    for (const id of [two, three, both])
      expect((await it.get(`merges/${id}`)).json).toMatchObject({ status: 'Superseded' });
  });

  it('are not found by a wrong name, or under the wrong kind', async () => {
    const it = await studioWith();
    const unit = await unitWith(it, 'x');
    for (const path of ['branches/candidate/conflicts', `workunits/${unit.workUnitId}/task-conflicts`])
      for (const [verb, body] of [
        ['reconcile', {}],
        ['resolve', { files: { a: '' } }],
      ] as const)
        expect(await it.post(`${path}/none/${verb}`, body)).toMatchObject(refused(404, 'reject.conflict_not_found'));
  });
});
