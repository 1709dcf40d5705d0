/** What goals need of a person: those that are paused, that wait for what was cancelled or cannot be done, and that have cost what they may. */
import { type Goal, isOpenRoot } from '../../record/aggregates/goal/goal.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver as isUnitOver } from '../../record/aggregates/work-unit/status.js';
import type { Records } from '../../record/views/records.js';
import { goalCost, goalLimits } from '../goals/goal-limits.js';
import { cancelledNeedsOf } from '../goals/held-up.js';
import { openGoalsOver, treeOf } from '../goals/tree.js';
import { givenUpOf } from '../queue/given-up.js';
import { type Attention, type AttentionAction, action, heldUpBy, listOf } from './attention-item.js';

/** Share of a limit from which it is told. */
const NEARLY_SPENT = 0.8;

/** What open goals need. Parts of a goal are in its tree. */
export function ofGoals(records: Records, at: string): Attention[] {
  return [...paused(records), ...held(records), ...stuck(records), ...budgets(records, at)];
}

/** Units of a goal that are not over. */
function openIn(records: Records, { workUnitId }: Goal): string[] {
  return treeOf(records, workUnitId)
    .filter(({ status }) => !isUnitOver(status))
    .map((unit) => unit.workUnitId);
}

function paused(records: Records): Attention[] {
  return records.goals.where('paused', 'yes').map((goal) => {
    const { goalId, workUnitId, pauseReason, updatedAt } = goal;
    return {
      goalId,
      workUnitId,
      kind: 'paused',
      id: goalId,
      sentence: pauseReason ?? 'The goal is paused',
      since: updatedAt,
      blocks: openIn(records, goal),
      actions: [action('goal.resume', { goalId }), action('external-goal.cancel', { goalId })],
    };
  });
}

/** Units that wait for work that was cancelled. */
function held(records: Records): Attention[] {
  return records.workUnits.where('relies', 'yes').flatMap((unit) => {
    const { workUnitId } = unit;
    const by = cancelledNeedsOf(records, unit);
    if (by.length === 0) return [];
    return openGoalsOver(records, workUnitId).map(({ goalId }): Attention => ({
      goalId,
      workUnitId,
      kind: 'held',
      id: workUnitId,
      sentence: `${unit.goal}: waits for work that was cancelled, ${listOf(by.map((one) => one.goal))}`,
      since: unit.updatedAt,
      blocks: [workUnitId, ...heldUpBy(records, workUnitId)],
      actions: [
        action('external-goal.recover', { goalId, action: 'replan' }),
        action('external-goal.cancel', { goalId }),
      ],
    }));
  });
}

/** Units of which something is due that could not be done. */
function stuck(records: Records): Attention[] {
  const ids = records.orchestrationDecisions.where('givesUp', 'yes').map(({ workUnitId }) => workUnitId);
  return [...new Set(ids)].flatMap((id) => {
    const unit = records.workUnits.get(id);
    return unit ? openGoalsOver(records, id).flatMap((goal) => givenUp(records, goal, unit)) : [];
  });
}

function givenUp(records: Records, { goalId }: Goal, { workUnitId, goal, updatedAt }: WorkUnit): Attention[] {
  const decision = givenUpOf(records, workUnitId);
  if (!decision) return [];
  const newest = records.proposals.where('workUnit', workUnitId).at(-1);
  return [
    {
      goalId,
      workUnitId,
      kind: 'held',
      id: workUnitId,
      sentence: `${goal}: what is due cannot be done, ${decision.reason}`,
      since: updatedAt,
      blocks: [workUnitId, ...heldUpBy(records, workUnitId)],
      actions: [
        ...(newest?.status === 'Approved' ? [action('merge.apply', { proposalId: newest.proposalId })] : []),
        action('requeue.requeue', { workUnitId }, 'notes'),
        action('workunit.cancel', { workUnitId }),
      ],
    },
  ];
}

type BudgetField = 'maxGoalTokens' | 'maxGoalDollars' | 'maxGoalDurationMinutes';

/** Goals near a limit: any of them where all have one, else those that have one of their own. */
function budgets(records: Records, at: string): Attention[] {
  const isLimited = Object.values(goalLimits(records, {})).some((usual) => usual !== null);
  const goals = isLimited ? records.goals.all().filter(isOpenRoot) : records.goals.where('limited', 'yes');
  return goals.flatMap((goal) => budget(records, goal, at));
}

function budget(records: Records, goal: Goal, at: string): Attention[] {
  const cost = goalCost(records, goal, at);
  const { totalTokens, maxGoalTokens, elapsedMinutes, maxGoalDurationMinutes } = cost;
  const isOver = cost.tokensExceeded || cost.dollarsExceeded || cost.durationExceeded;
  const ofTokens = maxGoalTokens !== undefined && totalTokens >= NEARLY_SPENT * maxGoalTokens;
  const ofTime = maxGoalDurationMinutes !== undefined && elapsedMinutes >= NEARLY_SPENT * maxGoalDurationMinutes;
  if (!ofTokens && !cost.dollarsExceeded && !ofTime) return [];
  const limit: BudgetField = ofTokens
    ? 'maxGoalTokens'
    : cost.dollarsExceeded
      ? 'maxGoalDollars'
      : 'maxGoalDurationMinutes';
  const sentence = ofTokens
    ? `${totalTokens} of ${maxGoalTokens} tokens are used`
    : cost.dollarsExceeded
      ? `the ${cost.maxGoalDollars} dollars that it may cost are spent`
      : `${Math.round(elapsedMinutes)} of ${maxGoalDurationMinutes} minutes have passed`;
  return [
    {
      kind: 'budget',
      id: goal.goalId,
      goalId: goal.goalId,
      workUnitId: goal.workUnitId,
      sentence,
      since: goal.updatedAt,
      blocks: isOver ? openIn(records, goal) : [],
      actions: [...raise(goal, limit), action('external-goal.cancel', { goalId: goal.goalId })],
    },
  ];
}

/** Way to allow a goal more: for itself when it is resumed; before that, where it has no limit of its own, for all. */
function raise({ goalId, status, limits }: Goal, limit: BudgetField): AttentionAction[] {
  if (status === 'Paused') return [action('goal.resume', { goalId }, limit)];
  const isOwn = limit === 'maxGoalDollars' || typeof limits?.[limit] === 'number';
  return isOwn ? [] : [action('option.change', {}, limit)];
}
