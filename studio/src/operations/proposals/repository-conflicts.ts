/** File conflicts: files that two pieces of work have changed differently. */
import { z } from 'zod';
import {
  REPOSITORY_CONFLICT_STATUSES,
  type RepositoryConflict as Held,
  STRATEGIES,
  type Strategy,
  repositoryConflict,
} from '../../record/aggregates/repository-conflict/repository-conflict.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import { type Help, findContents, resolveFile } from '../../rules/proposals/conflict-files.js';
import { headOf, storedBranch, repositoryOr } from '../../rules/branches/stored-branch.js';
import { createUnit } from '../../rules/goals/create-unit.js';
import { enqueueAgain } from '../../rules/queue/queue.js';
import { isReason, refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { RepositoryOfBranch } from '../branches/branch-shape.js';
import { LANDING_REFUSALS } from './merge-shape.js';
import { type ModelFields, modelFields } from '../agents/model-choice-shape.js';

const ConflictId = z.string().min(1).max(200).describe('Id of a conflict.');

const RepositoryConflict = z
  .object({
    conflictId: z.string().describe('Id of the conflict.'),
    repositoryId: z.string().describe('Repository of the file.'),
    path: z.string().describe('Path of the file.'),
    opIdA: z.string().describe('What was there first: a proposal, or the commit of the target.'),
    opIdB: z.string().describe('Proposal that came later.'),
    oldBlobId: z.string().optional().describe('What both began with. Absent: no file.'),
    blobIdA: z.string().optional().describe('What the first made of it. Absent: no file.'),
    blobIdB: z.string().optional().describe('What the later one made of it. Absent: no file.'),
    detectedAt: z.string().describe('When it was found, ISO 8601.'),
    status: z.enum(REPOSITORY_CONFLICT_STATUSES).describe('How it stands.'),
    workUnitIdA: z.string().optional().describe('Work unit of the first.'),
    workUnitIdB: z.string().optional().describe('Work unit of the later one.'),
    resolvedByConflictResolutionOpId: z.string().optional().describe('What ended it.'),
  })
  .meta({ id: 'RepositoryConflict', description: 'A file that two pieces of work have changed differently.' });

export const list = operation({
  summary: 'List the files of a repository that are or were in conflict, oldest first.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryOfBranch }),
  out: z.object({
    repositoryId: z.string().describe('Id of the repository.'),
    conflicts: z.array(RepositoryConflict).describe('The files.'),
    count: z.number().describe('How many there are.'),
  }),
  rest: { route: 'GET /studio/conflicts', query: ['repositoryId'] },
  refuses: ['reject.branch_unknown_repository', 'reject.repository_not_found'],
  annotations: READS,
}).run(({ records }, given) => {
  const repositoryId = repositoryOr(records, given.repositoryId);
  const conflicts = records.repositoryConflicts.where('repository', repositoryId).map(shown);
  return { repositoryId, conflicts, count: conflicts.length };
});

export const get = operation({
  summary: 'Read one file in conflict.',
  scope: 'read',
  in: z.object({ conflictId: ConflictId }),
  out: RepositoryConflict,
  rest: { route: 'GET /studio/conflicts/{conflictId}' },
  version: ({ repositoryConflicts }, { conflictId }) => repositoryConflicts.version(conflictId) || undefined,
  refuses: ['reject.conflict_not_found'],
  annotations: READS,
}).run(({ records }, { conflictId }) => shown(conflictOf(records, conflictId)));

export const dismiss = operation({
  summary: 'Say that a file in conflict needs no care. The proposal in conflict stays as it is.',
  scope: 'operate',
  in: z.object({ conflictId: ConflictId }),
  out: RepositoryConflict,
  rest: { route: 'POST /studio/conflicts/{conflictId}/dismiss' },
  human: true,
  refuses: ['reject.conflict_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { conflictId }) =>
  context.answer((change) => shown(change.run(repositoryConflict, conflictId, 'dismiss', {}))),
);

export const resolve = operation({
  summary: 'Find what a file in conflict is to hold. With the last file of a proposal, the proposal lands.',
  scope: 'operate',
  in: z.object({
    conflictId: ConflictId,
    strategy: z.enum(STRATEGIES).optional().describe('How. Default: one after the other, until one works.'),
    content: z.string().nullable().optional().describe('What a person says that it is to hold; null for no file.'),
    ...modelFields,
  }),
  out: z.object({
    success: z.literal(true).describe('Always true.'),
    conflict: RepositoryConflict,
    strategy: z.enum(STRATEGIES).describe('What has worked.'),
    landedProposalId: z.string().nullable().describe('Proposal that has landed with it, or null.'),
    requeueLosingWorkUnit: z.literal(false).describe('Always false: nothing is to be done again.'),
  }),
  rest: { route: 'POST /studio/conflicts/{conflictId}/resolve', query: ['strategy'] },
  human: true,
  refuses: [...['reject.conflict_not_found', 'reject.conflict_unresolved'], ...LANDING_REFUSALS] as const,
  annotations: SETS,
}).run(async (context, { conflictId, strategy, content, ...choice }) => {
  const found = conflictOf(context.records, conflictId);
  const { status, path } = found;
  if (status === 'Resolved')
    throw refusal('reject.wrong_state', `${conflictId} is resolved already`, { conflictId, status });
  const strategies: readonly Strategy[] = strategy === undefined ? STRATEGIES : [strategy];
  const merge = isAsked(choice) ? askModel(context, choice) : undefined;
  const contents = await findContents(context, found, strategies, { contents: content, merge });
  if ('reasons' in contents)
    throw refusal('reject.conflict_unresolved', `${path}: ${contents.reasons.join('; ')}`, {
      success: false,
      conflictId,
      reasons: contents.reasons,
      ...(await beginAnew(context, found)),
    });
  const { landedProposalId } = await resolveFile(context, found, contents, context.caller.name);
  const conflict = shown(conflictOf(context.records, conflictId));
  const used = { strategy: contents.strategy, landedProposalId };
  return { success: true as const, conflict, ...used, requeueLosingWorkUnit: false as const };
});

/** Whether a model is to be asked. Refuses what is said of a model where none is named. */
function isAsked({ provider, ...said }: ModelFields): boolean {
  if (provider !== undefined) return true;
  const [field] = Object.entries(said).find(([, value]) => value !== undefined) ?? [];
  if (field === undefined) return false;
  const message = `is said, and no model is asked without a provider`;
  throw refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
}

/** Merge strategy by a model; a model that fails is one strategy that does not work, like any other. */
function askModel({ models }: Context, choice: ModelFields): NonNullable<Help['merge']> {
  return async (versions) => {
    try {
      return (await models.merge(choice, versions)) ?? { why: 'the model sees no way to have both' };
    } catch (error) {
      if (isReason(error, 'reject.model_unavailable') || isReason(error, 'reject.model_refused'))
        return { why: error.message };
      throw error;
    }
  };
}

/** Restarts the later piece of work on top of the first, once, where the options want that. */
async function beginAnew(context: Context, { conflictId, workUnitIdB, mergeConflictId }: Held) {
  const { records } = context;
  const { allowAutoRequeue } = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  const losing = records.workUnits.get(workUnitIdB ?? '');
  const conflict = records.conflicts.get(mergeConflictId);
  if (!allowAutoRequeue || !losing || !conflict) return { requeueLosingWorkUnit: false };
  const target = await storedBranch(context, conflict.targetBranch, conflict.repositoryId);
  const seedSnapshotId = await headOf(context, target);
  const requeuedWorkUnitId = await context.change((change) => {
    const before = change.state(repositoryConflict, conflictId)?.requeuedWorkUnitId;
    if (before !== undefined) return before;
    const { goal, owner, parentWorkUnitId, repositoryId = conflict.repositoryId, successCriteria } = losing;
    const again = { goal, owner, parentWorkUnitId, repositoryId, successCriteria, seedSnapshotId };
    const { workUnitId } = createUnit(change, records, again);
    enqueueAgain(change, records, workUnitId, { profileId: records.scheduledItems.get(losing.workUnitId)?.profileId });
    change.run(repositoryConflict, conflictId, 'requeue', { workUnitId });
    return workUnitId;
  });
  return { requeueLosingWorkUnit: true, requeuedWorkUnitId };
}

function conflictOf({ repositoryConflicts }: Records, conflictId: string): Held {
  const found = repositoryConflicts.get(conflictId);
  if (found) return found;
  throw refusal('reject.conflict_not_found', `no file in conflict is called ${conflictId}`, { conflictId });
}

function shown({ resolution, ...found }: Held): z.input<typeof RepositoryConflict> {
  return resolution === undefined ? found : { ...found, resolvedByConflictResolutionOpId: resolution.byOpId };
}
