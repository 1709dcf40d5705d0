/** Goals: what root work units are for. */
import type { Rejection } from '@weft/core';
import { z } from 'zod';
import { registerFolder } from '../../rules/branches/register.js';
import { type Goal, isEnded } from '../../record/aggregates/goal/goal.js';
import { inTurns } from '../../record/ledger/in-turns.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { createUnit } from '../../rules/goals/create-unit.js';
import { goalCost } from '../../rules/goals/goal-limits.js';
import { requireGoal, profileOf, unitOf } from '../../record/views/by-id.js';
import { goalOfUnit, workOf } from '../../rules/goals/goals.js';
import { pauseGoal, resumeGoal } from '../../rules/people/pause.js';
import { costsOfTree } from '../../rules/goals/spending.js';
import { goalAt } from '../../rules/goals/tree.js';
import { type NamedRepository, repositoryNamed } from '../branches/repository-meant.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS, SETS } from '../kernel/hints.js';
import { NARROW_FIELDS, narrowed, newestOf } from '../kernel/narrow.js';
import { Shown } from '../kernel/pages.js';
import {
  ExternalGoalRow,
  GoalGuardrailStatus,
  GoalId,
  GoalRow,
  GoalStanding,
  GoalText,
  goalFields,
  limitsSaid,
  newLimitFields,
  standingOf,
} from './goal-shape.js';
import { ProfileId } from '../agents/model-choice-shape.js';
import { usageByModel, usageOf } from '../agents/usage-shape.js';
import { requireReferences } from './named-places.js';
import { FileReference, WorkUnitId } from './work-unit-shape.js';

const version = ({ goals }: Records, { goalId }: { readonly goalId: string }): number | undefined =>
  goals.version(goalId) || undefined;

const Who = z.string().min(1).max(200).optional();

export const create = operation({
  summary:
    'Set a goal: for a new work unit, or for one that is there. Work begins when an agent is taken on for that unit.',
  scope: 'operate',
  in: z.object({
    goal: GoalText,
    workUnitId: WorkUnitId.optional().describe('Unit that it is for. Default: a new one.'),
    repositoryId: z.string().min(1).max(200).optional().describe('Repository to work on.'),
    repositoryPath: z.string().max(4096).optional().describe('Folder of the repository, in place of repositoryId.'),
    newRepositoryPath: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Folder to make a repository in. It wins over the other two.'),
    newRepositoryLabel: z.string().min(1).max(200).optional().describe('Name of the new repository for people.'),
    referenceFiles: z.array(FileReference).max(200).optional().describe('Files to be read for context.'),
  }),
  out: z.object({ ...goalFields, createdAt: z.string().describe('When it was set, ISO 8601.') }),
  rest: { route: 'POST /studio/goals' },
  tool: 'goal_create',
  refuses: [
    'reject.workunit_not_found',
    'reject.repository_not_found',
    'reject.repository_path_unusable',
    'reject.repository_registered_elsewhere',
    'reject.git_failed',
    'reject.wrong_state',
    'reject.path_outside_repository',
  ],
  annotations: ADDS,
}).run(async (context, { goal, workUnitId, referenceFiles, ...place }) => {
  requireReferences(context.records, referenceFiles);
  if (workUnitId !== undefined)
    return context.answer((change) => {
      requireSameOf(context.records, workUnitId, place, referenceFiles?.length ?? 0);
      return goalOfUnit(change, context.records, workUnitId, goal);
    });
  const repositoryId = await repositoryOf(context, place);
  return context.answer((change) => {
    const unit = createUnit(change, context.records, { goal, owner: 'studio', repositoryId, referenceFiles });
    return goalAt(change, unit.workUnitId)!;
  });
});

export const list = operation({
  summary: 'List goals, oldest first, and how their work goes.',
  scope: 'read',
  in: z.object({
    isOver: z.boolean().optional().describe('Only those that are over, or not.'),
    ...NARROW_FIELDS,
  }),
  out: z.object({
    goals: z.array(GoalRow).describe('The goals.'),
    source: z.enum(['goal-store+work-units', 'work-units']).describe('What they were found in.'),
  }),
  rest: { route: 'GET /studio/goals', query: ['isOver', 'words', 'newest'] },
  tool: 'goal_list',
  external: {
    name: 'goal_list',
    out: z.object({ goals: z.array(ExternalGoalRow).describe('The goals, oldest first.') }),
    result: ({ goals }) => ({ goals }),
  },
  refuses: [],
  annotations: READS,
}).run(async ({ records, look }, { isOver, ...narrow }) => {
  const all = records.goals.all();
  const standing = isOver === undefined ? all : all.filter((found) => isEnded(found.status) === isOver);
  const shown = await narrowed(standing, narrow, ({ goalId, goal }) => `${goalId} ${goal}`);
  return {
    goals: await inTurns(shown, (found) => {
      const { parkedWorkUnitIds, ...work } = workOf(look, records, found);
      return {
        ...found,
        pauseReason: found.pauseReason ?? null,
        parentGoalId: found.parentGoalId ?? null,
        ...work,
        parkedWorkUnitIds,
        hasParkedWork: parkedWorkUnitIds.length > 0,
        usage: usageOf(costsOfTree(records, found.goalId)),
      };
    }),
    source: 'goal-store+work-units' as const,
  };
});

