/** Steering: work restarted in another direction from its present files. */
import { z } from 'zod';
import { seedAt, seedOf } from '../../rules/branches/seed-of.js';
import { redirect as redirectWork } from '../../rules/people/redirect.js';
import { requireSession } from '../../rules/goals/session-of.js';
import { unitOf } from '../../record/views/by-id.js';
import { refusal } from '../../reasons.js';
import { eventById } from '../../rules/goals/event-id.js';
import type { Context } from '../kernel/context.js';
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
    nodeId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Event of the unit to branch at, as the timeline has it. Default: now.'),
    proposalId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Proposal to branch from, with what that began with; not beside nodeId.'),
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
    'reject.event_not_found',
    'reject.profile_not_found',
    'reject.wrong_state',
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ],
  annotations: ADDS,
}).run(async (context, { newGoal: goal, constraintText: constraint, sessionId, ...from }) => {
  const { records } = context;
  requireSession(context.look, records, sessionId, from.workUnitId);
  const seed = from.proposalId === undefined ? await seedOfFork(context, from) : undefined;
  if (from.proposalId !== undefined && from.nodeId !== undefined)
    throw refusal('reject.invalid_input', 'give nodeId or proposalId: each says where to branch', [
      { field: 'nodeId', message: 'is not for a branch from a proposal' },
    ]);
  return context.answer((change) =>
    redirectWork(change, records, { kind: 'ForkFromNode', ...from, goal, constraint, seed }),
  );
});

/** Seed of a fork: the present state of its unit, or that at an event of it. */
function seedOfFork(
  context: Context,
  { workUnitId, nodeId }: { readonly workUnitId: string; readonly nodeId?: string | undefined },
) {
  const unit = unitOf(context.records, workUnitId);
  if (nodeId === undefined) return seedOf(context, unit);
  const found = eventById(context.feed, nodeId);
  if (found && context.feed.numbersOfWorkUnits([workUnitId]).includes(found.number))
    return seedAt(context, unit, found.stored.meta.at);
  throw refusal('reject.event_not_found', `${workUnitId} has no event ${nodeId}`, { workUnitId, eventId: nodeId });
}
