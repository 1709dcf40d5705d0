/** Conflicts between proposals and the branches that they are for, and what waits on the candidate branch. */
import { z } from 'zod';
import type { Conflict } from '../aggregates/conflict/conflict.js';
import { apply } from '../branches/apply.js';
import { conflictOf } from '../branches/conflicts.js';
import { repositoryOr } from '../branches/place.js';
import { promote as promoteTo } from '../branches/promote.js';
import { reconcile, resolveWith } from '../branches/reconcile.js';
import { pendingOn } from '../branches/settle-landed.js';
import { refusal } from '../reasons.js';
import { profileOf } from '../flows/profiles.js';
import { supply } from '../flows/queue.js';
import { unitOf } from '../flows/tree.js';
import type { Context } from './context.js';
import { operation } from './define.js';
import { ADDS, READS, SETS } from './hints.js';
import { FOLDER_REFUSALS, PLACE_REFUSALS, RepositoryOfBranch } from './shapes/branch.js';
import { type ModelFields, ProfileId, choiceOf, modelFields } from './shapes/model-choice.js';
import { LANDING_REFUSALS, MergeConflict, MergeProposal, conflictView, proposalView } from './shapes/merge.js';
import { WorkUnit, WorkUnitId } from './shapes/work-unit.js';

const ConflictId = z.string().min(1).max(200).describe('Id of a conflict.');
const steering = {
  steeringNotes: z.string().max(100_000).optional().describe('What a person wants to come of it.'),
  profileId: ProfileId.optional().describe('Profile of the agent that is to do it. Default: reconciler.'),
  ...modelFields,
};
const Files = z
  .record(z.string().max(4096), z.string().nullable())
  .describe('What each file in conflict is to hold; null for none. All of them, and no other.');
const COMMON = [
  ...['reject.conflict_not_found', 'reject.proposal_not_found', 'reject.profile_not_found', 'reject.wrong_state'],
  ...PLACE_REFUSALS,
  ...FOLDER_REFUSALS,
] as const;
const RESOLVES = ['reject.invalid_input', ...LANDING_REFUSALS, ...COMMON] as const;

export const listOfTask = operation({
  summary: 'List the open conflicts of a work unit and of its parts.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(MergeConflict),
  rest: { route: 'GET /studio/workunits/{workUnitId}/task-conflicts' },
  list: 'conflictId',
  refuses: [],
  annotations: READS,
}).run(({ records: { conflicts } }, { workUnitId }) => {
  const found = [...conflicts.where('workUnit', workUnitId), ...conflicts.where('parent', workUnitId)];
  return found.filter(({ kind, status }) => kind === 'task' && status !== 'Resolved').map(conflictView);
});

export const reconcileTask = operation({
  summary: 'Begin work that brings both sides of a conflict together.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId, conflictId: ConflictId, ...steering }),
  out: WorkUnit,
  rest: { route: 'POST /studio/workunits/{workUnitId}/task-conflicts/{conflictId}/reconcile' },
  refuses: ['reject.workunit_not_found', ...COMMON],
  annotations: ADDS,
}).run((context, { workUnitId, conflictId, ...said }) => {
  unitOf(context.records, workUnitId);
  return begin(context, conflictOf(context.records, conflictId, 'task'), said);
});

export const resolveTask = operation({
  summary: 'End a conflict with contents that a person gives, and land them.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId, conflictId: ConflictId, files: Files }),
  out: MergeProposal,
  rest: { route: 'POST /studio/workunits/{workUnitId}/task-conflicts/{conflictId}/resolve' },
  human: true,
  refuses: ['reject.workunit_not_found', ...RESOLVES],
  annotations: ADDS,
}).run((context, { workUnitId, conflictId, files }) => {
  unitOf(context.records, workUnitId);
  return end(context, conflictOf(context.records, conflictId, 'task'), files);
});

