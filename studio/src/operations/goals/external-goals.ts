/** Goals for outside tools, which know nothing of work units. */
import { z } from 'zod';
import { FAILURE_KINDS } from '../../record/aggregates/dead-letter/dead-letter.js';
import type { Goal } from '../../record/aggregates/goal/goal.js';
import { SESSION_STATUSES } from '../../record/aggregates/session/session.js';
import { TIMEOUT_BEHAVIORS } from '../../record/aggregates/clarification/clarification.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { refusal } from '../../reasons.js';
import { cancelInParts, cancelTree, openInTree } from '../../rules/queue/cancel.js';
import { continueWork, retry, retryWithContext } from '../../rules/queue/retry.js';
import { recoverableActions } from '../../rules/queue/dead-letters.js';
import { requireGoal, profileOf } from '../../record/views/by-id.js';
import {
  limitsOf,
  missingKeys,
  openQuestions,
  pendingReviews,
  unresolvedFailure,
  waitsForChecks,
  waitsForFiles,
} from '../../rules/people/waiting-for-people.js';
import { atWorkOn } from '../../rules/goals/activity.js';
import { heldUpIn } from '../../rules/goals/held-up.js';
import { conflictsIn } from '../../rules/proposals/conflict-report.js';
import { baseMeant } from '../../rules/branches/bases.js';
import { beginGoal } from '../../rules/queue/begin-goal.js';
import { supply } from '../../rules/queue/queue.js';
import { replan, replanCancelled } from '../../rules/queue/replan.js';
import { requeue as requeueTree } from '../../rules/queue/requeue.js';
import { sessionOf } from '../../rules/goals/session-of.js';
import { costsOfTree } from '../../rules/goals/spending.js';
import { treeOf } from '../../rules/goals/tree.js';
import type { Records } from '../../record/views/records.js';
import { repositoryMeant } from '../branches/repository-meant.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { ExternalGoalRow, GoalId, GoalText, GoalUsage, goalFields, limitFields, limitsSaid } from './goal-shape.js';
import { ProfileId, overrideFields, overridesOf } from '../agents/model-choice-shape.js';
import { usageOf } from '../agents/usage-shape.js';
import { ReviewPolicy } from './work-unit-shape.js';

const PLANNER = 'planner';

const Begun = z.object({
  goalId: goalFields.goalId,
  workUnitId: goalFields.workUnitId,
  sessionId: z.string().describe('Session that it runs in.'),
  branchId: goalFields.branchId,
  status: z.literal('running').describe('It has its turn.'),
});

export const run = operation({
  summary: 'Set a goal and begin to work on it. Ask for its status.',
  scope: 'operate',
  in: z.object({
    goal: GoalText,
    repositoryId: z.string().min(1).max(200).optional().describe('Repository. Default: the only one.'),
    base: z.string().max(200).optional().describe('Base branch, at its remote.'),
    successCriteria: z.string().max(100_000).optional().describe('How to tell that it is done.'),
    workerProfileId: ProfileId.default('worker').describe('Profile of its agents.'),
    shape: z
      .enum(['auto', 'single', 'planned'])
      .optional()
      .describe('Whether a planner divides it. Default: by its text.'),
    reviewPolicy: ReviewPolicy.optional().describe('Who approves. Default: agents the parts, a person the whole.'),
    ...limitFields,
  }),
  out: Begun,
  rest: { route: 'POST /studio/goals/run' },
  external: {
    name: 'goal_run',
    // A task that is completed has this answer too.
    out: Begun.extend({ status: z.enum(['running', 'done']).describe('It has its turn, or has converged.') }),
    result: (begun) => begun,
  },
  human: true,
  refuses: [
    'reject.repository_needed',
    'reject.repository_not_found',
    'reject.profile_not_found',
    'reject.key_missing',
    'reject.model_unknown',
    'reject.price_unknown',
    'reject.invalid_input',
    'reject.repository_folder_missing',
    'reject.git_failed',
  ],
  annotations: ADDS,
}).run(async (context, asked) => {
  const { goal, repositoryId: wanted, successCriteria, workerProfileId, shape = 'auto', reviewPolicy } = asked;
  const { records, requireModels } = context;
  requireWorker(records, workerProfileId);
  const repositoryId = repositoryMeant(records, wanted);
  // Whoever works on it asks a model sooner or later: what cannot begin is refused before it looks alive.
  // Who plans is asked nothing where nothing is planned.
  const askers = [...(shape === 'single' ? [] : [PLANNER]), workerProfileId].map((profileId) => {
    const { executor } = profileOf(records, profileId);
    return { profileId, executor, isPriced: asked.maxGoalDollars !== undefined };
  });
  await requireModels(askers);
  const base = await baseMeant(context, repositoryId, asked.base);
  return context.answer((change) => ({
    ...beginGoal(change, records, {
      goal,
      owner: 'mcp-external',
      repositoryId,
      successCriteria,
      workerProfileId,
      shape,
      reviewPolicy,
      limits: limitsSaid(asked),
      base,
    }),
    status: 'running' as const,
  }));
});

