/** What people decide of a conflict, or of its work, while whoever proposed it brings it up to date. */
import { describe, expect, it } from 'vitest';
import { mergeProposal } from '../record/aggregates/merge-proposal/merge-proposal.js';
import { sendBack } from '../rules/proposals/review.js';
import { pass } from '../rules/proposals/trial.js';
import { branchRef } from '../workspace/git/objects/ref-names.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { requestFor } from '../testing/doors/rest-request.js';
import { frontOver } from '../testing/doors/test-front.js';
import { isTold, workInConflict } from '../testing/work/work-in-conflict.js';

interface State {
  readonly stateId: string;
}

/** Two parts in conflict, one of which is being brought up to date: its worker is held until `goes` is called. */
async function beingBroughtUpToDate() {
  let isAsked: () => void = () => undefined;
  let goes: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const held = new Promise<void>((resolve) => (goes = resolve));
  const rig = await workInConflict({
    files: { 'do a': { 'a.txt': 'a\n', 'of-a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n', 'of-b.txt': 'b\n' } },
    again: [{ 'a.txt': 'a and b\n' }, { 'a.txt': 'a and b\n' }],
    reconciled: { 'a.txt': 'a and b\n' },
    before: async (one) => {
      if (one.role !== 'worker' || !isTold(one)) return;
      isAsked();
      await held;
    },
  });
  const { atWork, records, newestOf } = rig;
  const { id, conflict: found, goOn } = await rig.inConflict('agents');
  const workUnitId = found.workUnitId!;
  const { branchId } = records.workUnits.get(workUnitId)!;
  const marked = (await atWork.call('state.markKnownGood', { branchId, description: 'done' })) as State;
  await goOn();
  await asked;
  const ofOther = records.workUnits.where('parent', id).find((one) => one.workUnitId !== workUnitId)!;
  const own = ofOther.goal === 'do a' ? 'of-b.txt' : 'of-a.txt';
  const other = ofOther.goal === 'do a' ? 'of-a.txt' : 'of-b.txt';
  const read = async (path: string) =>
    ((await atWork.call('workspace.read', { branchId, path })) as { content: string }).content;
  const { proposalId } = found;
  return {
    ...rig,
    id,
    found,
    workUnitId,
    marked,
    goes,
    own,
    other,
    read,
    conflict: () => records.conflicts.get(found.conflictId)!,
    reject: (restartMode: string) =>
      atWork.call('merge.review', { proposalId, decision: 'Rejected', notes: 'otherwise', restartMode }),
    renewed: async () => {
      await atWork.until(() => newestOf(workUnitId).proposalId !== proposalId);
      return newestOf(workUnitId);
    },
  };
}

/** Its old proposal has landed, and is on trial. */
async function onTrial() {
  const rig = await beingBroughtUpToDate();
  const { ledger, shared } = rig.atWork;
  const { proposalId, targetBranch, repositoryId } = rig.found;
  const from = (await (await shared.disk.stores.of(repositoryId)).at(branchRef(targetBranch)))!;
  const ledgerOf = (work: Parameters<typeof ledger.change>[1]) => ledger.change('host', work);
  await ledgerOf((change) => {
    const { hostId } = change;
    change.run(mergeProposal, proposalId, 'begin', { targetBranch, from, to: from, hostId });
    change.run(mergeProposal, proposalId, 'land', { onDisk: false });
    return change.run(mergeProposal, proposalId, 'tryOut', { hostId });
  });
  return { ...rig, ledgerOf };
}

