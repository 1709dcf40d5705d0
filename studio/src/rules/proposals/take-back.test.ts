import { expect, it } from 'vitest';
import { branch } from '../../record/aggregates/branch/branch.js';
import { OPTIONS_ID, options } from '../../record/aggregates/options/options.js';
import { proposalOf } from '../../record/views/by-id.js';
import { approve, sendBack } from './review.js';
import { git } from '../../testing/git/git-repository.js';
import { branchesOf } from '../../testing/git/test-branches.js';
import { apply } from './apply.js';
import type { BranchContext } from '../branches/branch-context.js';
import { MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import { propose } from './propose.js';
import { editBranch } from '../branches/save.js';
import { takeBack } from './take-back.js';

/** A proposal that has landed, in a host that ended right after that. */
async function landed() {
  const whole = await branchesOf({ a: '1' });
  const ofLanding = () => Promise.reject(new Error('the host ends'));
  const context = { ...whole, trials: { ...whole.trials, ofLanding } };
  const { repositoryId, records, folder } = context;
  const main = await storedBranch(context, MAIN);
  const given = { branchId: 'bad', repositoryId, seedSnapshotId: await headOf(context, main) };
  await context.change((change) => {
    change.run(options, OPTIONS_ID, 'change', { postMergeExecutionMode: 'Blocking' });
    change.run(branch, 'bad', 'create', given);
  });
  await editBranch(context, await storedBranch(context, 'bad'), [{ path: 'bad', content: 'x' }], 'bad');
  const said = { sourceBranch: 'bad', targetBranch: MAIN, goal: 'bad', summary: 'bad', changeDescription: 'bad' };
  const { proposalId } = await context.change(await propose(context, said));
  await context.change((change) =>
    approve(change, proposalId, { by: 'ann', automated: false, consideredArtifactIds: [] }),
  );
  await expect(apply(context, proposalId, (record) => context.change(record))).rejects.toThrow('the host ends');
  const again = (by: BranchContext = context) =>
    takeBack(by, main, proposalOf(records, proposalId), { reason: 'bad', resultId: 'r-1' });
  return { context, records, folder, proposalId, again };
}

it('fault 19: what was taken back when the host ended is not taken back again', async () => {
  const { context, records, folder, proposalId, again } = await landed();
  await again();
  await again();
  await context.change((change) => sendBack(change, records, proposalId, 'bad'));
  expect(await git(folder, 'log', '--first-parent', '--format=%s')).toBe(`Take back ${proposalId}\nbad\nfirst`);
  expect(await git(folder, 'ls-files')).toBe('a');
  expect(records.proposals.get(proposalId)).toMatchObject({ status: 'Rejected' });
});

it('fault 19: what was to be taken back when the host ended, and was not yet, is taken back', async () => {
  const { context, folder, proposalId, again } = await landed();
  const change: BranchContext['change'] = async (open) => {
    await context.change(open);
    throw new Error('the host ends');
  };
  await expect(again({ ...context, change })).rejects.toThrow('the host ends');
  expect(await git(folder, 'log', '--first-parent', '--format=%s')).toBe('bad\nfirst');
  await again();
  expect(await git(folder, 'log', '--first-parent', '--format=%s')).toBe(`Take back ${proposalId}\nbad\nfirst`);
  expect(await git(folder, 'ls-files')).toBe('a');
});
