/** Work units: pieces of work, each on a branch of its own. */
import { z } from 'zod';
import { OUTPUT_KINDS, type WorkUnitGiven } from '../../record/aggregates/work-unit/events.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import { refusal } from '../../reasons.js';
import { cancelInParts, cancelThese, cancelTree, openInTree, openUnits } from '../../rules/queue/cancel.js';
import { createUnit } from '../../rules/goals/create-unit.js';
import { type ReviewPolicy as Policy, isStricter, policyFor } from '../../rules/goals/review-policy.js';
import { moveUnit } from '../../rules/queue/move.js';
import { requireGoal, unitOf } from '../../record/views/by-id.js';
import type { Records } from '../../record/views/records.js';
import { treeOf } from '../../rules/goals/tree.js';
import { scopeThatIsLeft } from '../../rules/branches/in-scope.js';
import { repositoryNamed } from '../branches/repository-meant.js';
import type { Caller } from '../kernel/caller.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { NARROW_FIELDS, narrowed } from '../kernel/narrow.js';
import { Shown } from '../kernel/pages.js';
import { GoalId } from './goal-shape.js';
import { requireOneRepository, requireReferences, requireSeed } from './named-places.js';
import { SessionId } from './session-shape.js';
import { FileReference, Minutes, ReviewPolicy, WorkUnit, WorkUnitId, WorkUnitView, viewOf } from './work-unit-shape.js';

export const create = operation({
  summary: 'Create a work unit. One without a parent begins a goal.',
  scope: 'operate',
  in: z.object({
    goal: z.string().min(1).max(100_000).describe('What is to be achieved.'),
    owner: z.string().min(1).max(200).default('studio').describe('Who asks for it.'),
    branchId: z.string().min(1).max(400).optional().describe('Branch to work on. Default: a new one.'),
    successCriteria: z.string().max(100_000).optional().describe('How to tell that it is done.'),
    repositoryPath: z.string().max(4096).optional().describe('Folder of the repository, in place of repositoryId.'),
    parentWorkUnitId: WorkUnitId.optional().describe('Unit that it is a part of.'),
    dependsOn: z.array(WorkUnitId).max(1000).optional().describe('Units that must be merged before it begins.'),
    fileScope: z
      .array(z.string().min(1).max(1000))
      .max(1000)
      .optional()
      .describe('Globs of the files that it may change.'),
    taskReviewPolicy: ReviewPolicy.optional().describe(
      "Who approves what goes into its parent. Default: the parent's, or HumanRequired.",
    ),
    workspaceReviewPolicy: ReviewPolicy.optional().describe(
      "Who approves what reaches the repository. Default: the parent's, or HumanRequired.",
    ),
    taskReviewHybridTimeoutMinutes: Minutes.optional().describe('How long a person has to object, for Hybrid.'),
    workspaceReviewHybridTimeoutMinutes: Minutes.optional().describe(
      'How long a person has to object before work reaches the repository, for Hybrid.',
    ),
    bypassPromotionBranch: z.boolean().optional().describe('True to merge past the candidate branch.'),
    seedFromBranchId: z.string().min(1).max(400).optional().describe('Branch that its own begins with.'),
    expectedOutputKind: z.enum(OUTPUT_KINDS).optional().describe('What it should bring about. Default: FileChange.'),
    repositoryId: z.string().min(1).max(200).optional().describe("Repository to work on. Default: the parent's."),
    referenceFiles: z.array(FileReference).max(200).optional().describe('Files to be read for context.'),
  }),
  out: WorkUnit,
  rest: { route: 'POST /studio/workunits' },
  tool: 'workunit_create',
  dispatch: true,
  refuses: [
    'reject.workunit_not_found',
    'reject.repository_not_found',
    'reject.waits_for_itself',
    'reject.wrong_state',
    'reject.branch_not_found',
    'reject.path_outside_repository',
    'reject.outside_file_scope',
  ],
  annotations: ADDS,
}).run((context, { repositoryPath, repositoryId, ...wanted }) =>
  context.answer((change) => {
    const { records } = context;
    requireSeed(records, wanted.seedFromBranchId);
    requireReferences(records, wanted.referenceFiles);
    if (context.caller.kind === 'agent') requireNoLaxer(records, context.caller, wanted);
    const inside = repositoryNamed(records, { repositoryId, repositoryPath });
    requireOneRepository(records, { ...wanted, repositoryId: inside });
    requireWithinWhole(records, wanted.parentWorkUnitId, wanted.fileScope);
    return createUnit(change, records, { repositoryId: inside, ...wanted });
  }),
);

