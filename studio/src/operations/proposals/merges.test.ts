import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../testing/git/git-repository.js';
import { type StudioRepository, storeOf, studioWith } from '../../testing/git/studio-repository.js';
import { branchRef } from '../../workspace/git/objects/ref-names.js';

const refused = (status: number, code: string) => ({ status, json: { code } });
const headOf = (folder: string) => git(folder, 'rev-parse', 'main');

async function unitOf({ post }: StudioRepository, body: object = {}) {
  const answer = await post('workunits', { goal: 'build it', ...body });
  return answer.json as { workUnitId: string; branchId: string; status: string };
}

describe('merge proposals', () => {
  it('are drafted, said to be ready, approved, and land in the folder of the user', async () => {
    const it = await studioWith();
    await it.branch('one', { a: 'changed\n', new: '3', 'dir/b': null });
    const proposalId = await it.propose('one', 'main', { goal: 'g', changeDescription: 'long', model: 'm' });
    const drafted = (await it.get(`merges/${proposalId}`)).json;
    expect(drafted).toMatchObject({
      proposalId,
      sourceBranch: 'one',
      targetBranch: 'main',
      status: 'Draft',
      goal: 'g',
      summary: 'take one',
      changeDescription: 'long',
      model: 'm',
      filesTouched: ['a', 'dir/b', 'new'],
      baseCommit: it.commit,
      workspaceChanges: expect.stringContaining('+changed') as string,
    });
    expect((await it.post(`merges/${proposalId}/validate`)).json).toMatchObject({ status: 'ReadyForReview' });
    expect((await it.post(`merges/${proposalId}/review`, { decision: 'Approved', notes: 'good' })).json).toMatchObject({
      status: 'Approved',
      reviewNotes: 'good',
      autoApplied: false,
    });
    const merged = await it.post(`merges/${proposalId}/apply`);
    expect(merged.json).toMatchObject({ status: 'Merged', promotedToDisk: true, landedOnCandidateBranch: false });
    expect(await headOf(it.folder)).toBe((merged.json as { resultCommit: string }).resultCommit);
    expect(await readFile(join(it.folder, 'a'), 'utf8')).toBe('changed\n');
    expect(await git(it.folder, 'status', '--porcelain')).toBe('');
    expect(await git(it.folder, 'log', '-1', '--format=%B')).toContain(`Weft-Proposal: ${proposalId}`);
    expect((await it.get('branches/one/status')).json).toMatchObject({ status: 'merged' });
    expect(((await it.get('merges?sourceBranch=one')).json as object[]).length).toBe(1);
  });

  it('bring only their own changes, whatever has landed meanwhile', async () => {
    const it = await studioWith({ a: '1\n2\n3\n4\n5\n6\n7\n8\n', b: '1\n', c: '1\n' });
    await it.branch('one', { a: 'X\n2\n3\n4\n5\n6\n7\n8\n', c: null });
    await it.branch('two', { a: '1\n2\n3\n4\n5\n6\n7\nY\n', b: '2\n' });
    const [one, two] = [await it.approved('one'), await it.approved('two')];
    // What the branch becomes after it was offered is not what was offered.
    await it.post('branches/one/resync-files', { files: [{ path: 'later', content: '' }] });
    for (const id of [one, two]) expect((await it.post(`merges/${id}/apply`)).status).toBe(200);
    expect(await readFile(join(it.folder, 'a'), 'utf8')).toBe('X\n2\n3\n4\n5\n6\n7\nY\n');
    expect(await git(it.folder, 'ls-files')).toBe('a\nb');
    expect(await readFile(join(it.folder, 'b'), 'utf8')).toBe('2\n');
  });

  it('of parts of a goal come together on a branch of the goal', async () => {
    const it = await studioWith();
    const root = await unitOf(it);
    const part = await unitOf(it, { parentWorkUnitId: root.workUnitId, taskReviewPolicy: 'AgentApproval' });
    await it.post(`branches/${part.branchId}/resync-files`, { files: [{ path: 'p', content: '1' }] });
    const proposalId = await it.approved('whatever was typed', 'main', { workUnitId: part.workUnitId });
    const merged = await it.post(`merges/${proposalId}/apply`);
    const targetBranch = `merge/${root.workUnitId}`;
    expect(merged.json).toMatchObject({
      status: 'Merged',
      sourceBranch: part.branchId,
      targetBranch,
      promotedToDisk: false,
    });
    const head = (await it.get(`branches/${encodeURIComponent(targetBranch)}/status`)).json;
    expect(head).toMatchObject({ headCheckpoint: (merged.json as { resultCommit: string }).resultCommit });
    expect(await headOf(it.folder)).toBe(it.commit);
  });

  it('are in conflict where others have changed the same, and the conflict is written down once', async () => {
    const it = await studioWith();
    await it.branch('one', { a: 'one\n' });
    await it.branch('two', { a: 'two\n' });
    const [one, two] = [await it.approved('one'), await it.approved('two')];
    await it.post(`merges/${one}/apply`);
    const first = await it.post(`merges/${two}/apply`);
    expect(first).toMatchObject({
      ...refused(409, 'reject.merge_conflict'),
      json: { details: { proposalId: two, conflicts: [{ path: 'a', kind: 'contents' }] } },
    });
    expect((await it.post(`merges/${two}/apply`)).json).toMatchObject({
      details: { conflictId: (first.json as { details: { conflictId: string } }).details.conflictId },
    });
    expect((await it.get(`merges/${two}`)).json).toMatchObject({ status: 'Approved' });
    expect((await it.get('branches/two/status')).json).toMatchObject({ status: 'conflicted' });
    expect(await readFile(join(it.folder, 'a'), 'utf8')).toBe('one\n');
  });

  it('fault 20: of many that land at once each lands once', async () => {
    const it = await studioWith();
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      await it.branch(`b${n}`, { [`f${n}`]: `${n}` });
      ids.push(await it.approved(`b${n}`));
    }
    const answers = await Promise.all(
      ids.flatMap((id) => [it.post(`merges/${id}/apply`), it.post(`merges/${id}/apply`)]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...ids.map(() => 200), ...ids.map(() => 409)]);
    expect((await git(it.folder, 'ls-files')).split('\n').length).toBe(8);
    expect(await git(it.folder, 'log', '--first-parent', '--format=%s')).toHaveLength(
      'take b0\n'.length * 6 + 'first'.length,
    );
  });

  it('fault 22: follow their table, and say where they are when they are refused', async () => {
    const it = await studioWith();
    await it.branch('one', { a: 'x' });
    const id = await it.propose('one');
    // It could not land either, which nobody has to end.
    await git(it.folder, 'rm', '--quiet', 'a');
    await git(it.folder, 'commit', '--quiet', '-m', 'without a');
    expect(await it.post(`merges/${id}/apply`)).toMatchObject(refused(409, 'reject.wrong_state'));
    expect((await it.get('conflicts')).json).toMatchObject({ count: 0 });
    expect(await it.post(`merges/${id}/review`, { decision: 'Rejected' })).toMatchObject(
      refused(400, 'reject.invalid_input'),
    );
    await it.post(`merges/${id}/review`, { decision: 'Rejected', notes: 'no' });
    for (const [verb, body] of [
      ['review', { decision: 'Approved' }],
      ['validate', {}],
      ['apply', {}],
    ] as const)
      expect(await it.post(`merges/${id}/${verb}`, body)).toMatchObject({
        status: 409,
        json: { code: 'reject.wrong_state', details: { status: 'Rejected' } },
      });
    await it.branch('two', { 'dir/b': 'x' });
    const landed = await it.approved('two');
    expect((await it.post(`merges/${landed}/apply`)).json).toMatchObject({ status: 'Merged' });
    for (const [verb, body] of [
      ['apply', {}],
      ['review', { decision: 'Approved' }],
      ['review', { decision: 'Rejected', notes: 'too late' }],
    ] as const)
      expect(await it.post(`merges/${landed}/${verb}`, body)).toMatchObject({
        status: 409,
        json: { code: 'reject.wrong_state', details: { status: 'Merged' } },
      });
    for (const verb of ['validate', 'apply', 'retry', 'restore-workspace'])
      expect(await it.post(`merges/none/${verb}`)).toMatchObject(refused(404, 'reject.proposal_not_found'));
  });

  it('go back with what the branch began with, or keep its files', async () => {
    const it = await studioWith();
    const unit = await unitOf(it);
    await it.post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'a', content: 'x\n' }] });
    const id = await it.propose('-', 'main', { workUnitId: unit.workUnitId });
    const folder = ((await it.post(`branches/${unit.branchId}/checkout`)).json as { workingDirectory: string })
      .workingDirectory;
    await writeFile(join(folder, 'by-hand'), 'kept');
    await it.post(`merges/${id}/review`, { decision: 'Rejected', notes: 'no', restartMode: 'Revert' });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('1\n');
    const before = `${branchRef(unit.branchId)}~1`;
    expect(await git(await storeOf(it.studio), 'show', `${before}:by-hand`)).toBe('kept');
    const restored = await it.post(`merges/${id}/restore-workspace`);
    const { branchId } = restored.json as { branchId: string };
    expect(branchId).toMatch(new RegExp(`^restore/${id}-\\d{14}$`));
    expect((await it.get(`workunits/${unit.workUnitId}`)).json).toMatchObject({
      proposalCount: 1,
      executionInfo: { humanReviewRejectionCount: 1 },
    });
    expect((await it.post(`merges/${id}/retry`)).json).toEqual({ outcome: 'RetriedWorkers' });
    const other = (await it.post(`merges/${id}/branch`, { goal: 'another way', profileId: 'worker' })).json;
    const { workUnitId } = other as { workUnitId: string };
    const made = (await it.get(`workunits/${workUnitId}`)).json as { branchId: string };
    expect(made).toMatchObject({
      branchedFromProposalId: id,
      parentWorkUnitId: unit.workUnitId,
      status: 'Queued',
    });
    await it.post(`branches/${made.branchId}/checkout`);
    expect((await it.get(`branches/${made.branchId}/status`)).json).toMatchObject({ headCheckpoint: it.commit });
  });

  it('of work that has failed end it when a person lands them, and its failure is dealt with', async () => {
    const it = await studioWith();
    const { workUnitId, branchId } = await unitOf(it);
    await it.post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content: 'x\n' }] });
    const failure = async () => ((await it.get('dead-letter')).json as { entryId: string }[])[0];
    while (!(await failure())) {
      const id = await it.propose('-', 'main', { workUnitId });
      await it.post(`merges/${id}/review`, { decision: 'Rejected', notes: 'not so' });
    }
    const { entryId } = (await failure())!;
    const started = await it.post('sessions', { rootWorkUnitId: workUnitId, profileIds: ['worker'] });
    const { sessionId } = started.json as { sessionId: string };
    await it.post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content: 'by hand\n' }] });
    const byHand = await it.approved('-', 'main', { workUnitId });
    expect((await it.get(`workunits/${workUnitId}`)).json).toMatchObject({ status: 'DeadLettered' });
    expect((await it.post(`merges/${byHand}/apply`)).json).toMatchObject({ status: 'Merged' });
    expect((await it.get(`workunits/${workUnitId}`)).json).toMatchObject({ status: 'Merged' });
    expect(await failure()).toBeUndefined();
    expect((await it.get(`dead-letter/${entryId}`)).json).toMatchObject({ resolution: 'Landed' });
    expect(await it.post(`dead-letter/${entryId}/retry`)).toMatchObject(refused(409, 'reject.wrong_state'));
    const events = (await it.get(`sessions/${sessionId}/events`)).json as { kind: string }[];
    expect(events.filter(({ kind }) => kind === 'DeadLetterResolved')).toMatchObject([
      { workUnitId, by: 'operate', payloadJson: expect.stringContaining('"Landed"') as string },
    ]);
  });

  it('are decided about, which moves them, is noted with what was considered, and speaks for the work', async () => {
    const it = await studioWith();
    const unit = await unitOf(it);
    const { workUnitId } = unit;
    await it.post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'n', content: 'x\n' }] });
    const [one, two] = [await it.propose('-', 'main', { workUnitId }), await it.propose('-', 'main', { workUnitId })];
    const known = await it.post('artifacts', { workUnitId, type: 'Research', title: 't', body: 'b' });
    const { artifactId } = known.json as { artifactId: string };
    expect((await it.get(`workspace-status?workUnitId=${workUnitId}`)).json).toMatchObject({
      changedFiles: [one, two].map((proposalId) => ({ path: 'n', changeKind: 'Added', proposalId })),
      proposalSummaries: [{ addedFiles: ['n'], addedLines: 1, removedLines: 0 }, { proposalId: two }],
    });
    expect((await it.get(`models/compare?proposalIdA=${one}&proposalIdB=${two}`)).json).toMatchObject({
      divergedFiles: [],
    });
    const review = { decision: 'Approved', consideredArtifactIds: [artifactId] };
    await it.post(`merges/${one}/review`, review);
    expect((await it.get(`artifacts/${artifactId}/feedback`)).json).toMatchObject({
      consideredIn: [{ proposalId: one, decision: 'Approved' }],
    });
    const missing = await it.post(`merges/${two}/review`, { ...review, consideredArtifactIds: ['none'] });
    expect(missing).toMatchObject(refused(404, 'reject.artifact_not_found'));
    const decided = await it.post('decisions', { proposalId: two, outcome: 'Rejected', rationale: 'no' });
    expect(decided.json).toMatchObject({ proposalId: two, outcome: 'Rejected' });
    expect((await it.get(`merges/${two}`)).json).toMatchObject({ status: 'Rejected', reviewNotes: 'no' });
    const against = await it.post('decisions', { proposalId: two, outcome: 'Accepted' });
    expect(against).toMatchObject(refused(409, 'reject.wrong_state'));
    expect((await it.get(`evidence?workUnitId=${workUnitId}`)).json).toMatchObject({
      evidence: [{ kind: 'PolicyEvaluation', success: true, proposalId: one }],
    });
    expect((await it.get(`projections/MergeProposal?workUnitId=${workUnitId}`)).json).toMatchObject({
      data: { reviewStatus: { [one]: 'Approved', [two]: 'Rejected' } },
    });
  });

  it('for the user wait on the candidate branch where that is wanted, unless their work goes past it', async () => {
    const it = await studioWith();
    await it.post('options', { usePromotionBranch: true });
    const past = await unitOf(it, { bypassPromotionBranch: true });
    await it.post(`branches/${past.branchId}/resync-files`, { files: [{ path: 'past', content: '' }] });
    await it.branch('one', { a: 'one\n' });
    await it.branch('two', { a: 'two\n' });
    const ids = [
      await it.approved('-', 'main', { workUnitId: past.workUnitId }),
      await it.approved('one'),
      await it.approved('two'),
    ];
    const landed = [await it.post(`merges/${ids[0]}/apply`), await it.post(`merges/${ids[1]}/apply`)];
    expect(landed.map(({ json }) => json)).toMatchObject([
      { promotedToDisk: true, landedOnCandidateBranch: false },
      { promotedToDisk: false, landedOnCandidateBranch: true, targetBranch: 'main' },
    ]);
    expect(await readFile(join(it.folder, 'a'), 'utf8')).toBe('1\n');
    expect(await it.post(`merges/${ids[2]}/apply`)).toMatchObject(refused(409, 'reject.merge_conflict'));
    expect((await it.get('branches/candidate/conflicts')).json).toMatchObject([
      { proposalId: ids[2], winningProposalId: ids[1], targetBranch: 'candidate' },
    ]);
    expect((await it.post('branches/candidate/promote')).json).toMatchObject({ proposalIds: [ids[1]] });
    expect(await readFile(join(it.folder, 'a'), 'utf8')).toBe('one\n');
  });

  it('need a person where people decide, and do not where agents may', async () => {
    const it = await studioWith();
    const yes = { decision: 'Approved', automated: true, verificationResults: 'all green' };
    for (const [workspaceReviewPolicy, status] of [
      ['HumanRequired', 409],
      ['AgentApproval', 200],
    ] as const) {
      const unit = await unitOf(it, { workspaceReviewPolicy });
      await it.post(`branches/${unit.branchId}/resync-files`, {
        files: [{ path: workspaceReviewPolicy, content: '' }],
      });
      const id = await it.propose('-', 'main', { workUnitId: unit.workUnitId });
      expect((await it.post(`merges/${id}/review`, yes)).json).toMatchObject({ status: 'Approved', autoApplied: true });
      expect((await it.post(`merges/${id}/apply`)).status).toBe(status);
    }
  });

  it('show what they do to each file, and beside another one', async () => {
    const it = await studioWith({ a: '1\n2\n3\n', bin: '\0' });
    await it.branch('one', { a: '1\nX\n3\n', bin: '\0\0', new: 'n' });
    await it.branch('two', { a: 'Z\n2\n3\n', other: '' });
    const [one, two] = [await it.propose('one'), await it.propose('two')];
    const { fileChanges } = (await it.get(`merges/${one}/file-changes`)).json as { fileChanges: object[] };
    expect(fileChanges).toEqual([
      {
        path: 'a',
        changeKind: 'Modified',
        beforeContent: '1\n2\n3\n',
        afterContent: '1\nX\n3\n',
        hunks: [
          {
            header: '@@ -1,3 +1,3 @@',
            lines: [
              { kind: 'context', text: '1' },
              { kind: 'removed', text: '2' },
              { kind: 'added', text: 'X' },
              { kind: 'context', text: '3' },
            ],
          },
        ],
      },
      { path: 'bin', changeKind: 'Modified', hunks: [] },
      expect.objectContaining({ path: 'new', changeKind: 'Added', afterContent: 'n' }),
    ]);
    expect((await it.get(`merges/compare?ids=${one},${two}`)).json).toMatchObject({
      proposalIdA: one,
      proposalIdB: two,
      overlappingFiles: ['a'],
      diffA: expect.stringContaining('+X') as string,
      diffB: expect.stringContaining('+Z') as string,
    });
    expect(await it.get(`merges/compare?ids=${one}`)).toMatchObject(refused(400, 'reject.invalid_input'));
    expect((await it.get(`merges/${one}/constituents`)).json).toEqual([]);
  });

  it('can be read when they are very long: the patch is cut and says so, and what is left out is files', async () => {
    const it = await studioWith({ a: '1\n' });
    const long = 'a line of a very long file\n'.repeat(340_000);
    await it.branch('one', { a: '2\n', long, z: 'short\n' });
    const id = await it.propose('one');
    const { workspaceChanges } = (await it.get(`merges/${id}`)).json as { workspaceChanges: string };
    expect(workspaceChanges).toMatch(/\+a line of a very long file\n\(The patch goes on, and is cut here: .*\)\n$/);
    const { fileChanges } = (await it.get(`merges/${id}/file-changes`)).json as { fileChanges: object[] };
    expect(fileChanges).toMatchObject([
      { path: 'a', beforeContent: '1\n', afterContent: '2\n', hunks: [{ header: '@@ -1 +1 @@' }] },
      { path: 'long', changeKind: 'Added', hunks: [{ header: '@@ -0,0 +1,340000 @@' }] },
      { path: 'z', changeKind: 'Added', afterContent: 'short\n', hunks: [] },
    ]);
    expect(fileChanges[1]).not.toHaveProperty('afterContent');
  });

  it('are refused with what to do when they change more files than a record can name', async () => {
    const it = await studioWith();
    const long = Array.from({ length: 15 }, () => 'x'.repeat(200)).join('/');
    await it.branch('one', Object.fromEntries(Array.from({ length: 180 }, (_, n) => [`${n}/${long}`, ''])));
    const { status, json } = await it.post('merges', { sourceBranch: 'one', targetBranch: 'main', summary: 's' });
    expect(status).toBe(422);
    expect(json).toMatchObject({ code: 'reject.too_many_files', details: { files: 180 } });
    expect((json as { recovery: string[] }).recovery).toEqual([expect.stringContaining('ignore')]);
    expect((await it.get('merges')).json).toEqual([]);
  });

  it('are answered once to a command that names itself', async () => {
    const it = await studioWith();
    await it.branch('one', { a: 'x' });
    const ask = () =>
      it.studio.call('POST', '/studio/merges', {
        body: { sourceBranch: 'one', targetBranch: 'main', summary: 's' },
        headers: { 'x-command-id': 'c-1' },
      });
    const [first, second] = [await ask(), await ask()];
    expect(second.json).toEqual(first.json);
    expect((await it.get('merges')).json).toHaveLength(1);
  });

  it('fault 24: are refused when they move a submodule', async () => {
    const it = await studioWith();
    await git(it.folder, 'update-index', '--add', '--cacheinfo', `160000,${it.commit},sub`);
    await git(it.folder, 'commit', '--quiet', '-m', 'sub');
    await it.branch('one', { a: 'x' });
    expect((await it.post('merges', { sourceBranch: 'one', targetBranch: 'main', summary: 's' })).status).toBe(200);
    await it.branch('two', { sub: 'a file now' });
    expect(await it.post('merges', { sourceBranch: 'two', targetBranch: 'main', summary: 's' })).toMatchObject(
      refused(422, 'reject.submodule'),
    );
  });
});
