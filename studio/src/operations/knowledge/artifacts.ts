/** Artifacts: what is known, and what work is based on. */
import { z } from 'zod';
import {
  artifactOf,
  artifactVersion,
  invalidateArtifact,
  queryArtifacts,
  recordArtifact,
} from '../../rules/knowledge/artifacts.js';
import { globalConstraintOf } from '../../rules/knowledge/constraints.js';
import type { Artifact } from '../../record/aggregates/artifact/state.js';
import type { Change } from '../../record/ledger/change.js';
import { lineOf } from '../../rules/goals/tree.js';
import { PlanDocument, parsePlan, slicesOf } from '../../rules/knowledge/plan.js';
import { scopeThatIsLeft } from '../../rules/branches/in-scope.js';
import type { Records } from '../../record/views/records.js';
import { refusal } from '../../reasons.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { NARROW_FIELDS, newestOf } from '../kernel/narrow.js';
import { rescope } from './rescope.js';
import { ArtifactId, ArtifactRef, ArtifactType, Body, Title } from './artifact-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const Keywords = z.string().max(1000).describe('Words that must all be in the title or the body.');

export const get = operation({
  summary: 'Read one artifact.',
  scope: 'read',
  in: z.object({ artifactId: ArtifactId }),
  out: ArtifactRef,
  rest: { route: 'GET /studio/artifacts/{artifactId}' },
  version: artifactVersion,
  refuses: ['reject.artifact_not_found'],
  annotations: READS,
}).run(({ records }, { artifactId }) => artifactOf(records, artifactId));

export const feedback = operation({
  summary: 'Say which agents were shown an artifact, and which reviews took it into account.',
  scope: 'read',
  in: z.object({ artifactId: ArtifactId }),
  out: z.object({
    artifactId: z.string().describe('Id of the artifact.'),
    surfaced: z
      .array(
        z.object({
          surfacedToAgentId: z.string().optional().describe('Agent that was shown it.'),
          projectionType: z.string().describe('Projection that it was a part of.'),
          occurredAt: z.string().describe('When, ISO 8601.'),
        }),
      )
      .describe('To whom it was shown.'),
    consideredIn: z
      .array(
        z.object({
          proposalId: z.string().describe('Proposal that was reviewed.'),
          decision: z.string().describe('What was decided.'),
          occurredAt: z.string().describe('When, ISO 8601.'),
        }),
      )
      .describe('Reviews that took it into account.'),
  }),
  rest: { route: 'GET /studio/artifacts/{artifactId}/feedback' },
  refuses: ['reject.artifact_not_found'],
  annotations: READS,
}).run(({ records }, { artifactId }) => {
  artifactOf(records, artifactId);
  const { surfaced = [], consideredIn = [] } = records.artifactFeedback.get(artifactId) ?? {};
  return { artifactId, surfaced: [...surfaced], consideredIn: [...consideredIn] };
});

export const children = operation({
  summary: 'List the artifacts that were derived from one.',
  scope: 'read',
  in: z.object({ artifactId: ArtifactId }),
  out: z.array(ArtifactRef),
  rest: { route: 'GET /studio/artifacts/{artifactId}/children' },
  list: 'artifactId',
  refuses: ['reject.artifact_not_found'],
  annotations: READS,
}).run(({ records }, { artifactId }) => {
  artifactOf(records, artifactId);
  return records.artifacts.where('parent', artifactId);
});

export const record = operation({
  summary: 'Record what was found out, decided or ruled. What it supersedes does not count any more.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    type: z.enum(['Research', 'Decision', 'Constraint', 'Supersession']).describe('What kind of knowledge it is.'),
    title: Title,
    body: Body,
    parentArtifactId: ArtifactId.optional().describe('Artifact that it was derived from.'),
    supersedes: z
      .array(ArtifactId)
      .max(1000)
      .optional()
      .describe('Artifacts that it takes the place of. A Supersession must name some.'),
  }),
  out: ArtifactRef,
  rest: { route: 'POST /studio/artifacts' },
  tool: 'artifact_record',
  dispatch: true,
  refuses: ['reject.workunit_not_found', 'reject.artifact_not_found', 'reject.wrong_state', 'reject.invalid_input'],
  annotations: ADDS,
}).run((context, wanted) => {
  if (wanted.type === 'Supersession' && (wanted.supersedes ?? []).length === 0)
    throw refusal('reject.invalid_input', 'supersedes: a Supersession must name what it supersedes', [
      { field: 'supersedes', message: 'is empty' },
    ]);
  const { agentId } = context.caller;
  return context.answer((change) => recordArtifact(change, context.records, { ...wanted, agentId }));
});

/** Levels of work that agents may divide: the goal, its parts, and their parts. Otherwise a model that always divides never ends. */
const MOST_LEVELS = 3;

function requireShallow(change: Change, workUnitId: string): void {
  const { length: level } = lineOf(change, workUnitId);
  if (level <= MOST_LEVELS) return;
  throw refusal(
    'reject.plan_invalid',
    `${workUnitId} is a part at level ${level}, which agents do not divide further: a person may`,
    { level, most: MOST_LEVELS },
  );
}

