/** Steering: work restarted in another direction from its present files. */
import { z } from 'zod';
import { seedOf } from '../../rules/branches/seed-of.js';
import { redirect as redirectWork } from '../../rules/people/redirect.js';
import { requireSession } from '../../rules/goals/session-of.js';
import { unitOf } from '../../record/views/by-id.js';
import { operation } from '../kernel/define.js';
import { ADDS } from '../kernel/hints.js';
import { AgentId } from '../agents/agent-shape.js';
import { FOLDER_REFUSALS, BRANCH_REFUSALS } from '../branches/branch-shape.js';
import { ProfileId } from '../agents/model-choice-shape.js';
import { SessionId } from '../goals/session-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const SteeringResult = z
  .object({
    steeringDecisionId: z.string().describe('Id of the decision.'),
    newWorkUnitId: z.string().describe('Unit that goes the other way.'),
    originalWorkUnitId: z.string().describe('Unit that it was branched from.'),
  })
  .meta({ id: 'SteeringResult', description: 'Where work goes from here.' });

const Constraint = z.string().min(1).max(100_000);

export const redirect = operation({
  summary: 'Pause an agent, and begin its work again beside it under a constraint.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    agentId: AgentId,
    injectedConstraint: Constraint.describe('What has to be kept to. Whoever works there reads it.'),
    profileId: ProfileId.default('worker').describe('Profile of the agent that will work on it.'),
    sessionId: SessionId.optional(),
  }),
  out: SteeringResult,
  rest: { route: 'POST /studio/steering/redirect' },
  human: true,
  refuses: [
    'reject.workunit_not_found',
    'reject.session_not_found',
    'reject.agent_not_found',
    'reject.profile_not_found',
    'reject.wrong_state',
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ],
  annotations: ADDS,
}).run(async (context, { workUnitId, agentId, injectedConstraint: constraint, profileId, sessionId }) => {
  const { records } = context;
  requireSession(context.look, records, sessionId, workUnitId);
  const seed = await seedOf(context, unitOf(records, workUnitId));
  return context.answer((change) =>
    redirectWork(change, records, { kind: 'Redirect', workUnitId, agentId, constraint, profileId, seed }),
  );
});

export const forkFromNode = operation({
  summary: 'Begin work beside a unit from where it stood, with another goal or under a constraint.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    nodeId: z.string().min(1).max(200).optional().describe('Where to branch, for the record.'),
    proposalId: z.string().min(1).max(200).optional().describe('Proposal to branch from.'),
    newGoal: z.string().min(1).max(100_000).optional().describe('What to achieve instead. Default: the same.'),
    constraintText: Constraint.optional().describe('What has to be kept to.'),
    profileId: ProfileId.optional().describe('Profile of the agent that begins at once. Default: nobody begins.'),
    sessionId: SessionId.optional(),
  }),
  out: SteeringResult,
  rest: { route: 'POST /studio/steering/fork-from-node' },
  human: true,
  refuses: [
    'reject.workunit_not_found',
    'reject.session_not_found',
    'reject.proposal_not_found',
    'reject.profile_not_found',
    'reject.wrong_state',
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ],
  annotations: ADDS,
}).run(async (context, { newGoal: goal, constraintText: constraint, sessionId, ...from }) => {
  const { records } = context;
  requireSession(context.look, records, sessionId, from.workUnitId);
  const seed = from.proposalId === undefined ? await seedOf(context, unitOf(records, from.workUnitId)) : undefined;
  return context.answer((change) =>
    redirectWork(change, records, { kind: 'ForkFromNode', ...from, goal, constraint, seed }),
  );
});
