import { describe, expect, it } from 'vitest';
import { git, writeFiles } from '../testing/git/git-repository.js';
import { isTold, workInConflict } from '../testing/work/work-in-conflict.js';
import { askForFile } from '../rules/queue/file-leases.js';
import { bringUpToDate } from '../rules/proposals/bring-up-to-date.js';
import { mayBeginReconciler, ownWorker } from '../rules/proposals/own-worker.js';
import { mergeProposal } from '../record/aggregates/merge-proposal/merge-proposal.js';
import { conversationEntry } from '../record/aggregates/conversation-entry/conversation-entry.js';
import { conflict } from '../record/aggregates/conflict/conflict.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { workUnit } from '../record/aggregates/work-unit/work-unit.js';
import type { BranchContext } from '../rules/branches/branch-context.js';
import { branchRef, broughtInRef } from '../workspace/git/objects/ref-names.js';

describe('work that cannot land', () => {
  it('is brought up to date by whoever did it, in the same conversation, with both sides at hand', async () => {
    const { atWork, records, run, statusOf, file, asked, told } = await workInConflict({
      files: { 'do a': { 'a.txt': 'a\n', 'of-a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n', 'of-b.txt': 'b\n' } },
      again: [{ 'a.txt': 'a and b\n' }],
    });
    const id = await run('All of it', ['do a', 'do b']);
    await atWork.until(() => statusOf(id) === 'Merged');
    expect(await Promise.all(['a.txt', 'of-a.txt', 'of-b.txt'].map(file))).toEqual(['a and b\n', 'a\n', 'b\n']);
    const parts = records.workUnits.where('parent', id);
    expect(parts.map(({ status }) => status)).toEqual(['Merged', 'Merged']);
    const [conflict, ...others] = records.conflicts.all();
    expect(others).toEqual([]);
    const { workUnitId, proposalId: before, winningProposalId } = conflict!;
    expect(conflict).toMatchObject({
      status: 'Resolved',
      reconcilingWorkUnitId: workUnitId,
      conflictingPaths: ['a.txt'],
    });
    const [old, renewed, ...later] = records.proposals.where('workUnit', workUnitId!);
    expect(later).toEqual([]);
    expect([old, renewed]).toMatchObject([
      { proposalId: before, status: 'Superseded', supersededBy: renewed?.proposalId },
      { reconciledFrom: [before], filesTouched: expect.arrayContaining(['a.txt']) as unknown },
    ]);
    expect(conflict?.resolvedBy).toBe(renewed?.proposalId);
    const [again, ...more] = told();
    expect(more).toEqual([]);
    const first = asked.find((one) => one.workUnitId === workUnitId && one.role === 'worker');
    expect(again?.request.messages.slice(0, first!.request.messages.length)).toEqual(first!.request.messages);
    expect([again?.request.system, again?.request.tools]).toEqual([first!.request.system, first!.request.tools]);
    expect(again?.turn).toBe(1);
    const other = records.proposals.get(winningProposalId!)!;
    for (const part of [other.summary, '-1\n+a\n', '-1\n+b\n', before, 'Changed on both sides: a.txt'])
      expect(again?.said).toContain(part);
    expect(records.orchestrationDecisions.where('workUnit', workUnitId!).map(({ reason }) => reason)).toContain(
      `${before} and merge/${id} have both changed a.txt: whoever proposed it brings it up to date`,
    );
  });

  it('is not proposed as long as it has the marks of the conflict, which name both sides', async () => {
    const seen: string[] = [];
    const { atWork, records, run, statusOf } = await workInConflict({
      files: { 'do a': { 'a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n' } },
      again: [{}, { 'a.txt': 'a and b\n' }],
      before: async (asked) => {
        if (!isTold(asked)) return;
        const { branchId } = asked;
        const read = (await atWork.call('workspace.read', { branchId, path: 'a.txt' })) as { content: string };
        seen.push(read.content);
      },
    });
    const id = await run('All of it', ['do a', 'do b']);
    await atWork.until(() => statusOf(id) === 'Merged');
    const [{ workUnitId = '', winningProposalId = '' } = {}] = records.conflicts.all();
    const isFirst = records.proposals.get(winningProposalId)?.goal === 'do a';
    const [there, own] = isFirst ? ['a', 'b'] : ['b', 'a'];
    const marked = `<<<<<<< merge/${id}\n${there}\n=======\n${own}\n>>>>>>> ${workUnitId}\n`;
    expect(seen).toEqual([marked, marked]);
    const results = records.conversationEntries.where('workUnit', workUnitId).flatMap((one) => one.toolResults);
    expect(results.filter(({ isError }) => isError).map(({ result }) => result)).toEqual([
      expect.stringContaining('a.txt still has the marks of the conflict: bring both sides together there'),
    ]);
  });

  it('is not done by what is found out about it, where it may also end with that', async () => {
    let isFoundOut = false;
    const { atWork, records, run, statusOf, file } = await workInConflict({
      expects: 'Either',
      files: { 'do a': { 'a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n' } },
      first: (asked) => {
        if (isFoundOut || !isTold(asked)) return undefined;
        isFoundOut = true;
        return { calls: [['artifact_record', { type: 'Research', title: 'Why', body: 'Both are needed.' }]] };
      },
      again: [{ 'a.txt': 'a and b\n' }],
    });
    const id = await run('All of it', ['do a', 'do b']);
    await atWork.until(() => statusOf(id) === 'Merged');
    expect(isFoundOut).toBe(true);
    expect(await file('a.txt')).toBe('a and b\n');
    expect(records.workUnits.where('parent', id).map(({ status }) => status)).toEqual(['Merged', 'Merged']);
    expect(records.conflicts.all()).toMatchObject([{ status: 'Resolved' }]);
  });

  it('waits for a person where a person has committed the other side, though agents landed there before', async () => {
    let isCommitted = false;
    const { atWork, records, run, statusOf, file, user } = await workInConflict({
      files: { 'Set a': { 'a.txt': 'a\n' }, 'Set b': { 'a.txt': 'b\n' } },
      again: [{ 'a.txt': 'mine and b\n' }],
      before: async ({ goal, branchId }) => {
        if (goal !== 'Set b' || isCommitted) return;
        isCommitted = true;
        const files = [{ path: 'a.txt', content: 'b\n' }];
        await atWork.call('branch.resyncFiles', { branchId, files, deletedPaths: [] });
        await writeFiles(user, { 'a.txt': 'mine\n' });
        await git(user, 'commit', '-am', 'Mine');
      },
    });
    const first = await run('Set a');
    await atWork.until(() => statusOf(first) === 'Merged');
    const id = await run('Set b');
    const newest = () => records.proposals.where('workUnit', id).at(-1);
    await atWork.until(
      () => newest()?.status === 'ReadyForReview' && records.conflicts.all()[0]?.status === 'Resolved',
    );
    await atWork.settled();
    expect(records.workUnits.get(id)).toMatchObject({ workspaceReviewPolicy: 'HumanRequired' });
    expect(await file('a.txt')).toBe('mine\n');
    const { proposalId } = newest()!;
    await atWork.call('merge.review', { proposalId, decision: 'Approved' });
    await atWork.call('merge.apply', { proposalId });
    expect(await file('a.txt')).toBe('mine and b\n');
  });

  it('is brought up to date on the candidate branch likewise, and promoted with the rest', async () => {
    let hasLanded = (): void => undefined;
    const landed = new Promise<void>((resolve) => (hasLanded = resolve));
    const { atWork, records, run, statusOf, file, told } = await workInConflict({
      files: { 'Set a': { 'a.txt': 'a\n', 'of-a.txt': 'a\n' }, 'Set b': { 'a.txt': 'b\n', 'of-b.txt': 'b\n' } },
      again: [{ 'a.txt': 'a and b\n' }],
      before: async (asked) => {
        if (asked.goal === 'Set b' && !isTold(asked)) await landed;
      },
    });
    await atWork.call('option.change', { usePromotionBranch: true });
    const [first, second] = [await run('Set a'), await run('Set b')];
    await atWork.until(() => statusOf(first) === 'Merged');
    hasLanded();
    await atWork.until(() => statusOf(second) === 'Merged');
    expect(told()).toHaveLength(1);
    expect(records.conflicts.all()).toMatchObject([
      { kind: 'candidate', targetBranch: 'candidate', status: 'Resolved', reconcilingWorkUnitId: second },
    ]);
    const [old, renewed, ...later] = records.proposals.where('workUnit', second);
    expect(later).toEqual([]);
    expect([old, renewed]).toMatchObject([
      { status: 'Superseded', supersededBy: renewed?.proposalId },
      { targetBranch: 'candidate', status: 'Merged', landedOnCandidateBranch: true, promotedToDisk: false },
    ]);
    // Nothing of it has come to the user so far.
    expect(await file('a.txt')).toBe('1\n');
    await atWork.call('candidate.promote', {});
    expect(await Promise.all(['a.txt', 'of-a.txt', 'of-b.txt'].map(file))).toEqual(['a and b\n', 'a\n', 'b\n']);
  });

  it('is brought together by work of its own where nobody made it in a conversation', async () => {
    const { atWork, records, inConflict, newestOf } = await workInConflict({
      files: { 'do a': { 'a.txt': 'a\n', 'of-a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n', 'of-b.txt': 'b\n' } },
      reconciled: { 'a.txt': 'a and b\n' },
    });
    const { id, conflict, goOn } = await inConflict('a person');
    const losing = conflict.workUnitId!;
    await atWork.ledger.change('ann', (change) => askForFile(change, records, losing, 'a.txt'));
    await goOn();
    await atWork.until(() => records.workUnits.where('parent', id).length === 3);
    // Whoever brings it together may write the file at once.
    expect(records.fileLeases.where('unit', losing)).toEqual([]);
    const [, , third] = records.workUnits.where('parent', id);
    expect(third).toMatchObject({ reconciliationSourceProposalIds: [conflict.proposalId] });
    await atWork.until(() => newestOf(third!.workUnitId)?.status === 'ReadyForReview');
    await atWork.call('merge.review', { proposalId: newestOf(third!.workUnitId).proposalId, decision: 'Approved' });
    await atWork.until(() => records.workUnits.where('parent', id).every(({ status }) => status === 'Merged'));
    const store = await atWork.shared.disk.stores.of(conflict.repositoryId);
    const head = await store.at(branchRef(conflict.targetBranch));
    const textAt = async (path: string): Promise<string> =>
      (await store.read((await store.entry(head!, path))!.id)).toString();
    expect(await Promise.all(['a.txt', 'of-a.txt', 'of-b.txt'].map(textAt))).toEqual(['a and b\n', 'a\n', 'b\n']);
  });

  it('is brought together by the same work where a person takes that up again, and by no other beside it', async () => {
    let goes: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goes = resolve));
    const { atWork, records, inConflict, newestOf, statusOf } = await workInConflict({
      files: { 'do a': { 'a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n' } },
      reconciled: { 'a.txt': 'a and b\n' },
      before: async ({ role }) => (role === 'reconciler' ? held : undefined),
    });
    const { id, conflict, goOn } = await inConflict('a person');
    await goOn();
    const parts = (): WorkUnit[] => records.workUnits.where('parent', id);
    await atWork.until(() => parts().length === 3);
    const { workUnitId } = parts()[2]!;
    const standing = () => records.conflicts.get(conflict.conflictId);
    await atWork.call('workunit.cancel', { workUnitId });
    expect(standing()).toMatchObject({ status: 'Open' });
    await atWork.call('requeue.requeue', { workUnitId });
    expect(standing()).toMatchObject({ status: 'Reconciling', reconcilingWorkUnitId: workUnitId });
    goes();
    await atWork.until(() => newestOf(workUnitId)?.status === 'ReadyForReview');
    await atWork.call('merge.review', { proposalId: newestOf(workUnitId).proposalId, decision: 'Approved' });
    await atWork.until(() => parts().every(({ status }) => status === 'Merged'));
    expect(parts()).toHaveLength(3);
    expect(standing()).toMatchObject({ status: 'Resolved', resolvedBy: newestOf(workUnitId).proposalId });
    expect(statusOf(conflict.workUnitId!)).toBe('Merged');
  });

  it('is brought together anew, from what is proposed then, where its whole goal is taken up again', async () => {
    const { atWork, records, inConflict, newestOf, statusOf } = await workInConflict({
      files: { 'do a': { 'a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n' } },
      again: [{ 'a.txt': 'a and b\n' }],
      before: ({ role }) => (role === 'reconciler' ? new Promise(() => undefined) : Promise.resolve()),
    });
    const { id, conflict, goOn } = await inConflict('agents');
    const losing = conflict.workUnitId!;
    await atWork.call('conflict.reconcileTask', { workUnitId: losing, conflictId: conflict.conflictId });
    const { workUnitId: other } = records.workUnits.where('parent', id)[2]!;
    await goOn();
    await atWork.call('workunit.cancel', { workUnitId: id });
    expect(await atWork.call('requeue.requeue', { workUnitId: id })).toEqual({ requeuedWorkUnitIds: [id, losing] });
    await expect(atWork.call('requeue.requeue', { workUnitId: other })).rejects.toMatchObject({
      reason: 'reject.wrong_state',
    });
    // It is in conflict again with what has landed, and its own worker brings it up to date.
    for (const proposes of [conflict.proposalId, undefined]) {
      const before = proposes ?? newestOf(losing).proposalId;
      const isNew = (): boolean =>
        newestOf(losing).proposalId !== before && newestOf(losing).status === 'ReadyForReview';
      await atWork.until(isNew);
      await atWork.call('merge.review', { proposalId: newestOf(losing).proposalId, decision: 'Approved' });
    }
    await atWork.until(() => statusOf(id) === 'Merged');
    expect([statusOf(losing), statusOf(other)]).toEqual(['Merged', 'Cancelled']);
    expect(records.conflicts.all().map(({ status }) => status)).toEqual(['Resolved', 'Resolved']);
  });

  it('is merged once for a conflict, however often it is begun, though the target has moved on', async () => {
    const { atWork, records, inConflict, statusOf, newestOf, told } = await workInConflict({
      files: { 'do a': { 'a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n' } },
      again: [{ 'a.txt': 'a and b\n' }],
    });
    const { id, conflict, goOn } = await inConflict('agents');
    const { ledger, shared } = atWork;
    const context = { ...shared, change: (run: Parameters<typeof ledger.change>[1]) => ledger.change('host', run) };
    const worker = ownWorker(records, conflict)!;
    // The host dies before it is recorded.
    await bringUpToDate(context as BranchContext, conflict, { worker, choice: {} });
    const store = await shared.disk.stores.of(conflict.repositoryId);
    const merged = await store.at(broughtInRef(conflict.conflictId));
    const branch = branchRef(records.workUnits.get(worker.workUnitId)!.branchId);
    expect(await store.at(branch)).toBe(merged);
    const target = branchRef(conflict.targetBranch);
    const before = (await store.at(target))!;
    const tree = await store.edit(before, [{ path: 'b.txt', content: '2\n' }]);
    const after = await store.commit({ tree, parents: [before], message: 'More', at: '2026-01-01T00:00:00Z' });
    await store.move(target, before, after);
    await goOn();
    await atWork.until(() => newestOf(worker.workUnitId).reconciledFrom.length > 0);
    expect(records.conflicts.get(conflict.conflictId)).toMatchObject({ broughtIn: { commit: merged, target: before } });
    expect(told()).toHaveLength(1);
    await atWork.until(() => newestOf(worker.workUnitId).status === 'ReadyForReview');
    await atWork.call('merge.review', { proposalId: newestOf(worker.workUnitId).proposalId, decision: 'Approved' });
    await atWork.until(() => statusOf(id) === 'Merged');
    expect(records.workUnits.where('parent', id)).toHaveLength(2);
  });

  it('is done by others when its own worker may not write what is in conflict, or has tried twice; after two more a person decides', async () => {
    const { atWork, records, inConflict } = await workInConflict({
      files: { 'do a': { 'a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n' } },
    });
    const { conflict: found } = await inConflict('agents');
    const { workUnitId, run } = ownWorker(records, found)!;
    expect([workUnitId, run]).toEqual([found.workUnitId, 1]);
    // A turn that a program tells of afterwards is in no conversation that could go on.
    const told = { workUnitId, agentId: records.proposals.get(found.proposalId)!.agentId!, agentRole: 'Execute' };
    const turn = { logId: 'told', cycleNumber: 9, provider: 'p', model: 'm', toolCalls: [], toolResults: [] };
    await atWork.ledger.change('ann', (one) => one.run(conversationEntry, 'told', 'record', { ...told, ...turn }));
    expect(ownWorker(records, found)).toMatchObject({ workUnitId, run });
    const scope = (fileScope: string[]) =>
      atWork.ledger.change('ann', (one) => one.run(workUnit, workUnitId, 'scope', { fileScope }));
    await scope(['b.txt']);
    expect(ownWorker(records, found)).toBeUndefined();
    await scope(['*.txt']);
    for (const conflictId of ['c-1', 'c-2']) {
      expect(ownWorker(records, found)).toMatchObject({ workUnitId });
      const { status: _status, detectedAt: _at, ...given } = found;
      await atWork.ledger.change('ann', (one) => {
        one.run(conflict, conflictId, 'detect', { ...given, conflictId });
        const broughtIn = { target: 't', commit: 'c' };
        one.run(conflict, conflictId, 'reconcile', { workUnitId, broughtIn });
        one.run(conflict, conflictId, 'resolve', { proposalId: 'MP-x' });
      });
    }
    expect(ownWorker(records, found)).toBeUndefined();
    let last = found;
    for (const isLast of [false, false, true]) {
      expect(mayBeginReconciler(records, last)).toBe(!isLast);
      if (isLast) break;
      const before = last.proposalId;
      const { workUnitId: other } = (await atWork.call('workunit.create', { goal: 'both', owner: 'ann' })) as WorkUnit;
      await atWork.ledger.change('ann', (one) => {
        const id = one.newId('wu-');
        const {
          status: _s,
          createdAt: _c,
          updatedAt: _u,
          workspaceId: _w,
          executionInfo: _e,
          fanOutInfo: _f,
          ...given
        } = records.workUnits.get(other)!;
        const proposalId = one.newId('MP-');
        one.run(workUnit, id, 'create', { ...given, workUnitId: id, reconciliationSourceProposalIds: [before] });
        const proposal = records.proposals.get(before)!;
        one.run(mergeProposal, proposalId, 'propose', { ...proposal, proposalId, workUnitId: id });
        last = { ...last, proposalId };
      });
    }
  });

  it('is taken from its worker by a person who has other work begun for it, or who says what comes of it', async () => {
    for (const way of ['reconcile', 'resolve'] as const) {
      let isAsked: () => void = () => undefined;
      let goes: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => (isAsked = resolve));
      const held = new Promise<void>((resolve) => (goes = resolve));
      const { atWork, records, inConflict, statusOf } = await workInConflict({
        files: { 'do a': { 'a.txt': 'a\n' }, 'do b': { 'a.txt': 'b\n' } },
        reconciled: { 'a.txt': 'a and b\n' },
        before: async (one) => {
          if (one.role !== 'worker' || !isTold(one)) return;
          isAsked();
          await held;
        },
      });
      const { conflict: found, goOn } = await inConflict('agents');
      const workUnitId = found.workUnitId!;
      const standing = async (): Promise<unknown> => {
        const { goalId } = records.goals.all()[0]!;
        return ((await atWork.call('external-goal.status', { goalId })) as { conflicts: unknown }).conflicts;
      };
      const what = `${found.proposalId} and ${found.targetBranch} have both changed a.txt`;
      expect(await standing()).toEqual([`${what}: nobody yet`]);
      await goOn();
      await asked;
      expect(await standing()).toEqual([`${what}: ${workUnitId} brings its own work up to date`]);
      expect(statusOf(workUnitId)).toBe('Executing');
      const about = { workUnitId, conflictId: found.conflictId };
      if (way === 'reconcile') await atWork.call('conflict.reconcileTask', about);
      else await atWork.call('conflict.resolveTask', { ...about, files: { 'a.txt': 'a and b\n' } });
      expect(statusOf(workUnitId)).toBe(way === 'reconcile' ? 'Reviewing' : 'Merged');
      goes();
      await atWork.settled();
      expect(records.scheduledItems.get(workUnitId)?.place).toBe('removed');
    }
  });
});