describe('while work is brought up to date', () => {
  it.each(['Revise', 'Revert'])(
    'a person rejects it (%s): it is done anew, and undoes nothing of the others',
    async (restartMode) => {
      const { reject, goes, renewed, own, conflict, ...rig } = await beingBroughtUpToDate();
      const { atWork, statusOf, newestOf, workUnitId, told, id, file } = rig;
      await reject(restartMode);
      goes();
      const { filesTouched, reconciledFrom, proposalId } = await renewed();
      expect(reconciledFrom).toEqual([]);
      expect(filesTouched.toSorted()).toEqual(['a.txt', own]);
      expect(conflict()).toMatchObject({ status: 'Resolved' });
      await atWork.until(() => newestOf(workUnitId).status === 'ReadyForReview');
      await atWork.call('merge.review', { proposalId, decision: 'Approved' });
      await atWork.until(() => statusOf(id) === 'Merged');
      expect(await Promise.all(['of-a.txt', 'of-b.txt'].map(file))).toEqual(['a\n', 'b\n']);
      if (restartMode === 'Revert') expect(told()).toHaveLength(1);
    },
  );

  it('a person takes its branch back to what it held before: what was brought in stays', async () => {
    const { atWork, marked, read, goes, renewed, own, other, found } = await beingBroughtUpToDate();
    await atWork.call('state.checkoutKnownGood', { stateId: marked.stateId });
    expect(await read('a.txt')).toContain(`<<<<<<< ${found.targetBranch}\n`);
    expect(await read(other)).toBe(`${other === 'of-a.txt' ? 'a' : 'b'}\n`);
    goes();
    expect((await renewed()).filesTouched.toSorted()).toEqual(['a.txt', own].toSorted());
  });

  it('a person has others bring both together, and rejects it then: its branch still has marks, which are not proposed', async () => {
    const { atWork, records, workUnitId, found, reject, goes } = await beingBroughtUpToDate();
    await atWork.call('goal.pause', { goalId: records.goals.all()[0]!.goalId });
    await atWork.call('conflict.reconcileTask', { workUnitId, conflictId: found.conflictId });
    await reject('Revise');
    const { branchId: sourceBranch } = records.workUnits.get(workUnitId)!;
    const about = { sourceBranch, targetBranch: 'main', summary: 'as it is', workUnitId };
    const { front } = frontOver(atWork.shared);
    const answer = await front.fetch(requestFor('POST', '/studio/merges', JSON.stringify(about)));
    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      {
        code: 'reject.merge_conflict',
        error: expect.stringContaining('a.txt still has the marks of the conflict') as unknown,
        details: { paths: ['a.txt'], workUnitId },
      },
    ]);
    expect(records.proposals.where('workUnit', workUnitId)).toHaveLength(1);
    goes();
    await atWork.settled();
  });

  it('a person lands it after all: what is proposed while that is on trial takes nothing of it, and ends with it', async () => {
    const { atWork, records, ledgerOf, found, conflict, goes, renewed, statusOf, workUnitId } = await onTrial();
    goes();
    const { proposalId: later } = await renewed();
    expect(records.proposals.get(found.proposalId)).toMatchObject({ status: 'Merged', onTrial: {} });
    expect(conflict()).toMatchObject({ status: 'Reconciling' });
    await ledgerOf((change) => pass(change, records, found.proposalId));
    expect(conflict()).toMatchObject({ status: 'Resolved', resolvedBy: found.proposalId });
    expect(records.proposals.get(later)).toMatchObject({ status: 'Superseded', supersededBy: found.proposalId });
    expect(statusOf(workUnitId)).toBe('Merged');
    await atWork.settled();
  });

  it('a person lands it after all, and it is taken back: what was proposed meanwhile is there', async () => {
    const { atWork, records, ledgerOf, found, goes, renewed } = await onTrial();
    goes();
    const { proposalId: later } = await renewed();
    await ledgerOf((change) => sendBack(change, records, found.proposalId, 'the tests fail'));
    expect(records.proposals.get(found.proposalId)).toMatchObject({ status: 'Rejected' });
    expect(records.proposals.get(later)?.status).not.toBe('Superseded');
    await atWork.settled();
  });

  it('a person cancels it, and the conflict ends with it; what it had proposed lands no more', async () => {
    const { atWork, workUnitId, conflict, found, goes } = await beingBroughtUpToDate();
    await atWork.call('workunit.cancel', { workUnitId });
    expect(conflict()).toMatchObject({ status: 'Resolved' });
    await expect(atWork.call('merge.apply', { proposalId: found.proposalId })).rejects.toMatchObject({
      reason: 'reject.wrong_state',
      message: expect.stringContaining('is cancelled') as unknown,
    });
    goes();
    await atWork.settled();
  });

  it('a person cancels the work that was to bring both together: the conflict waits for a person again', async () => {
    const { atWork, records, workUnitId, found, conflict, goes } = await beingBroughtUpToDate();
    await atWork.call('goal.pause', { goalId: records.goals.all()[0]!.goalId });
    goes();
    const about = { workUnitId, conflictId: found.conflictId };
    const { workUnitId: by } = (await atWork.call('conflict.reconcileTask', about)) as { workUnitId: string };
    await atWork.call('workunit.cancel', { workUnitId: by });
    await atWork.call('goal.resume', { goalId: records.goals.all()[0]!.goalId });
    await atWork.settled();
    expect(conflict()).toMatchObject({ status: 'Open', reconcilingWorkUnitId: by });
    expect(records.conflicts.where('waiting', 'yes')).toHaveLength(1);
  });

  it('a person has the work that was to bring both together planned anew: its replacement has the conflict', async () => {
    const { atWork, records, workUnitId, found, conflict, goes } = await beingBroughtUpToDate();
    await atWork.call('goal.pause', { goalId: records.goals.all()[0]!.goalId });
    goes();
    const about = { workUnitId, conflictId: found.conflictId };
    const { workUnitId: by } = (await atWork.call('conflict.reconcileTask', about)) as { workUnitId: string };
    const failure = { workUnitId: by, kind: 'Exception', reason: 'no' } as const;
    const { entryId } = await atWork.ledger.change('host', (change) => toDeadLetter(change, records, failure));
    await atWork.call('dead-letter.replan', { entryId });
    const [replacement] = records.workUnits.where('replaces', by);
    expect(conflict()).toMatchObject({ status: 'Reconciling', reconcilingWorkUnitId: replacement!.workUnitId });
    await atWork.settled();
  });
});

it('a person is quicker: what is begun for a conflict while both sides are being merged is not taken from them', async () => {
  const { atWork, records, inConflict, told } = await workInConflict({
    files: { 'do a': { 'a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n' } },
    reconciled: { 'a.txt': 'a and b\n' },
  });
  const { conflict: found, goOn } = await inConflict('agents');
  const { spaces } = atWork.shared.disk;
  const isLost = spaces.isLost.bind(spaces);
  let by: string | undefined;
  spaces.isLost = async (branch) => {
    if (by === undefined && branch.branchId === records.workUnits.get(found.workUnitId!)?.branchId) {
      by = '';
      const about = { workUnitId: found.workUnitId, conflictId: found.conflictId };
      by = ((await atWork.call('conflict.reconcileTask', about)) as { workUnitId: string }).workUnitId;
    }
    return isLost(branch);
  };
  await goOn();
  await atWork.until(() => records.proposals.where('workUnit', by ?? '').length > 0);
  await atWork.settled();
  expect(records.conflicts.get(found.conflictId)?.reconcilingWorkUnitId).toBe(by);
  expect(told()).toEqual([]);
});
