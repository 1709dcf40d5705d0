/** Projections of the record at several levels of detail, and snapshots of what was known. */
import { z } from 'zod';
import type { ProjectionSnapshot as Snapshot } from '../../record/aggregates/projection-snapshot/projection-snapshot.js';
import { findArtifact } from '../../rules/knowledge/artifacts.js';
import { noteSurfaced, ofOthers } from '../../rules/knowledge/feedback.js';
import { capture as captureOf } from '../../projections/capture.js';
import { deltaOf } from '../../projections/delta.js';
import { PROJECTION_TYPES, project } from '../../projections/project.js';
import { LEVELS } from '../../projections/shrink.js';
import { sourcesOf } from '../../projections/sources.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS } from '../kernel/hints.js';
import { AgentId } from './decision-shape.js';
import { ProjectionSnapshot, SnapshotComparison, SnapshotId } from './projection-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const Time = z
  .string()
  .max(40)
  .refine((text) => z.iso.datetime({ offset: true }).safeParse(text).success, 'must be a time in ISO 8601');

export const list = operation({
  summary: 'List the projections and their levels of detail.',
  scope: 'read',
  in: z.object({}),
  out: z.object({
    types: z.array(z.enum(PROJECTION_TYPES)).describe('The projections.'),
    levels: z.array(z.enum(LEVELS)).describe('Levels of detail, the fullest first.'),
  }),
  rest: { route: 'GET /studio/projections' },
  tool: 'projection_list',
  refuses: [],
  annotations: READS,
}).run(() => ({ types: [...PROJECTION_TYPES], levels: [...LEVELS] }));

export const get = operation({
  summary: 'Show one projection. What an agent is shown in its workspace is noted.',
  scope: 'read',
  in: z.object({
    projectionType: z.enum(PROJECTION_TYPES).default('WorkUnit').describe('What to show.'),
    level: z.enum(LEVELS).default('Normal').describe('How much of it: Full is all, Emergency fits a thousand tokens.'),
    workUnitId: WorkUnitId.optional().describe('Only about this unit and those below it. Some projections need it.'),
    branchId: z.string().min(1).max(400).optional().describe('Only about this branch.'),
    agentId: AgentId.optional().describe('Agent that it is for.'),
    since: Time.optional().describe('Only from this time on, ISO 8601.'),
    until: Time.optional().describe('Only up to this time, ISO 8601.'),
  }),
  out: z.object({
    contractVersion: z.literal('v1').describe('Version of the shapes.'),
    projectionType: z.enum(PROJECTION_TYPES).describe('What is shown.'),
    level: z.enum(LEVELS).describe('How much of it.'),
    data: z.record(z.string(), z.unknown()).describe('What it shows; its fields depend on the projection.'),
    truncated: z.boolean().describe('Whether the level left something out.'),
  }),
  rest: {
    route: 'GET /studio/projections/{projectionType}',
    query: ['level', 'workUnitId', 'branchId', 'agentId', 'since', 'until'],
  },
  tool: 'projection_get',
  dispatch: true,
  refuses: ['reject.workunit_not_found', 'reject.invalid_input'],
  annotations: READS,
}).run(async (context, { projectionType, level, since, until, ...about }) => {
  const agentId = about.agentId ?? context.caller.agentId;
  const wanted = { ...about, agentId, since: inUtc(since), until: inUtc(until) };
  const shown = project(sourcesOf(context), projectionType, level, wanted);
  const { kind, agentId: reader } = context.caller;
  const { workUnitId } = about;
  if (projectionType === 'AgentWorkspace' && kind === 'agent' && reader !== undefined && workUnitId !== undefined) {
    const seen = ofOthers(context.records, workUnitId, reader);
    const to = { surfacedToAgentId: reader, projectionType };
    if (seen.length > 0) await context.change((change) => noteSurfaced(change, seen, to));
  }
  return { contractVersion: 'v1' as const, projectionType, level, ...shown };
});

export const capture = operation({
  summary: 'Keep what is known of a work unit now, to compare it later.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId }),
  out: ProjectionSnapshot,
  rest: { route: 'POST /studio/projections/snapshots' },
  tool: 'projection_snapshot_capture',
  dispatch: true,
  refuses: ['reject.workunit_not_found'],
  annotations: ADDS,
}).run((context, { workUnitId }) => context.answer((change) => captureOf(change, sourcesOf(context), workUnitId)));

