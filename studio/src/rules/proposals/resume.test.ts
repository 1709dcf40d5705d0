import { expect, it } from 'vitest';
import { branch } from '../../record/aggregates/branch/branch.js';
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { approve } from './review.js';
import { branchesOf } from '../../testing/git/test-branches.js';
import { MAIN, headOf, storedBranch } from '../branches/stored-branch.js';
import { propose } from './propose.js';
import { resumeLandings } from './resume.js';
import { editBranch } from '../branches/save.js';

it('what was landing when this host went down is ended at its start, and what others land is theirs', async () => {
  const context = await branchesOf({ a: '1' });
  const { repositoryId, records } = context;
  const from = await headOf(context, await storedBranch(context, MAIN, repositoryId));
  const landing = async (hostId: string): Promise<string> => {
    const given = { branchId: hostId, repositoryId, seedSnapshotId: from };
    await context.change((change) => change.run(branch, hostId, 'create', given));
    const place = await storedBranch(context, hostId);
    await editBranch(context, place, [{ path: hostId, content: 'x' }], hostId);
    const said = { sourceBranch: hostId, targetBranch: 'candidate', goal: 'g', summary: 's', changeDescription: 'c' };
    const { proposalId } = await context.change(await propose(context, said));
    const to = await headOf(context, place);
    await context.change((change) => {
      approve(change, proposalId, { by: 'ann', automated: false, consideredArtifactIds: [] });
      change.run(mergeProposal, proposalId, 'begin', { targetBranch: 'candidate', from, to, hostId });
    });
    return proposalId;
  };
  const [mine, theirs] = [await landing('host-1'), await landing('host-2')];
  await resumeLandings(context, 'host-1', (entry) => expect(entry).toBeUndefined());
  expect(records.proposals.get(mine)).toMatchObject({ status: 'Merged', landedOnCandidateBranch: true });
  expect(records.proposals.get(theirs)).toMatchObject({ status: 'Approved', landing: { hostId: 'host-2' } });
});