/** Longest text of others in what is said of a goal in short. */
const SHORT = 500;
const ACTIONS = ['retry', 'retry_with_context', 'continue', 'replan'] as const;

const statusOut = z.object({
  ...ExternalGoalRow.shape,
  createdAt: z.string().describe('When it was set, ISO 8601.'),
  sessionId: z.string().nullable().describe('Session that it runs in, or null.'),
  usage: GoalUsage,
  sessionStatus: z.enum(SESSION_STATUSES).nullable().describe('How that stands, or null.'),
  pendingClarifications: z
    .array(
      z.object({
        clarificationId: z.string().describe('Id of the question.'),
        question: z.string().describe('What is asked.'),
        context: z.string().nullable().describe('What one should know to answer, or null.'),
        options: z.array(z.string()).describe('Answers to choose from. Empty: any.'),
        timeoutAt: z.string().nullable().describe('Until when it waits, or null.'),
        timeoutBehavior: z.enum(TIMEOUT_BEHAVIORS).nullable().describe('What happens then, or null.'),
        requestedAt: z.string().describe('When it was asked, ISO 8601.'),
      }),
    )
    .describe('Questions that wait for an answer, oldest first.'),
  deadLetter: z
    .object({
      entryId: z.string().describe('Id of the failure.'),
      workUnitId: z.string().describe('Work unit that failed.'),
      kind: z.enum(FAILURE_KINDS).describe('What kind of failure it is.'),
      reason: z.string().describe('What went wrong.'),
      attemptCount: z.number().describe('Failed attempts since the last fresh start.'),
      maxAttemptsReached: z.boolean().describe('Whether it is not simply retried any more.'),
      occurredAt: z.string().describe('When, ISO 8601.'),
      recoverableActions: z.array(z.string()).describe('What can be done about it.'),
    })
    .nullable()
    .describe('The newest failure that nothing was done about, wherever in the goal; or null.'),
  pendingReviews: z
    .array(
      z.object({
        proposalId: z.string().describe('Id of the proposal.'),
        workUnitId: z.string().describe('Work unit that proposes it.'),
        summary: z.string().describe('What was done, in short.'),
        action: z.enum(['review', 'apply']).describe('What a person has to do; results_apply does both.'),
      }),
    )
    .describe('Proposals that wait for a person.'),
  heldUp: z
    .array(
      z.object({
        workUnitId: z.string().describe('Work unit that waits.'),
        goal: z.string().describe('What it is to achieve.'),
        waitsFor: z.array(z.string()).describe('Cancelled work units that it needs.'),
        recoverableActions: z.array(z.string()).describe('What can be done: replan what it needs, or cancel the goal.'),
      }),
    )
    .describe('Work that waits for what was cancelled: nothing goes on with it by itself.'),
  waitsForLimits: z
    .array(
      z.object({
        workUnitId: z.string().describe('Work unit that waits.'),
        until: z.string().nullable().describe('When it goes on by itself, ISO 8601; null: when a person resumes it.'),
        because: z.string().describe('What the vendor says.'),
      }),
    )
    .describe('Work that a limit of a vendor of models holds back.'),
  waitsForFiles: z.array(z.string()).describe('Files that work holds while other work waits for them, and until when.'),
  waitsForChecks: z
    .array(z.string())
    .describe('Proposals that land only when their forge finds them good, and which checks that waits for.'),
  conflicts: z
    .array(z.string())
    .describe('Proposals that cannot land since others have changed the same, and who brings both together.'),
  setUpFailures: z
    .array(
      z.object({
        workUnitId: z.string().describe('Work unit; its agent is told.'),
        text: z.string().describe('The script, and how it ended.'),
      }),
    )
    .describe('Folders that could not be set up, of work that is not over.'),
  agentsAtWork: z
    .array(
      z.object({
        agentId: z.string().describe('Id of the agent.'),
        workUnitId: z.string().describe('Work unit that it works on.'),
        currentActivity: z.string().describe('What it does: the step that it has named, else its last turn.'),
      }),
    )
    .describe('Agents whose turn it is.'),
  missingKeys: z.array(z.string()).describe('Names of keys of models that work waits for; the host has none of them.'),
  notConfined: z
    .string()
    .nullable()
    .describe('Why programs of agents are refused on this host, or run as its user, and what to do; or null.'),
});