/** Guard: a part may change no file that its whole may not. */
function requireWithinWhole(records: Records, wholeId: string | undefined, fileScope: readonly string[] = []): void {
  if (wholeId === undefined || !records.workUnits.get(wholeId)) return;
  const left = scopeThatIsLeft(records, wholeId, fileScope);
  if (!left) return;
  const { unit, beyond } = left;
  throw refusal(
    'reject.outside_file_scope',
    `${beyond.join(', ')} ${beyond.length === 1 ? 'is' : 'are'} not within what ${unit.workUnitId} may change, which is ${unit.fileScope.join(', ')}`,
    { beyond, workUnitId: unit.workUnitId, fileScope: unit.fileScope },
  );
}

type Reviewed = {
  readonly [
    Name in
      | 'taskReviewPolicy'
      | 'workspaceReviewPolicy'
      | 'taskReviewHybridTimeoutMinutes'
      | 'workspaceReviewHybridTimeoutMinutes'
      | 'bypassPromotionBranch'
  ]?: WorkUnitGiven[Name] | undefined;
};

/** Guard: an agent makes no work that fewer people look at than at its own. */
function requireNoLaxer({ agents, workUnits }: Records, { agentId = '' }: Caller, wanted: Reviewed): void {
  const own = workUnits.get(agents.get(agentId)?.workUnitId ?? '');
  const pairs = [
    [wanted.taskReviewPolicy, wanted.taskReviewHybridTimeoutMinutes, false],
    [wanted.workspaceReviewPolicy, wanted.workspaceReviewHybridTimeoutMinutes, true],
  ] as const;
  const isLaxer = pairs.some(([policy, minutes, reachesUser]) => {
    if (policy === undefined) return false;
    const held: Policy = own ? policyFor(own, reachesUser) : { policy: 'HumanRequired' };
    return isStricter(held, minutes === undefined ? { policy } : { policy, minutes });
  });
  if (!isLaxer && (wanted.bypassPromotionBranch !== true || own?.bypassPromotionBranch === true)) return;
  throw refusal('reject.human_only', 'only people may say that fewer of them look at what comes of work');
}

export const list = operation({
  summary: 'List the work units, oldest first.',
  scope: 'read',
  in: z.object({
    branchId: z.string().max(400).optional().describe('Only those on this branch.'),
    sessionId: SessionId.optional().describe('Only those of this session.'),
    goalId: GoalId.optional().describe('Only those of this goal.'),
    ...NARROW_FIELDS,
  }),
  out: z.array(WorkUnitView),
  rest: { route: 'GET /studio/workunits', query: ['branchId', 'sessionId', 'goalId', 'words', 'newest'] },
  tool: 'workunit_list',
  list: 'workUnitId',
  dispatch: true,
  refuses: ['reject.session_not_found', 'reject.goal_not_found'],
  annotations: READS,
}).run(async (context, { branchId, sessionId, goalId, ...narrow }) => {
  const { records } = context;
  const session = sessionId === undefined ? undefined : records.sessions.get(sessionId);
  if (sessionId !== undefined && !session)
    throw refusal('reject.session_not_found', `no session is called ${sessionId}`, { sessionId });
  // A goal has the id of its first root, which what has replaced that root hangs on.
  const ofGoal = goalId === undefined ? undefined : new Set(treeOf(records, requireGoal(records, goalId).goalId));
  const ofSession = session && new Set(treeOf(records, session.rootWorkUnitId));
  const found = [...(ofGoal ?? ofSession ?? records.workUnits.all())].filter(
    (unit) => (branchId === undefined || unit.branchId === branchId) && (ofSession?.has(unit) ?? true),
  );
  const shown = await narrowed(found, narrow, ({ workUnitId, goal }) => `${workUnitId} ${goal}`);
  return Shown.of(shown, (unit) => viewOf(context, unit));
});