export const pending = operation({
  summary: "List what is on the candidate branch and not in the user's repository yet.",
  scope: 'read',
  in: z.object({ repositoryId: RepositoryOfBranch }),
  out: z.array(
    z.object({
      proposalId: z.string().describe('Id of the proposal.'),
      workUnitId: z.string().optional().describe('Work unit that it is the result of.'),
      goal: z.string().describe('What was to be achieved.'),
      summary: z.string().describe('What was done.'),
      filesTouched: z.array(z.string()).describe('Files that it changes.'),
    }),
  ),
  rest: { route: 'GET /studio/branches/candidate/pending', query: ['repositoryId'] },
  list: 'proposalId',
  refuses: ['reject.branch_unknown_repository', 'reject.repository_not_found'],
  annotations: READS,
}).run(({ records }, { repositoryId }) => pendingOn(records, repositoryOr(records, repositoryId)));

export const listOfCandidate = operation({
  summary: 'List the open conflicts on the candidate branch.',
  scope: 'read',
  in: z.object({}),
  out: z.array(MergeConflict),
  rest: { route: 'GET /studio/branches/candidate/conflicts' },
  list: 'conflictId',
  refuses: [],
  annotations: READS,
}).run(({ records: { conflicts } }) =>
  conflicts
    .all()
    .filter(({ kind, status }) => kind === 'candidate' && status !== 'Resolved')
    .map(conflictView),
);

export const reconcileCandidate = operation({
  summary: 'Begin work that brings both sides of a conflict on the candidate branch together.',
  scope: 'operate',
  in: z.object({ conflictId: ConflictId, ...steering }),
  out: WorkUnit,
  rest: { route: 'POST /studio/branches/candidate/conflicts/{conflictId}/reconcile' },
  refuses: COMMON,
  annotations: ADDS,
}).run((context, { conflictId, ...said }) =>
  begin(context, conflictOf(context.records, conflictId, 'candidate'), said),
);

export const resolveCandidate = operation({
  summary: 'End a conflict on the candidate branch with contents that a person gives, and land them there.',
  scope: 'operate',
  in: z.object({ conflictId: ConflictId, files: Files }),
  out: MergeProposal,
  rest: { route: 'POST /studio/branches/candidate/conflicts/{conflictId}/resolve' },
  human: true,
  refuses: RESOLVES,
  annotations: ADDS,
}).run((context, { conflictId, files }) => end(context, conflictOf(context.records, conflictId, 'candidate'), files));

export const promote = operation({
  summary: "Take what is on the candidate branch to the user's own branch, if it passes its checks.",
  scope: 'operate',
  in: z.object({ repositoryId: RepositoryOfBranch }),
  out: z.object({
    promoted: z.literal(true).describe('Always true.'),
    source: z.string().describe('Branch that it came from.'),
    target: z.string().describe('Branch that has it now.'),
    proposalCount: z.number().describe('How many proposals it were.'),
    proposalIds: z.array(z.string()).describe('Which ones.'),
  }),
  rest: { route: 'POST /studio/branches/candidate/promote' },
  human: true,
  refuses: LANDING_REFUSALS,
  annotations: SETS,
}).run((context, { repositoryId }) =>
  promoteTo(context, repositoryOr(context.records, repositoryId), context.gate, (proposalIds, record) =>
    context.answer((change) => {
      record(change);
      const count = { proposalCount: proposalIds.length, proposalIds: [...proposalIds] };
      return { promoted: true as const, source: 'candidate', target: 'main', ...count };
    }),
  ),
);

interface Said extends ModelFields {
  readonly steeringNotes?: string | undefined;
  readonly profileId?: string | undefined;
}

async function begin(context: Context, conflict: Conflict, { steeringNotes, profileId, ...model }: Said) {
  if (profileId !== undefined) profileOf(context.records, profileId);
  const choice = { ...choiceOf(context, model), profileId };
  const record = await reconcile(context, conflict, { steeringNotes, choice });
  return context.answer((change) => {
    const unit = record(change);
    supply(change, context.records, choice.credentialRef);
    return unit;
  });
}

async function end(context: Context, conflict: Conflict, files: Readonly<Record<string, string | null>>) {
  if (Object.keys(files).length === 0)
    throw refusal('reject.invalid_input', 'files: names no file', [{ field: 'files' }]);
  const record = await resolveWith(context, conflict, files, context.caller.name);
  const { proposalId } = await context.change(record);
  return apply(context, proposalId, (landed) => context.answer((change) => proposalView(landed(change))));
}
