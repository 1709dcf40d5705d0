/** Takes the branch of rejected work back to what its proposal began with. What was proposed stays in its history. */
import { proposalOf } from '../../record/views/by-id.js';
import type { Ground } from '../branches/branch-context.js';
import { placeOf } from '../branches/stored-branch.js';
import { restoreBranch } from '../branches/save.js';

export async function revert(ground: Ground, proposalId: string): Promise<void> {
  const { sourceBranch, repositoryId, baseCommit } = proposalOf(ground.records, proposalId);
  const place = await placeOf(ground, sourceBranch, repositoryId);
  await restoreBranch(ground, place, baseCommit, `Go back to before ${proposalId}`);
}
