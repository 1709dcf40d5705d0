/** What a merge proposal can be, and what it can become: the one table. Whatever is not in it is refused. */
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
  // An automated reviewer holds it.
  UnderReview: ['ReadyForReview', 'Approved', 'Rejected', 'Superseded'],
  Approved: ['Merged', 'Rejected', 'Superseded'],
  // Folded into the one that brings several together, or taken back because what landed does not work.
  Merged: ['Superseded', 'Rejected'],
  Rejected: [],
  Superseded: [],
};
