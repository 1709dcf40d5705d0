/** Publishing: how work of a repository or a goal leaves this host. */
import { z } from 'zod';
import { publishing } from '../../record/aggregates/publishing/publishing.js';
import { requireGitBranchName, requireBranchTemplate } from '../../record/aggregates/branch-name.js';
import { requireGoal } from '../../record/views/by-id.js';
import { publishingOf } from '../../rules/branches/outgoing.js';
import { repositoryOr } from '../../rules/branches/stored-branch.js';
import { refusal } from '../../reasons.js';
import { present } from '../../rules/knowledge/artifacts.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { Settings, publishingFields } from './remote-shape.js';
import { RepositoryId } from './repository-shape.js';

const GoalId = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Goal that this is about. Default: all of the repository.');
const REFUSALS = ['reject.repository_not_found', 'reject.goal_not_found', 'reject.invalid_input'] as const;

export const get = operation({
  summary: 'Read how work of a repository, or of one goal, leaves this host.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId, goalId: GoalId }),
  out: Settings,
  rest: { route: 'GET /studio/repositories/{repositoryId}/publishing', query: ['goalId'] },
  tool: 'publishing_get',
  refuses: REFUSALS,
  annotations: READS,
}).run((context, { repositoryId, goalId }) => {
  requireBoth(context, repositoryId, goalId);
  return publishingOf(context.records, repositoryId, goalId);
});

export const set = operation({
  summary: 'Say how work of a repository, or of one goal, leaves this host. What is not named counts as not said.',
  scope: 'operate',
  in: z.object({ repositoryId: RepositoryId, goalId: GoalId, ...publishingFields }),
  out: Settings,
  rest: { route: 'PUT /studio/repositories/{repositoryId}/publishing' },
  tool: 'publishing_set',
  human: true,
  refuses: REFUSALS,
  annotations: SETS,
}).run((context, { repositoryId, goalId, ...settings }) => {
  requireBoth(context, repositoryId, goalId);
  if (settings.base !== undefined) requireGitBranchName(settings.base, 'base');
  if (settings.branch !== undefined) requireBranchTemplate(settings.branch, 'branch');
  const ofId = goalId ?? repositoryId;
  return context.answer(
    (change) => change.run(publishing, ofId, 'set', { ofId, settings: present(settings) }).settings,
  );
});

function requireBoth({ records }: Context, repositoryId: string, goalId: string | undefined): void {
  repositoryOr(records, repositoryId);
  if (goalId === undefined) return;
  const { workUnitId } = requireGoal(records, goalId);
  const of = records.workUnits.get(workUnitId)?.repositoryId;
  if (of !== undefined && of !== repositoryId)
    throw refusal('reject.invalid_input', `goalId: ${goalId} is of repository ${of}`);
}
