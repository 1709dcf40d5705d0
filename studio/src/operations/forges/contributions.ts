/** Contributions: work on goals as forges see it. */
import { z } from 'zod';
import { type Contribution as Stored, contribution } from '../../record/aggregates/contribution/contribution.js';
import { requireGoal } from '../../record/views/by-id.js';
import { refusal } from '../../reasons.js';
import { connectionOf, endedAs, newestProposal } from '../../rules/forges/forge-context.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS } from '../kernel/hints.js';
import { GoalId } from '../goals/goal-shape.js';
import { Contribution, FORGE_REFUSALS } from './forge-shape.js';

export const list = operation({
  summary: 'List the work that forges see, oldest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(Contribution),
  rest: { route: 'GET /studio/contributions' },
  tool: 'contribution_list',
  list: 'goalId',
  refuses: [],
  annotations: READS,
}).run(({ records }) => records.contributions.all().map(shown));

export const offer = operation({
  summary: 'Offer the result of a goal at the forge of its repository, and keep it up to date there.',
  scope: 'operate',
  in: z.object({ goalId: GoalId }),
  out: Contribution,
  rest: { route: 'POST /studio/contributions' },
  tool: 'contribution_offer',
  human: true,
  refuses: [...FORGE_REFUSALS, 'reject.goal_not_found', 'reject.wrong_state'],
  annotations: { ...ADDS, idempotent: true, openWorld: true },
}).run(async (context, { goalId }) => {
  const { records } = context;
  const goal = requireGoal(records, goalId);
  const status = endedAs(records, goal);
  if (status !== undefined) {
    const why =
      status === 'Cancelled'
        ? 'is cancelled: queue it again before its result is offered'
        : 'is over: nothing is left to offer';
    throw refusal('reject.wrong_state', `goal ${goalId} ${why}`, { status });
  }
  const proposal = newestProposal(records, goal);
  if (!proposal) throw refusal('reject.wrong_state', `goal ${goalId} has no result yet`, { status: goal.status });
  const { repositoryId } = connectionOf(records, proposal.repositoryId);
  await context.answer((change) =>
    shown(change.run(contribution, goalId, 'begin', { goalId, repositoryId, issue: undefined })),
  );
  await context.forges().look(repositoryId);
  return shown(records.contributions.get(goalId)!);
});

function shown({ goalId, repositoryId, issue, branch, pushed, checked, ...rest }: Stored) {
  const { number, url, outcome, mergedAs, begunAt } = rest;
  const commit = pushed.at(-1);
  const checks = checked !== undefined && checked.commit === commit ? [...checked.checks] : [];
  return { goalId, repositoryId, issue, branch, commit, number, url, checks, outcome, mergedAs, begunAt };
}
