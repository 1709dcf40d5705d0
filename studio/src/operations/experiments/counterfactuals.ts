/** Counterfactuals: the same work again from where a proposal began, done otherwise. */
import { z } from 'zod';
import { requireSession } from '../../rules/goals/session-of.js';
import { counterfactual } from '../../rules/knowledge/forks.js';
import { operation } from '../kernel/define.js';
import { ADDS } from '../kernel/hints.js';
import { ProposalId } from '../knowledge/decision-shape.js';
import { SessionId } from './fork-shape.js';

export const create = operation({
  summary: 'Make a work unit that does again what led to a proposal, with another profile, goal or rule.',
  scope: 'operate',
  in: z.object({
    proposalId: ProposalId,
    newProfileId: z.string().min(1).max(200).describe('Profile that works on it.'),
    newGoalOverride: z.string().min(1).max(100_000).optional().describe('Another goal. Default: the same.'),
    constraintText: z.string().min(1).max(100_000).optional().describe('Rule for it.'),
    sessionId: SessionId.optional(),
  }),
  out: z.object({
    workUnitId: z.string().describe('Id of the new unit.'),
    branchId: z.string().describe('Its branch.'),
    goal: z.string().describe('Its goal.'),
    originalWorkUnitId: z.string().describe('Unit that made the proposal.'),
    proposalId: z.string().describe('Proposal that it branches from.'),
    profileId: z.string().describe('Profile that works on it.'),
    constraintText: z.string().optional().describe('Rule for it.'),
  }),
  rest: { route: 'POST /studio/counterfactuals' },
  refuses: [
    ...['reject.proposal_not_found', 'reject.workunit_not_found', 'reject.profile_not_found', 'reject.wrong_state'],
    ...['reject.repository_not_found', 'reject.session_not_found'],
  ] as const,
  annotations: ADDS,
}).run((context, { proposalId, newProfileId, newGoalOverride, constraintText, sessionId }) =>
  context.answer((change) => {
    const { records } = context;
    requireSession(change, records, sessionId);
    const { unit, original } = counterfactual(change, records, {
      proposalId,
      profileId: newProfileId,
      goal: newGoalOverride,
      constraintText,
      sessionId,
    });
    const { workUnitId, branchId, goal } = unit;
    const { workUnitId: originalWorkUnitId } = original;
    return { workUnitId, branchId, goal, originalWorkUnitId, proposalId, profileId: newProfileId, constraintText };
  }),
);
