/** Guards: branches and files that a caller names beside new work are such as there can be. */
import { isUnbegun, isReserved } from '../../rules/branches/stored-branch.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { safePath } from '../../workspace/files/safe-path.js';

/** Refuses a branch that nobody has made, and that is of no work unit. */
export function requireSeed(records: Records, branchId: string | undefined): void {
  if (branchId === undefined || records.branches.get(branchId)) return;
  if (isUnbegun(records, branchId) || isReserved(records, branchId)) return;
  throw refusal('reject.branch_not_found', `seedFromBranchId: no branch is called ${branchId}`, { branchId });
}

interface Reference {
  readonly repositoryId: string;
  readonly path: string;
}

/** Refuses files of repositories that are not registered, and paths that lead out of theirs. */
export function requireReferences({ repositories }: Records, references: readonly Reference[] = []): void {
  for (const { repositoryId, path } of references) {
    safePath(path);
    if (repositories.get(repositoryId)) continue;
    const message = `referenceFiles: no repository ${repositoryId} is registered`;
    throw refusal('reject.repository_not_found', message, { repositoryId });
  }
}
