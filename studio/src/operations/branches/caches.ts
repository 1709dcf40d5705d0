/** Disk caches of this host: whatever can be made again. */
import { z } from 'zod';
import { COLLECTION_MODES, collectionRun } from '../../record/aggregates/collection-run/collection-run.js';
import { checkPins, collectObjects, evictOrphaned, evictUnit } from '../../rules/branches/cache.js';
import { storedBranch } from '../../rules/branches/stored-branch.js';
import { openSpace } from '../../rules/branches/save.js';
import { unitOf } from '../../record/views/by-id.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { FOLDER_REFUSALS, BRANCH_REFUSALS } from './branch-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const Mode = z.enum(COLLECTION_MODES);
const MOST_SHOWN = 100;

const BlobGcRun = z
  .object({
    runId: z.string().describe('Id of the run.'),
    mode: Mode.describe('What was done: counted, or taken away.'),
    startedAt: z.string().describe('When it began, ISO 8601.'),
    completedAt: z.string().describe('When it ended, ISO 8601.'),
    repositoryIds: z.array(z.string()).describe('Repositories whose objects were looked at.'),
    unreachable: z.number().describe('Objects that nothing leads to.'),
    removed: z.number().describe('How many of them were taken away.'),
  })
  .meta({ id: 'BlobGcRun', description: 'One clean-up of the object stores of this host.' });

export const materialize = operation({
  summary: "Make the folder of a work unit's branch.",
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    materialized: z.literal(true).describe('Always true.'),
  }),
  rest: { route: 'POST /studio/cache/materialize', query: ['workUnitId'] },
  refuses: ['reject.workunit_not_found', ...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: SETS,
}).run(async (context, { workUnitId }) => {
  const { branchId, repositoryId } = unitOf(context.records, workUnitId);
  await openSpace(context, await storedBranch(context, branchId, repositoryId));
  return { workUnitId, materialized: true as const };
});

const force = z
  .boolean()
  .default(false)
  .describe('Whether files that git ignores, such as .env, go too, though nothing else has them.');

export const evict = operation({
  summary:
    "Take the folder of a work unit's branch away, when the work is over and all that is in it is saved. Folders that git " +
    'ignores as a whole, such as node_modules, go with it.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId, force }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    evicted: z.boolean().describe('Whether it was taken away.'),
    reason: z.string().optional().describe('Why not.'),
    ignored: z
      .array(z.string())
      .optional()
      .describe(
        'Files and folders in it that git ignores, at most 100: what went and was saved nowhere, or what is there.',
      ),
  }),
  rest: { route: 'POST /studio/cache/evict', query: ['workUnitId', 'force'] },
  refuses: ['reject.workunit_not_found', ...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: ENDS,
}).run(async (context, asked) => {
  const { workUnitId } = asked;
  const { reason, ignored } = await evictUnit(context, workUnitId, asked.force);
  return {
    workUnitId,
    evicted: reason === undefined,
    ...(reason === undefined ? {} : { reason }),
    ...(ignored.length === 0 ? {} : { ignored: ignored.slice(0, MOST_SHOWN) }),
  };
});

export const evictAllOrphaned = operation({
  summary: 'Take all folders away whose work is over and that are saved.',
  scope: 'operate',
  in: z.object({ force }),
  out: z.object({
    evicted: z.number().describe('How many were taken away.'),
    kept: z
      .array(
        z.object({
          branchId: z.string().describe('Branch whose folder stays.'),
          reason: z.string().describe('Why.'),
        }),
      )
      .optional()
      .describe('Folders that stay though their work is over, at most 100.'),
  }),
  rest: { route: 'POST /studio/cache/evict/orphaned', query: ['force'] },
  refuses: [...BRANCH_REFUSALS, ...FOLDER_REFUSALS],
  annotations: ENDS,
}).run(async (context, asked) => {
  const { evicted, kept } = await evictOrphaned(context, asked.force);
  return { evicted, ...(kept.length === 0 ? {} : { kept: kept.slice(0, MOST_SHOWN) }) };
});

export const collect = operation({
  summary: 'Count the objects that nothing leads to; take them away only when the mode says so.',
  scope: 'admin',
  in: z.object({
    dryRun: z.boolean().optional().describe('True to count only, false to take away what is two weeks old.'),
    mode: Mode.optional().describe('What to do. Default: DryRun, or what dryRun says.'),
  }),
  out: BlobGcRun,
  rest: { route: 'POST /studio/cache/gc', query: ['dryRun', 'mode'] },
  human: true,
  refuses: ['reject.live_set_incomplete', 'reject.git_failed'],
  annotations: ADDS,
}).run(async (context, { dryRun = true, mode = dryRun ? 'DryRun' : 'SweepSoft' }) => {
  const [runId, startedAt] = [context.newId('gc-'), context.now()];
  const found = await collectObjects(context, mode);
  return context.answer((change) => change.run(collectionRun, runId, 'record', { runId, mode, startedAt, ...found }));
});

export const collected = operation({
  summary: 'List the clean-ups of this host, newest first.',
  scope: 'read',
  in: z.object({ limit: z.number().int().min(1).max(1000).default(20).describe('Most to give.') }),
  out: z.object({
    runs: z.array(BlobGcRun).describe('The newest clean-ups.'),
    count: z.number().describe('How many are given.'),
  }),
  rest: { route: 'GET /studio/cache/gc/runs', query: ['limit'] },
  refuses: [],
  annotations: READS,
}).run(({ records }, { limit }) => {
  const runs = records.collectionRuns.all().reverse().slice(0, limit);
  return { runs: runs.map((run) => ({ ...run, repositoryIds: [...run.repositoryIds] })), count: runs.length };
});

export const reconcileObjects = operation({
  summary:
    'Look whether this host holds all commits that the record names. There is no other store to bring them to: what is missing is refused.',
  scope: 'operate',
  in: z.object({}),
  out: z.object({
    checked: z.number().describe('How many commits this host was asked for.'),
    remote: z.string().nullable().describe('Store that they are brought to, or null: there is none.'),
    pushed: z.number().describe('How many were brought there. 0 where there is none.'),
    failed: z.number().describe('How many could not be. 0 where there is none.'),
  }),
  rest: { route: 'POST /studio/cas/reconcile' },
  refuses: ['reject.live_set_incomplete', 'reject.git_failed'],
  annotations: SETS,
}).run(async (context) => {
  const checked = await checkPins(context);
  return { checked, remote: null, pushed: 0, failed: 0 };
});
