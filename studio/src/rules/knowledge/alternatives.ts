/** Alternatives to a work unit: its siblings, and forks of what it proposed. */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { type Proposals, proposalsOf } from '../../record/views/proposals.js';
import type { Records } from '../../record/views/records.js';

export interface Alternative extends Pick<
  WorkUnit,
  'workUnitId' | 'goal' | 'status' | 'forkType' | 'branchedFromProposalId' | 'createdAt'
> {
  readonly relationship: 'sibling' | 'forked-from-proposal';
}

export function alternativesTo(
  records: Records,
  target: WorkUnit,
  proposals: Proposals = proposalsOf(records),
): Alternative[] {
  const own = new Set(proposals.ofUnit(target.workUnitId).map(({ proposalId }) => proposalId));
  return records.workUnits.all().flatMap((unit) => {
    const { workUnitId, goal, status, forkType, branchedFromProposalId, createdAt } = unit;
    if (workUnitId === target.workUnitId) return [];
    const isFork = branchedFromProposalId !== undefined && own.has(branchedFromProposalId);
    const isSibling = target.parentWorkUnitId !== undefined && unit.parentWorkUnitId === target.parentWorkUnitId;
    if (!isFork && !isSibling) return [];
    const relationship = isFork ? ('forked-from-proposal' as const) : ('sibling' as const);
    return [{ workUnitId, goal, status, forkType, branchedFromProposalId, createdAt, relationship }];
  });
}

/** Work by branch. */
export function branchesOf(units: readonly WorkUnit[]): { branchId: string; workUnitCount: number; goals: string[] }[] {
  const goalsOn = new Map<string, string[]>();
  for (const { branchId, goal } of units) goalsOn.set(branchId, [...(goalsOn.get(branchId) ?? []), goal]);
  return [...goalsOn].map(([branchId, goals]) => ({ branchId, workUnitCount: goals.length, goals }));
}