export const snapshot = operation({
  summary: 'Read one snapshot.',
  scope: 'read',
  in: z.object({ snapshotId: SnapshotId }),
  out: ProjectionSnapshot,
  rest: { route: 'GET /studio/projections/snapshots/{snapshotId}' },
  tool: 'projection_snapshot_get',
  dispatch: true,
  refuses: ['reject.snapshot_not_found'],
  annotations: READS,
}).run(({ records }, { snapshotId }) => snapshotOf(records, snapshotId));

export const snapshots = operation({
  summary: 'List the snapshots, oldest first.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId.optional().describe('Only those of this unit.') }),
  out: z.array(ProjectionSnapshot),
  rest: { route: 'GET /studio/projections/snapshots', query: ['workUnitId'] },
  tool: 'projection_snapshot_list',
  list: 'snapshotId',
  dispatch: true,
  refuses: [],
  annotations: READS,
}).run(({ records: { projectionSnapshots: all } }, { workUnitId }) =>
  workUnitId === undefined ? all.all() : all.where('workUnit', workUnitId),
);

export const stale = operation({
  summary: 'Say whether what a snapshot held has changed since.',
  scope: 'read',
  in: z.object({ snapshotId: SnapshotId }),
  out: z.object({
    snapshotId: z.string().describe('Id of the snapshot.'),
    isStale: z.boolean().describe('Whether something that it held has changed.'),
    staleArtifactIds: z.array(z.string()).describe('Artifacts whose status is another now.'),
  }),
  rest: { route: 'GET /studio/projections/snapshots/{snapshotId}/stale' },
  tool: 'projection_stale_check',
  dispatch: true,
  refuses: ['reject.snapshot_not_found'],
  annotations: READS,
}).run(({ records }, { snapshotId }) => {
  const { artifacts } = snapshotOf(records, snapshotId);
  const changed = artifacts.filter(({ artifactId, status }) => findArtifact(records, artifactId)?.status !== status);
  const staleArtifactIds = changed.map(({ artifactId }) => artifactId);
  return { snapshotId, isStale: staleArtifactIds.length > 0, staleArtifactIds };
});

export const compare = operation({
  summary: 'Say in what two snapshots differ.',
  scope: 'read',
  in: z.object({ a: SnapshotId, b: SnapshotId }),
  out: SnapshotComparison,
  rest: { route: 'GET /studio/projections/snapshots/compare', query: ['a', 'b'] },
  refuses: ['reject.snapshot_not_found'],
  annotations: READS,
}).run(({ records }, { a, b }) => comparisonOf(records, a, b));

export const compareSnapshots = operation({
  summary: 'Say in what two snapshots differ.',
  scope: 'read',
  in: z.object({ snapshotIdA: SnapshotId, snapshotIdB: SnapshotId }),
  out: SnapshotComparison,
  tool: 'projection_compare',
  dispatch: true,
  refuses: ['reject.snapshot_not_found'],
  annotations: READS,
}).run(({ records }, { snapshotIdA, snapshotIdB }) => comparisonOf(records, snapshotIdA, snapshotIdB));

function snapshotOf({ projectionSnapshots }: Records, snapshotId: string): Snapshot {
  const found = projectionSnapshots.get(snapshotId);
  if (found) return found;
  throw refusal('reject.snapshot_not_found', `no snapshot is called ${snapshotId}`, { snapshotId });
}

function comparisonOf(records: Records, snapshotIdA: string, snapshotIdB: string): z.input<typeof SnapshotComparison> {
  const [a, b] = [snapshotOf(records, snapshotIdA), snapshotOf(records, snapshotIdB)];
  const ids = new Set(b.artifacts.map(({ artifactId }) => artifactId));
  const { added, statusChanged } = deltaOf(a, b);
  return {
    snapshotIdA,
    snapshotIdB,
    onlyInB: [...added],
    onlyInA: a.artifacts.flatMap(({ artifactId }) => (ids.has(artifactId) ? [] : [artifactId])),
    differingStatus: statusChanged.map(({ artifactId, before: statusA, after: statusB }) => ({
      artifactId,
      statusA,
      statusB,
    })),
  };
}

/** Time in UTC, as in the record, so that times compare as texts. */
function inUtc(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
