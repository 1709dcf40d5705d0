/** State machine of a merge proposal. Any transition that is not in this table is refused. */
export const PROPOSAL_STATUSES = [
  'Draft',
  'ReadyForReview',
  'Approved',
  'Rejected',
  'Merged',
  'UnderReview',
  'Superseded',
] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

export const PROPOSAL_TRANSITIONS: Readonly<Record<ProposalStatus, readonly ProposalStatus[]>> = {
  Draft: ['ReadyForReview', 'Rejected', 'Superseded'],
  ReadyForReview: ['UnderReview', 'Approved', 'Rejected', 'Superseded'],
  // An automated reviewer has it.
  UnderReview: ['ReadyForReview', 'Approved', 'Rejected', 'Superseded'],
  // Another automated reviewer has it, where one is not enough.
  Approved: ['Merged', 'UnderReview', 'Rejected', 'Superseded'],
  // Superseded by the one that merges several, or rejected because what landed does not work.
  Merged: ['Superseded', 'Rejected'],
  Rejected: [],
  Superseded: [],
};
