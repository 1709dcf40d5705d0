import { expect, it } from 'vitest';
import { branch } from '../../record/aggregates/branch/branch.js';
import { approve } from './review.js';
import { git } from '../../testing/git/git-repository.js';
import { type TestBranches, branchesOf } from '../../testing/git/test-branches.js';
import { apply } from './apply.js';
import { MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import { propose } from './propose.js';
import { editBranch } from '../branches/save.js';

/** A proposal that everybody agrees to, of a file of that name. */
async function approved(context: TestBranches, name: string, targetBranch: string): Promise<string> {
  const { repositoryId } = context;
  const seedSnapshotId = await headOf(context, await storedBranch(context, MAIN, repositoryId));
  await context.change((change) =>
    change.run(branch, name, 'create', { branchId: name, repositoryId, seedSnapshotId }),
  );
  await editBranch(context, await storedBranch(context, name), [{ path: name, content: 'x' }], name);
  const said = { sourceBranch: name, targetBranch, goal: name, summary: name, changeDescription: name };
  const { proposalId } = await context.change(await propose(context, said));
  const yes = { by: 'ann', automated: false, consideredArtifactIds: [] };
  await context.change((change) => approve(change, proposalId, yes));
  return proposalId;
}

it.each([MAIN, 'candidate'])(
  'fault 20: what lands on %s while that moves lands on top of what is there by then',
  async (target) => {
    const context = await branchesOf({ a: '1' });
    const { store, ref } = await storedBranch(context, target, context.repositoryId);
    const first = await headOf(context, await storedBranch(context, target, context.repositoryId));
    const id = await approved(context, 'one', target);
    let moves = 0;
    // Another one is faster each time, but for the last.
    const change: TestBranches['change'] = async (work) => {
      const told = await context.change(work);
      if (context.records.proposals.get(id)?.landing && ++moves < 4) {
        const from = (await store.at(ref)) ?? first;
        const tree = await store.edit(from, [{ path: `other-${moves}`, content: 'y' }]);
        const to = await store.commit({ tree, parents: [from], message: `other ${moves}`, at: context.now() });
        if (target !== MAIN) await store.move(ref, from, to);
        else await git(context.folder, 'pull', '--quiet', '--ff-only', store.folder, to);
      }
      return told;
    };
    const slower = { ...context, change };
    await apply(slower, id, (record) => context.change(record));
    const log = await git(
      store.folder,
      'log',
      '--first-parent',
      '--format=%s',
      await headOf(context, await storedBranch(context, target)),
    );
    expect(log.split('\n')).toEqual(['one', 'other 3', 'other 2', 'other 1', 'first']);
  },
);

it.each([MAIN, 'candidate'])(
  'fault 22: what has landed on %s and could not be written down lands once',
  async (target) => {
    const context = await branchesOf({ a: '1' });
    const id = await approved(context, 'one', target);
    const full = () => Promise.reject(new Error('the disk is full'));
    await expect(apply(context, id, full)).rejects.toThrow('full');
    expect(context.records.proposals.get(id)?.status).toBe('Approved');
    // Others land meanwhile.
    const other = await approved(context, 'two', target);
    await apply(context, other, (record) => context.change(record));
    expect(await apply(context, id, (record) => context.change(record))).toMatchObject({ status: 'Merged' });
    const { store, ...place } = await storedBranch(context, target);
    const head = await headOf(context, { store, ...place });
    expect((await git(store.folder, 'log', '--first-parent', '--format=%s', head)).split('\n')).toEqual([
      ...['two', 'one', 'first'],
    ]);
  },
);
