/** Known-good states: marked, and restored. */
import { z } from 'zod';
import { differencesOf, goBack, markGood, stateOf } from '../../rules/branches/known-good.js';
import { refusal } from '../../reasons.js';
import { eventById } from '../../rules/goals/event-id.js';
import { requireSession } from '../../rules/goals/session-of.js';
import { createUnit } from '../../rules/goals/create-unit.js';
import { profileOf } from '../../record/views/by-id.js';
import { enqueueAgain } from '../../rules/queue/queue.js';
import type { Warrant } from '../../rules/branches/user-law.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { BranchId, FOLDER_REFUSALS, BRANCH_REFUSALS, RepositoryOfBranch, USER_REFUSALS } from './branch-shape.js';
import { Differences, KnownGoodState, Materialization, StateId, stateView } from './known-good-shape.js';

export const markKnownGood = operation({
  summary: 'Mark what a branch holds now as known to be good. It is kept for good.',
  scope: 'operate',
  in: z.object({
    branchId: BranchId,
    description: z.string().min(1).max(20_000).describe('What is good about it.'),
    verificationResults: z.string().max(200_000).optional().describe('What was checked.'),
    createdBy: z.string().min(1).max(200).default('user').describe('Who marks it.'),
    nodeId: z.string().max(400).optional().describe('Event of the record that it belongs to.'),
    repositoryId: RepositoryOfBranch,
  }),
  out: KnownGoodState,
  rest: { route: 'POST /studio/state/markKnownGood' },
  tool: 'state_markKnownGood',
  refuses: ['reject.event_not_found', ...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: ADDS,
}).run(async (context, mark) => {
  const { nodeId } = mark;
  if (nodeId !== undefined && !eventById(context.feed, nodeId))
    throw refusal('reject.event_not_found', `nodeId: no event is called ${nodeId}`, { eventId: nodeId });
  const record = await markGood(context, mark);
  return context.answer((change) => stateView(record(change)));
});

export const findKnownGood = operation({
  summary: 'List the known-good states of a branch, oldest first.',
  scope: 'read',
  in: z.object({ branchId: BranchId }),
  out: z.array(KnownGoodState),
  rest: { route: 'GET /studio/state/knownGood/{branchId}' },
  tool: 'state_findKnownGood',
  list: 'stateId',
  refuses: [],
  annotations: READS,
}).run(({ records }, { branchId }) => records.knownGoods.where('branch', branchId).map(stateView));

export const checkoutKnownGood = operation({
  summary: 'Make the branch of a known-good state hold what it held then.',
  scope: 'operate',
  in: z.object({
    stateId: StateId.optional(),
    knownGoodStateId: StateId.optional().describe('Another name for stateId.'),
  }),
  out: KnownGoodState,
  rest: { route: 'POST /studio/state/checkoutKnownGood' },
  tool: 'state_checkoutKnownGood',
  refuses: ['reject.invalid_input', 'reject.state_not_found', ...USER_REFUSALS, ...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: ENDS,
}).run(async (context, { knownGoodStateId, stateId = knownGoodStateId }) => {
  if (stateId === undefined) throw refusal('reject.invalid_input', 'stateId: is missing', [{ field: 'stateId' }]);
  const found = stateOf(context.records, stateId);
  await goBack(context, found, warrantOf(context));
  return stateView(found);
});

export const rollback = operation({
  summary: 'Take a branch back to one of its known-good states.',
  scope: 'operate',
  in: z.object({
    branchId: BranchId,
    knownGoodStateId: StateId,
  }),
  out: z.object({
    branchId: z.string().describe('Id of the branch.'),
    knownGoodStateId: z.string().describe('State that it holds again.'),
    headCheckpoint: z.string().describe('Commit that it is at.'),
  }),
  rest: { route: 'POST /studio/replay/rollback/{branchId}' },
  tool: 'replay_rollback',
  refuses: ['reject.state_not_found', ...USER_REFUSALS, ...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: ENDS,
}).run(async (context, { branchId, knownGoodStateId }) => {
  const found = stateOf(context.records, knownGoodStateId);
  if (found.branchId !== branchId)
    throw refusal('reject.state_not_found', `${knownGoodStateId} is a state of ${found.branchId}, not of ${branchId}`, {
      branchId,
      knownGoodStateId,
    });
  return { branchId, knownGoodStateId, headCheckpoint: await goBack(context, found, warrantOf(context)) };
});

export const fork = operation({
  summary: 'Begin a goal with what a known-good state holds.',
  scope: 'operate',
  in: z.object({
    stateId: StateId,
    goal: z.string().min(1).max(100_000).describe('What is to be achieved.'),
    profileId: z
      .string()
      .max(200)
      .optional()
      .describe('Profile of the agent that begins at once. Default: nobody begins.'),
    sessionId: z.string().max(200).optional().describe('Session in which it was decided.'),
  }),
  out: z.object({ workUnitId: z.string().describe('Id of the new work unit.') }),
  rest: { route: 'POST /studio/state/{stateId}/fork' },
  refuses: [
    'reject.state_not_found',
    'reject.session_not_found',
    'reject.repository_not_found',
    'reject.profile_not_found',
  ],
  annotations: ADDS,
}).run((context, { stateId, goal, profileId, sessionId }) =>
  context.answer((change) => {
    requireSession(change, context.records, sessionId);
    const { commit, repositoryId } = stateOf(context.records, stateId);
    const metadata = profileId === undefined ? {} : { metadata: { profileId } };
    const given = { goal, owner: context.caller.name, repositoryId, seedSnapshotId: commit, ...metadata };
    if (profileId !== undefined) profileOf(context.records, profileId);
    const { workUnitId } = createUnit(change, context.records, given);
    if (profileId !== undefined) enqueueAgain(change, context.records, workUnitId);
    return { workUnitId };
  }),
);

export const diff = operation({
  summary: 'Say how two known-good states differ.',
  scope: 'read',
  in: z.object({
    stateIdA: StateId,
    stateIdB: StateId,
  }),
  out: Differences,
  rest: { route: 'GET /studio/projections/known-good/{stateIdA}/diff/{stateIdB}' },
  tool: 'projection_diff_known_good',
  refuses: ['reject.state_not_found', 'reject.invalid_input', 'reject.git_failed'],
  annotations: READS,
}).run(async (context, { stateIdA, stateIdB }) => {
  const [a, b] = [stateOf(context.records, stateIdA), stateOf(context.records, stateIdB)];
  const differences = await differencesOf(context, a, b);
  const count = (wanted: string): number => differences.filter(({ status }) => status === wanted).length;
  return {
    stateIdA,
    stateIdB,
    differences,
    addedCount: count('Added'),
    removedCount: count('Removed'),
    modifiedCount: count('Modified'),
  };
});

export const materialize = operation({
  summary: 'Write the files of a known-good state to a new folder.',
  scope: 'operate',
  in: z.object({
    stateId: StateId,
    targetPath: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Absolute path of an empty folder, or of one to be made. Default: a folder of the studio.'),
  }),
  out: Materialization,
  rest: { route: 'POST /studio/projections/known-good/{stateId}/materialize', query: ['targetPath'] },
  tool: 'projection_materialize_known_good',
  refuses: ['reject.state_not_found', 'reject.repository_path_unusable', 'reject.git_failed'],
  annotations: SETS,
}).run(async ({ records, disk }, { stateId, targetPath }) => {
  const { commit, repositoryId } = stateOf(records, stateId);
  const started = performance.now();
  const store = await disk.stores.of(repositoryId);
  const target = await disk.spaces.export(store, commit, stateId, targetPath);
  const fileCount = (await store.files(commit)).length;
  const durationMs = Math.round(performance.now() - started);
  return {
    snapshotId: commit,
    targetKind: 'LocalFilesystem' as const,
    targetPath: target,
    fileCount,
    durationMs,
    succeeded: true as const,
  };
});

function warrantOf({ caller: { kind } }: Context): Warrant {
  return { by: 'caller', kind };
}
