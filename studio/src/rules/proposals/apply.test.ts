import { expect, it } from 'vitest';
import { branch } from '../../record/aggregates/branch/branch.js';
import { approve } from './review.js';
import { git } from '../../testing/git-repository.js';
import { type TestGround, groundWith } from '../../testing/test-ground.js';
import { apply } from './apply.js';
import { MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import { propose } from './propose.js';
import { editBranch } from '../branches/save.js';

/** A proposal that everybody agrees to, of a file of that name. */
async function approved(ground: TestGround, name: string, targetBranch: string): Promise<string> {
  const { repositoryId } = ground;
  const seedSnapshotId = await headOf(ground, await storedBranch(ground, MAIN, repositoryId));
  await ground.change((change) => change.run(branch, name, 'create', { branchId: name, repositoryId, seedSnapshotId }));
  await editBranch(ground, await storedBranch(ground, name), [{ path: name, content: 'x' }], name);
  const said = { sourceBranch: name, targetBranch, goal: name, summary: name, changeDescription: name };
  const { proposalId } = await ground.change(await propose(ground, said));
  const yes = { by: 'ann', automated: false, consideredArtifactIds: [] };
  await ground.change((change) => approve(change, proposalId, yes));
  return proposalId;
}

it.each([MAIN, 'candidate'])(
  'fault 20: what lands on %s while that moves lands on top of what is there by then',
  async (target) => {
    const ground = await groundWith({ a: '1' });
    const { store, ref } = await storedBranch(ground, target, ground.repositoryId);
    const first = await headOf(ground, await storedBranch(ground, target, ground.repositoryId));
    const id = await approved(ground, 'one', target);
    let moves = 0;
    // Another one is faster each time, but for the last.
    const change: TestGround['change'] = async (work) => {
      const told = await ground.change(work);
      if (ground.records.proposals.get(id)?.landing && ++moves < 4) {
        const from = (await store.at(ref)) ?? first;
        const tree = await store.edit(from, [{ path: `other-${moves}`, content: 'y' }]);
        const to = await store.commit({ tree, parents: [from], message: `other ${moves}`, at: ground.now() });
        if (target !== MAIN) await store.move(ref, from, to);
        else await git(ground.folder, 'pull', '--quiet', '--ff-only', store.folder, to);
      }
      return told;
    };
    const slower = { ...ground, change };
    await apply(slower, id, (record) => ground.change(record));
    const log = await git(
      store.folder,
      'log',
      '--first-parent',
      '--format=%s',
      await headOf(ground, await storedBranch(ground, target)),
    );
    expect(log.split('\n')).toEqual(['one', 'other 3', 'other 2', 'other 1', 'first']);
  },
);

it.each([MAIN, 'candidate'])(
  'fault 22: what has landed on %s and could not be written down lands once',
  async (target) => {
    const ground = await groundWith({ a: '1' });
    const id = await approved(ground, 'one', target);
    const full = () => Promise.reject(new Error('the disk is full'));
    await expect(apply(ground, id, full)).rejects.toThrow('full');
    expect(ground.records.proposals.get(id)?.status).toBe('Approved');
    // Others land meanwhile.
    const other = await approved(ground, 'two', target);
    await apply(ground, other, (record) => ground.change(record));
    expect(await apply(ground, id, (record) => ground.change(record))).toMatchObject({ status: 'Merged' });
    const { store, ...place } = await storedBranch(ground, target);
    const head = await headOf(ground, { store, ...place });
    expect((await git(store.folder, 'log', '--first-parent', '--format=%s', head)).split('\n')).toEqual([
      ...['two', 'one', 'first'],
    ]);
  },
);