export const recordPlan = operation({
  summary: 'Record how a work unit is to be divided. A later plan adds its new slices.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    planContent: z
      .string()
      .min(1)
      .max(2_000_000)
      .optional()
      .describe(
        'JSON: {"slices": [{"sliceId", "goal", "contract"?, "criteria": [texts], "read": [{"path", "why"}], ' +
          '"fileScope": [globs], "dependsOn": [slice ids], "steps": [texts]}]}. One of this and slices is needed.',
      ),
    slices: PlanDocument.shape.slices.optional(),
  }),
  out: ArtifactRef,
  rest: { route: 'POST /studio/artifacts/plan' },
  tool: 'artifact_record_plan',
  dispatch: true,
  refuses: ['reject.workunit_not_found', 'reject.plan_invalid'],
  annotations: ADDS,
}).run((context, { workUnitId, planContent, slices }) => {
  const { agentId } = context.caller;
  if ((planContent === undefined) === (slices === undefined))
    throw refusal('reject.invalid_input', 'planContent: one of planContent and slices is needed', [
      { field: 'planContent', message: 'one of planContent and slices is needed' },
    ]);
  return context.answer((change) => {
    const { records } = context;
    if (context.caller.kind === 'agent') requireShallow(change, workUnitId);
    const earlier = queryArtifacts(records, workUnitId, { type: 'Plan', includeAncestors: false });
    const known = new Set(earlier.flatMap(({ body }) => slicesOf(body)).map(({ sliceId }) => sliceId));
    const plan = parsePlan(planContent ?? { slices }, known);
    requireWithinWhole(records, workUnitId, plan);
    const body = JSON.stringify(plan);
    const title = `Plan of ${plan.slices.length} slices`;
    return recordArtifact(change, records, { type: 'Plan', title, body, workUnitId, agentId });
  });
});

/** Guard: a slice that could not write what it is for is refused with its plan, and not at its first write. */
function requireWithinWhole(records: Records, workUnitId: string, { slices }: PlanDocument): void {
  for (const { sliceId, fileScope } of slices) {
    const left = scopeThatIsLeft(records, workUnitId, fileScope);
    if (!left) continue;
    const { unit, beyond } = left;
    throw refusal(
      'reject.plan_invalid',
      `${sliceId}: ${beyond.join(', ')} ${beyond.length === 1 ? 'goes' : 'go'} beyond what ${unit.workUnitId} may change, which is ${unit.fileScope.join(', ')}: plan within it, or ask with clarification_request`,
      { sliceId, beyond, fileScope: unit.fileScope },
    );
  }
}

export const list = operation({
  summary: 'List the artifacts of a work unit and of those that it is a part of, from the root down; or all there are.',
  scope: 'read',
  in: z.object({
    workUnitId: WorkUnitId.optional().describe('Work unit that knows them. Default: all artifacts of this host.'),
    type: ArtifactType.optional().describe('Only of this type.'),
    keywords: Keywords.optional(),
    includeAncestors: z.boolean().default(true).describe('False for those of this unit alone.'),
    newest: NARROW_FIELDS.newest,
  }),
  out: z.array(ArtifactRef),
  rest: { route: 'GET /studio/artifacts', query: ['workUnitId', 'type', 'keywords', 'includeAncestors', 'newest'] },
  tool: 'artifact_list',
  list: 'artifactId',
  dispatch: true,
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId, newest, ...query }) => {
  const found = queryArtifacts(records, workUnitId, query);
  // They come by owner: which of them are the newest is seen by when they were made.
  return newest === undefined ? found : newestOf(found.toSorted(byAge), newest);
});

function byAge(a: Artifact, b: Artifact): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt);
}

export const query = operation({
  summary: 'Find artifacts that a work unit can know of, by type and by words.',
  scope: 'read',
  in: z.object({
    workUnitId: WorkUnitId,
    type: ArtifactType.optional().describe('Only of this type.'),
    keywords: Keywords.optional(),
  }),
  out: z.array(ArtifactRef),
  tool: 'artifact_query',
  dispatch: true,
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId, ...query }) => queryArtifacts(records, workUnitId, query));

export const chain = operation({
  summary: 'List what a work unit knows: its artifacts and those of the units that it is a part of.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(ArtifactRef),
  rest: { route: 'GET /studio/workunits/{workUnitId}/artifacts' },
  list: 'artifactId',
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId }) => queryArtifacts(records, workUnitId));

export const invalidate = operation({
  summary: 'Say that an artifact is not true, and with it all that was derived from it.',
  scope: 'operate',
  in: z.object({
    artifactId: ArtifactId,
    reason: z.string().min(1).max(10_000).describe('Why it is not true.'),
  }),
  out: ArtifactRef,
  tool: 'artifact_invalidate',
  dispatch: true,
  version: artifactVersion,
  refuses: ['reject.artifact_not_found'],
  annotations: ENDS,
}).run((context, { artifactId, reason }) =>
  context.answer((change) => invalidateArtifact(change, context.records, artifactId, reason)),
);

export const elevate = operation({
  summary: 'Widen a constraint to all repositories of the workgroup. Repeating it changes nothing.',
  scope: 'operate',
  in: z.object({ artifactId: ArtifactId }),
  out: ArtifactRef,
  rest: { route: 'POST /studio/artifacts/{artifactId}/elevate' },
  human: true,
  refuses: ['reject.artifact_not_found', 'reject.not_a_constraint', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { artifactId }) =>
  rescope(context, globalConstraintOf(context.records, artifactId), { reach: 'Workgroup', repositoryId: undefined }),
);
