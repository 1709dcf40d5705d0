/** Reverts the branch of rejected work to the proposal's base. What was proposed stays in its history. */
import { proposalOf } from '../../record/views/by-id.js';
import type { BranchContext } from '../branches/branch-context.js';
import { storedBranch } from '../branches/stored-branch.js';
import { restoreBranch } from '../branches/save.js';
import type { Warrant } from '../branches/user-law.js';

export async function revert(context: BranchContext, proposalId: string, warrant: Warrant): Promise<void> {
  const { sourceBranch, repositoryId, baseCommit } = proposalOf(context.records, proposalId);
  const branch = await storedBranch(context, sourceBranch, repositoryId);
  await restoreBranch(context, branch, baseCommit, `Go back to before ${proposalId}`, warrant);
}