export const get = operation({
  summary: 'Read one work unit.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: WorkUnitView,
  rest: { route: 'GET /studio/workunits/{workUnitId}' },
  tool: 'workunit_get',
  dispatch: true,
  version: ({ workUnits }, { workUnitId }) => workUnits.version(workUnitId) || undefined,
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run((context, { workUnitId }) => viewOf(context, unitOf(context.records, workUnitId)));

export const children = operation({
  summary: 'List the parts that a work unit was divided into.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(WorkUnit),
  rest: { route: 'GET /studio/workunits/{workUnitId}/children' },
  list: 'workUnitId',
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId }) => records.workUnits.where('parent', unitOf(records, workUnitId).workUnitId));

export const update = operation({
  summary: 'Change the state, the agent or the file scope of a work unit.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    status: z
      .enum(['Active', 'Proposed', 'Reviewing', 'Completed'])
      .optional()
      .describe('What it becomes, if that may follow from what it is. The queue, merges and cancelling say the rest.'),
    assignedAgent: z.string().min(1).max(200).optional().describe('Agent that works on it.'),
    fileScope: z
      .array(z.string().min(1).max(1000))
      .max(1000)
      .optional()
      .describe('Globs of the files that it may change.'),
  }),
  out: WorkUnit,
  tool: 'workunit_update',
  dispatch: true,
  ofPeople: ['status', 'assignedAgent', 'fileScope'],
  version: ({ workUnits }, { workUnitId }) => workUnits.version(workUnitId) || undefined,
  refuses: ['reject.workunit_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { workUnitId, status, assignedAgent, fileScope }) =>
  context.answer((change) => {
    let unit = unitOf(context.records, workUnitId);
    if (unit.status === 'DeadLettered' && status !== undefined)
      throw refusal('reject.wrong_state', 'it has failed; recover it from the dead letters', { workUnitId });
    if (fileScope) unit = change.run(workUnit, workUnitId, 'scope', { fileScope });
    if (assignedAgent !== undefined) unit = change.run(workUnit, workUnitId, 'assign', { agentId: assignedAgent });
    return status === undefined ? unit : moveUnit(change, context.records, workUnitId, status);
  }),
);

export const dependents = operation({
  summary: 'List the work units that wait for this one.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(z.string()),
  tool: 'workunit_dependents',
  dispatch: true,
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId }) =>
  records.workUnits.where('needs', unitOf(records, workUnitId).workUnitId).map((unit) => unit.workUnitId),
);

export const cancel = operation({
  summary: 'Cancel a work unit and all below it. What is completed or merged stays.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.object({ cancelledWorkUnitIds: z.array(z.string()).describe('Units that were cancelled by this.') }),
  rest: { route: 'POST /studio/workunits/{workUnitId}/cancel' },
  human: true,
  version: ({ workUnits }, { workUnitId }) => workUnits.version(workUnitId) || undefined,
  refuses: ['reject.workunit_not_found'],
  annotations: ENDS,
}).run(async (context, { workUnitId }) => {
  const { records } = context;
  const most = await cancelInParts(context.change, records, () => openInTree(records, workUnitId));
  return context.answer((change) => ({
    cancelledWorkUnitIds: [...most, ...cancelTree(change, records, workUnitId)],
  }));
});

export const stopAll = operation({
  summary: 'Cancel everything that is not over.',
  scope: 'operate',
  in: z.object({}),
  out: z.object({ cancelledWorkUnitIds: z.array(z.string()).describe('Units that were cancelled by this.') }),
  rest: { route: 'POST /studio/stop-all' },
  human: true,
  refuses: [],
  annotations: ENDS,
}).run(async (context) => {
  const { records } = context;
  const most = await cancelInParts(context.change, records, () => openUnits(records));
  return context.answer((change) => ({
    cancelledWorkUnitIds: [...most, ...cancelThese(change, records, openUnits(records))],
  }));
});
