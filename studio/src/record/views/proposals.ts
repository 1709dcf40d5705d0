/** Read-only view of merge proposals. */
import type { Proposal } from '../aggregates/merge-proposal/state.js';
import type { Records } from './records.js';

export interface Proposals {
  get(proposalId: string): Proposal | undefined;
  /** All proposals, oldest first. */
  all(): readonly Proposal[];
  ofUnit(workUnitId: string): readonly Proposal[];
}

export function proposalsOf({ proposals }: Records): Proposals {
  return {
    get: (proposalId) => proposals.get(proposalId),
    all: () => proposals.all(),
    ofUnit: (workUnitId) => proposals.where('workUnit', workUnitId),
  };
}
