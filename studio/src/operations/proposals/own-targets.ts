/** Own targets: branches that an agent may offer its changes to. */
import { mergeBranchOf, parentOfMergeBranch } from '../../rules/branches/stored-branch.js';
import type { Records } from '../../record/views/records.js';

/** Branches of its unit and of the whole that it is a part of, and those that people have chosen for what it does again. */
export function isOwnTarget({ workUnits, proposals }: Records, workUnitId: string, branchId: string): boolean {
  const unit = workUnits.get(workUnitId);
  const { parentWorkUnitId = '', reconciliationSourceProposalIds = [] } = unit ?? {};
  const own = [mergeBranchOf(workUnitId), unit?.branchId];
  const ofWhole = [mergeBranchOf(parentWorkUnitId), workUnits.get(parentWorkUnitId)?.branchId];
  // What it brings up to date, or together, was for this branch before.
  const before = [
    ...proposals.where('workUnit', workUnitId),
    ...reconciliationSourceProposalIds.flatMap((id) => proposals.get(id) ?? []),
  ];
  return [...own, ...ofWhole, ...before.map(({ targetBranch }) => targetBranch)].includes(branchId);
}

/** Whether the parts of a unit come together on it, though it is there only once it is asked for. */
export function isMergeBranch({ workUnits }: Records, branchId: string): boolean {
  return workUnits.get(parentOfMergeBranch(branchId) ?? '') !== undefined;
}
