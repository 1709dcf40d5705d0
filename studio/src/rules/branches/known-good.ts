/** Known-good states of branches: marked, restored, and compared. */
import { type KnownGood, knownGood } from '../../record/aggregates/known-good/known-good.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { goodRef } from '../../workspace/git/objects/ref-names.js';
import type { BranchContext } from './branch-context.js';
import { storedBranch } from './stored-branch.js';
import { restoreBranch, save } from './save.js';
import type { Warrant } from './user-law.js';

export interface Mark {
  readonly branchId: string;
  readonly repositoryId?: string | undefined;
  readonly description: string;
  readonly createdBy: string;
  readonly verificationResults?: string | undefined;
  readonly nodeId?: string | undefined;
}

export interface Difference {
  readonly relativePath: string;
  readonly status: 'Added' | 'Removed' | 'Modified';
}

/** Marks a state. The answer is to be run in the change that answers the request. */
export async function markGood(context: BranchContext, mark: Mark): Promise<(change: Change) => KnownGood> {
  const { branchId, repositoryId, description, createdBy, verificationResults, nodeId } = mark;
  const branch = await storedBranch(context, branchId, repositoryId);
  const commit = await save(context, branch);
  const stateId = context.newId('KGS-');
  // Pinned before it is recorded, so that what is recorded exists.
  await branch.store.move(goodRef(stateId), undefined, commit);
  const said = {
    ...(verificationResults === undefined ? {} : { verificationResults }),
    ...(nodeId === undefined ? {} : { nodeId }),
  };
  const given = { stateId, branchId, repositoryId: branch.repositoryId, commit, description, createdBy, ...said };
  return (change) => change.run(knownGood, stateId, 'mark', given);
}

export function stateOf({ knownGoods }: Records, stateId: string): KnownGood {
  const found = knownGoods.get(stateId);
  if (found) return found;
  throw refusal('reject.state_not_found', `no known-good state is called ${stateId}`, { stateId });
}

/** Restores the state's branch to what it held then, as a new commit: its history stays. */
export async function goBack(
  context: BranchContext,
  { branchId, repositoryId, commit, stateId }: KnownGood,
  warrant: Warrant,
): Promise<string> {
  const branch = await storedBranch(context, branchId, repositoryId);
  return restoreBranch(context, branch, commit, `Go back to ${stateId}`, warrant);
}

export async function differencesOf(context: BranchContext, a: KnownGood, b: KnownGood): Promise<Difference[]> {
  if (a.repositoryId !== b.repositoryId)
    throw refusal('reject.invalid_input', 'the two states are of different repositories');
  const store = await context.disk.stores.of(a.repositoryId);
  const changes = await store.changes(a.commit, b.commit);
  return changes.map(({ path, changeKind }) => ({
    relativePath: path,
    status: changeKind === 'Deleted' ? 'Removed' : changeKind,
  }));
}