export const status = operation({
  summary: 'Read how a goal stands: what waits, what failed, and what to do about it.',
  scope: 'read',
  in: z.object({ goalId: GoalId }),
  out: statusOut,
  rest: { route: 'GET /studio/goals/{goalId}/status' },
  external: 'goal_status',
  asks: {
    answeredBy: 'clarification.respondById',
    questions: ({ pendingClarifications }) =>
      pendingClarifications.map(({ clarificationId, question, context, options }) => ({
        id: clarificationId,
        input: { clarificationId },
        options,
        text: context === null ? question : `${question}\n\n${context}`,
      })),
  },
  follows: {
    begunBy: 'external-goal.run',
    endedBy: 'external-goal.cancel',
    namedBy: 'goalId',
    stands: ({ goalId, workUnitId, sessionId, branchId, createdAt, updatedAt, ...read }) => {
      // A goal without a session was set, and not run.
      if (sessionId === null) return undefined;
      const is = read.status === 'Converged' ? 'done' : read.status === 'Abandoned' ? 'ended' : 'working';
      const result = { goalId, workUnitId, sessionId, branchId, status: 'done' };
      return { is, since: createdAt, changedAt: updatedAt, says: inShort(read), result };
    },
  },
  refuses: ['reject.goal_not_found'],
  annotations: READS,
}).run(({ records, look, programs }, { goalId }) => {
  const { kind, text } = programs.confined;
  const found = requireGoal(records, goalId);
  const sessionId = sessionOf(look, records, found.workUnitId) ?? null;
  const failure = unresolvedFailure(records, found);
  return {
    ...found,
    notConfined: kind === 'missing' || kind === 'unconfined' ? text : null,
    pauseReason: found.pauseReason ?? null,
    sessionId,
    usage: usageOf(costsOfTree(records, found.goalId)),
    sessionStatus: (sessionId === null ? undefined : records.sessions.get(sessionId)?.status) ?? null,
    pendingClarifications: openQuestions(records, found).map((asked) => ({
      clarificationId: asked.requestId,
      question: asked.question,
      context: asked.context ?? null,
      options: asked.options,
      timeoutAt: asked.timeoutAt ?? null,
      requestedAt: asked.requestedAt,
      timeoutBehavior: asked.timeoutBehavior ?? null,
    })),
    deadLetter: failure === undefined ? null : { ...failure, recoverableActions: recoverableActions(failure) },
    pendingReviews: pendingReviews(records, found).map(
      ({ unit: { workUnitId }, proposal: { proposalId, summary }, action }) => ({
        proposalId,
        workUnitId,
        summary,
        action,
      }),
    ),
    heldUp: heldUpIn(records, found).map(({ unit, by }) => ({
      workUnitId: unit.workUnitId,
      goal: unit.goal,
      recoverableActions: ['replan', 'cancel'],
      waitsFor: by.map(({ workUnitId }) => workUnitId),
    })),
    waitsForLimits: limitsOf(records, found).map(({ workUnitId, until = null, because }) => ({
      workUnitId,
      until,
      because,
    })),
    waitsForFiles: waitsForFiles(records, found),
    waitsForChecks: waitsForChecks(records, found),
    conflicts: conflictsIn(records, found),
    setUpFailures: treeOf(records, found.workUnitId).flatMap(({ workUnitId, status: stands, metadata }) => {
      const text = isOver(stands) ? undefined : metadata?.['setUpFailed'];
      return text === undefined ? [] : [{ workUnitId, text }];
    }),
    agentsAtWork: atWorkOn(records, found.workUnitId),
    missingKeys: missingKeys(records, found),
  };
});

