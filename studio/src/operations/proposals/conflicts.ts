/** Conflicts between proposals and the branches that they are for. */
import { z } from 'zod';
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import { apply } from '../../rules/proposals/apply.js';
import { conflictOf } from '../../rules/proposals/conflicts.js';
import { reconcile, resolveWith } from '../../rules/proposals/reconcile.js';
import { refusal } from '../../reasons.js';
import { profileOf, unitOf } from '../../record/views/by-id.js';
import { supply } from '../../rules/queue/queue.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS } from '../kernel/hints.js';
import { FOLDER_REFUSALS, BRANCH_REFUSALS } from '../branches/branch-shape.js';
import { type ModelFields, ProfileId, choiceOf, modelFields } from '../agents/model-choice-shape.js';
import { LANDING_REFUSALS, MergeConflict, MergeProposal, conflictView, proposalView } from './merge-shape.js';
import { WorkUnit, WorkUnitId } from '../goals/work-unit-shape.js';

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
  ...BRANCH_REFUSALS,
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