export const pause = operation({
  summary: 'Pause a goal: its work stops at its next step.',
  scope: 'operate',
  in: z.object({
    goalId: GoalId,
    reason: z.string().min(1).max(10_000).optional().describe('Why.'),
    pausedBy: Who.describe('Who asks.'),
  }),
  out: GoalStanding,
  rest: { route: 'POST /studio/goals/{goalId}/pause' },
  external: 'goal_pause',
  human: true,
  version,
  refuses: ['reject.goal_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { goalId, ...said }) =>
  context.answer((change) => {
    requireGoal(context.records, goalId);
    return standingOf(pauseGoal(change, context.records, goalId, said));
  }),
);

export const resume = operation({
  summary: 'Resume a paused goal; its work reads what is said here.',
  scope: 'operate',
  in: z.object({
    goalId: GoalId,
    steering: z.string().min(1).max(100_000).optional().describe('What to do otherwise.'),
    resumedBy: Who.describe('Who asks.'),
    profileId: ProfileId.optional().describe('Profile of its root. Default: the one before.'),
    ...newLimitFields,
  }),
  out: GoalStanding.omit({ pauseReason: true }),
  rest: { route: 'POST /studio/goals/{goalId}/resume' },
  external: 'goal_resume',
  human: true,
  version,
  refuses: ['reject.goal_not_found', 'reject.profile_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { goalId, ...said }) =>
  context.answer((change) => {
    requireGoal(context.records, goalId);
    if (said.profileId !== undefined) profileOf(context.records, said.profileId);
    return standingOf(resumeGoal(change, context.records, goalId, { ...said, limits: limitsSaid(said) }));
  }),
);

export const guardrails = operation({
  summary: 'Read what the goals that still go on have cost.',
  scope: 'read',
  in: z.object({ newest: NARROW_FIELDS.newest }),
  out: z.array(GoalGuardrailStatus),
  rest: { route: 'GET /studio/goals/guardrail-status', query: ['newest'] },
  list: 'workUnitId',
  refuses: [],
  annotations: READS,
}).run((context, { newest }) => {
  const active = context.records.goals
    .all()
    .filter(({ parentGoalId }) => parentGoalId === undefined)
    .filter(({ status }) => !isEnded(status));
  return Shown.of(newestOf(active, newest), (found) => guardrailOf(context, found));
});

export const guardrail = operation({
  summary: 'Read what the goal of a work unit has cost.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: GoalGuardrailStatus,
  rest: { route: 'GET /studio/goals/{workUnitId}/guardrail-status' },
  refuses: ['reject.goal_not_found'],
  annotations: READS,
}).run((context, { workUnitId }) => {
  const found = context.records.goals
    .all()
    .find((goal) => goal.workUnitId === workUnitId || goal.goalId === workUnitId);
  if (found) return guardrailOf(context, found);
  throw refusal('reject.goal_not_found', `${workUnitId} is not the root of a goal`, { workUnitId });
});

function guardrailOf({ records, now }: Context, goal: Goal) {
  const { goalId, workUnitId } = goal;
  const costs = costsOfTree(records, goalId);
  const byModel = costs.length === 0 ? undefined : usageByModel(costs);
  return { workUnitId, ...goalCost(records, goal, now()), usage: usageOf(costs), byModel };
}

interface GivenRepository extends NamedRepository {
  readonly newRepositoryPath?: string | undefined;
  readonly newRepositoryLabel?: string | undefined;
}

async function repositoryOf(context: Context, given: GivenRepository): Promise<string | undefined> {
  const { newRepositoryPath: path, newRepositoryLabel: label } = given;
  if (path !== undefined)
    return (await registerFolder({ ...context, answer: context.change }, path, label)).repositoryId;
  if (label !== undefined) throw unfit('newRepositoryLabel', 'is the name of a new repository: give newRepositoryPath');
  return repositoryNamed(context.records, given);
}

/** Guard: what is said beside a unit that is there is so already. A goal changes nothing of its unit. */
function requireSameOf(records: Records, workUnitId: string, given: GivenRepository, files: number): void {
  const { repositoryId } = unitOf(records, workUnitId);
  const { newRepositoryPath, newRepositoryLabel, repositoryPath } = given;
  const isGiven = { newRepositoryPath, newRepositoryLabel, referenceFiles: files === 0 ? undefined : files };
  for (const [field, said] of Object.entries(isGiven))
    if (said !== undefined) throw unfit(field, `belongs to a new work unit, and ${workUnitId} is there already`);
  const wanted = repositoryNamed(records, given);
  if (wanted === undefined || wanted === repositoryId) return;
  const where = repositoryId === undefined ? 'on no repository' : `on ${repositoryId}`;
  throw unfit(repositoryPath === undefined ? 'repositoryId' : 'repositoryPath', `${workUnitId} works ${where}`);
}

function unfit(field: string, message: string): Rejection {
  return refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
}