type Standing = Pick<
  z.output<typeof statusOut>,
  | 'status'
  | 'pauseReason'
  | 'pendingClarifications'
  | 'deadLetter'
  | 'pendingReviews'
  | 'heldUp'
  | 'waitsForLimits'
  | 'waitsForChecks'
  | 'missingKeys'
>;

/** What a goal does or waits for: first what a person has to do. */
function inShort(goal: Standing): string {
  const { status, pauseReason, pendingClarifications, deadLetter, pendingReviews, heldUp, waitsForLimits } = goal;
  const [question] = pendingClarifications;
  const [review] = pendingReviews;
  const [limited] = waitsForLimits;
  const [unchecked] = goal.waitsForChecks;
  const [key] = goal.missingKeys;
  if (status === 'Converged') return 'Its work is done and has landed.';
  if (status === 'Abandoned') return 'It was cancelled.';
  if (status === 'Paused')
    return `It is paused${pauseReason === null ? '' : `: ${pauseReason.slice(0, SHORT)}`}. goal_resume goes on.`;
  if (question) return `It waits for an answer: ${question.question.slice(0, SHORT)}`;
  if (deadLetter) {
    const actions = deadLetter.recoverableActions.join(', ') || 'nothing, but cancelling it';
    return `Work failed: ${deadLetter.reason.slice(0, SHORT)}. goal_recover can do: ${actions}.`;
  }
  if (review) return `${pendingReviews.length} of its results wait for a person: results_get shows them.`;
  if (unchecked) return `Its result waits for checks of its forge: ${unchecked.slice(0, SHORT)}.`;
  if (key !== undefined) return `It waits for the key ${key}.`;
  if (heldUp.length > 0) return 'Work waits for what was cancelled: goal_recover plans that anew.';
  if (limited) return `A vendor holds it back${limited.until === null ? '' : ` until ${limited.until}`}.`;
  return 'Agents are at work.';
}

export const cancel = operation({
  summary: 'Cancel a goal and its work that is not over.',
  scope: 'operate',
  in: z.object({ goalId: GoalId }),
  out: z.object({
    goalId: goalFields.goalId,
    workUnitId: goalFields.workUnitId,
    cancelledWorkUnits: z.number().describe('How many units were cancelled by this.'),
    status: z.literal('cancelled').describe('It is cancelled.'),
  }),
  rest: { route: 'POST /studio/goals/{goalId}/cancel' },
  external: 'goal_cancel',
  human: true,
  refuses: ['reject.goal_not_found', 'reject.wrong_state'],
  annotations: ENDS,
}).run(async (context, { goalId }) => {
  const { records } = context;
  const { workUnitId, status } = requireGoal(records, goalId);
  const most = await cancelInParts(context.change, records, () => openInTree(records, workUnitId));
  return context.answer((change) => {
    const cancelledWorkUnits = most.length + cancelTree(change, records, workUnitId).length;
    if (cancelledWorkUnits === 0 && status === 'Converged')
      throw refusal('reject.wrong_state', `a goal that is ${status} cannot be cancelled`, { goalId, status });
    return { goalId, workUnitId, cancelledWorkUnits, status: 'cancelled' as const };
  });
});

