import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { branch } from '../../record/aggregates/branch/branch.js';
import { OPTIONS_ID, options } from '../../record/aggregates/options/options.js';
import { git } from '../../testing/git/git-repository.js';
import { branchesOf } from '../../testing/git/test-branches.js';
import { MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import { editBranch } from '../branches/save.js';
import { apply } from './apply.js';
import { otherSide } from './other-side.js';
import { propose } from './propose.js';
import { approve } from './review.js';

it('a take-back is known by the record, and a commit of a person with its message is one of a person', async () => {
  const whole = await branchesOf({ a: '1' });
  const ofLanding = () => Promise.resolve({ reason: 'bad', resultId: 'r-1' });
  const context = { ...whole, trials: { ...whole.trials, ofLanding } };
  const { repositoryId, records, folder } = context;
  const main = await storedBranch(context, MAIN);
  const base = await headOf(context, main);
  await context.change((change) => {
    change.run(options, OPTIONS_ID, 'change', { postMergeExecutionMode: 'Blocking' });
    change.run(branch, 'bad', 'create', { branchId: 'bad', repositoryId, seedSnapshotId: base });
  });
  await editBranch(context, await storedBranch(context, 'bad'), [{ path: 'a', content: 'x' }], 'bad');
  const said = { sourceBranch: 'bad', targetBranch: MAIN, goal: 'bad', summary: 'bad', changeDescription: 'bad' };
  const { proposalId } = await context.change(await propose(context, said));
  await context.change((change) =>
    approve(change, proposalId, { by: 'ann', automated: false, consideredArtifactIds: [] }),
  );
  await expect(apply(context, proposalId, (record) => context.change(record))).rejects.toMatchObject({
    reason: 'reject.merge_taken_back',
  });
  const between = async () => ({ targetBranch: MAIN, base, to: await headOf(context, main), paths: ['a'] });
  const before = await otherSide(records, main.store, await between());
  expect(before).toMatchObject({ landed: [{ proposalId }], byPeople: [] });
  await writeFile(join(folder, 'a'), 'mine');
  await git(folder, 'commit', '-am', `Take back ${proposalId}`);
  const { byPeople } = await otherSide(records, main.store, await between());
  expect(byPeople).toEqual([await git(folder, 'rev-parse', 'HEAD')]);
});
