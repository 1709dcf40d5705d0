/** Guards: repositories, branches and files that a caller names beside new work are such as there can be. */
import { isUnbegun, isReserved, parentOfMergeBranch } from '../../rules/branches/stored-branch.js';
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

interface Places {
  readonly repositoryId?: string | undefined;
  readonly parentWorkUnitId?: string | undefined;
  readonly branchId?: string | undefined;
  readonly seedFromBranchId?: string | undefined;
}

/** Refuses what would lie in two repositories: a part and its whole, or work and the branch that it is on or begins with. */
export function requireOneRepository(records: Records, named: Places): void {
  const { parentWorkUnitId, branchId, seedFromBranchId } = named;
  const parent = records.workUnits.get(parentWorkUnitId ?? '');
  const { repositoryId = parent?.repositoryId } = named;
  const others = [
    ['repositoryId', `the work unit ${parentWorkUnitId ?? ''}, which it would be a part of,`, parent?.repositoryId],
    ['branchId', `the branch ${branchId ?? ''}`, repositoryOfBranch(records, branchId)],
    ['seedFromBranchId', `the branch ${seedFromBranchId ?? ''}`, repositoryOfBranch(records, seedFromBranchId)],
  ] as const;
  for (const [field, what, other] of others) {
    if (repositoryId === undefined || other === undefined || other === repositoryId) continue;
    const message = `${what} is of the repository ${other}, and the work of ${repositoryId}`;
    throw refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
  }
}

/** Repository of a branch; undefined for one that every repository has. */
function repositoryOfBranch({ branches, workUnits }: Records, branchId = ''): string | undefined {
  const unit = workUnits.get(parentOfMergeBranch(branchId) ?? '') ?? workUnits.where('branch', branchId).at(-1);
  return branches.get(branchId)?.repositoryId ?? unit?.repositoryId;
}