export const requeue = operation({
  summary: 'Begin a cancelled goal again.',
  scope: 'operate',
  in: z.object({
    goalId: GoalId,
    notes: z.string().min(1).max(100_000).optional().describe('What to do otherwise.'),
    ...overrideFields,
  }),
  out: z.object({
    goalId: goalFields.goalId,
    workUnitId: goalFields.workUnitId,
    requeuedWorkUnits: z.number().describe('How many units go on.'),
    status: z.literal('requeued').describe('It goes on.'),
  }),
  rest: { route: 'POST /studio/goals/{goalId}/requeue' },
  external: 'goal_requeue',
  human: true,
  refuses: ['reject.goal_not_found', 'reject.profile_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { goalId, notes, ...given }) => {
  const overrides = overridesOf(context, given);
  return context.answer((change) => {
    const { workUnitId } = requireGoal(context.records, goalId);
    const requeued = requeueTree(change, context.records, workUnitId, { notes, overrides });
    supply(change, context.records, overrides.credentialRef);
    return { goalId, workUnitId, requeuedWorkUnits: requeued.length, status: 'requeued' as const };
  });
});

export const recover = operation({
  summary: 'Act on the newest open failure of a goal; else plan anew what was cancelled and is needed.',
  scope: 'operate',
  in: z.object({
    goalId: GoalId,
    action: z.enum(ACTIONS).describe('One of those that its status lists.'),
    steeringContext: z.string().min(1).max(100_000).optional().describe('The correction, for retry_with_context.'),
  }),
  out: z.object({
    goalId: goalFields.goalId,
    action: z.enum(ACTIONS).describe('What was asked for.'),
    outcome: z.enum(['Retried', 'Continued', 'Replanned']).describe('What was done.'),
    newWorkUnitIds: z.array(z.string()).optional().describe('Units that are planned in place of the failed one.'),
  }),
  rest: { route: 'POST /studio/goals/{goalId}/recover' },
  external: 'goal_recover',
  human: true,
  refuses: [
    'reject.invalid_input',
    'reject.goal_not_found',
    'reject.dead_letter_not_found',
    'reject.attempts_exhausted',
    'reject.recovery_not_applicable',
    'reject.wrong_state',
  ],
  annotations: SETS,
}).run((context, { goalId, action, steeringContext }) =>
  context.answer((change) => {
    const { records } = context;
    const found = requireGoal(records, goalId);
    const failure = unresolvedFailure(records, found);
    if (!failure) {
      const needed = neededOf(records, found);
      if (action !== 'replan')
        throw refusal(
          'reject.recovery_not_applicable',
          'what waits for cancelled work is only helped by planning that anew',
          {
            goalId,
            actions: ['replan'],
          },
        );
      const anew = needed.map((unit) => replanCancelled(change, records, unit));
      return { goalId, action, outcome: 'Replanned' as const, newWorkUnitIds: anew.map((unit) => unit.workUnitId) };
    }
    const { entryId } = failure;
    switch (action) {
      case 'retry':
        retry(change, records, entryId, {});
        return { goalId, action, outcome: 'Retried' as const };
      case 'retry_with_context':
        if (steeringContext === undefined)
          throw refusal('reject.invalid_input', 'steeringContext: is needed for retry_with_context', [
            { field: 'steeringContext', message: 'is needed for retry_with_context' },
          ]);
        retryWithContext(change, records, entryId, steeringContext, {});
        return { goalId, action, outcome: 'Retried' as const };
      case 'continue':
        continueWork(change, records, entryId, {});
        return { goalId, action, outcome: 'Continued' as const };
      case 'replan': {
        const { workUnitId } = replan(change, records, entryId);
        return { goalId, action, outcome: 'Replanned' as const, newWorkUnitIds: [workUnitId] };
      }
    }
  }),
);

/** Cancelled units that others depend on. */
function neededOf(records: Records, found: Goal): WorkUnit[] {
  const needed = new Set(heldUpIn(records, found).flatMap(({ by }) => by));
  if (needed.size > 0) return [...needed];
  const { goalId } = found;
  throw refusal('reject.dead_letter_not_found', `nothing of ${goalId} has failed or is held up`, { goalId });
}

/** Guard: refuses a profile of another stage, which would be passed over when it is chosen who works. */
function requireWorker(records: Records, profileId: string): void {
  const { stage } = profileOf(records, profileId);
  if (stage === 'Execute') return;
  const workers = records.agentProfiles.all().filter((one) => one.stage === 'Execute');
  const named = workers.map(({ agentProfileId }) => agentProfileId).join(', ');
  const message = `${profileId} is of the stage ${stage}; those of the stage Execute are ${named}`;
  throw refusal('reject.invalid_input', `workerProfileId: ${message}`, [{ field: 'workerProfileId', message }]);
}
