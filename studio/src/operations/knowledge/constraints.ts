/** Constraints: the rules that workers are given. */
import { z } from 'zod';
import { isInForce } from '../../record/aggregates/artifact/state.js';
import { constraintSwitch } from '../../record/aggregates/constraint-switch/constraint-switch.js';
import { artifactOf, present, recordArtifact } from '../../rules/knowledge/artifacts.js';
import { disabledHere, globalConstraintOf, globalConstraints, promotionOf } from '../../rules/knowledge/constraints.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS, SETS } from '../kernel/hints.js';
import { repositoryMeant } from '../branches/repository-meant.js';
import { rescope } from './rescope.js';
import { ArtifactId, ArtifactRef, Body, ConstraintRow, ProposedConstraint, Reach, Title } from './artifact-shape.js';
import { RepositoryId } from '../branches/repository-shape.js';

const reach = Reach.describe('Who is to follow it: this host alone, or the whole workgroup.');
const repoSpecific = z.boolean().describe('Whether it is for one repository only.');
const repositoryId = RepositoryId.optional().describe(
  'The one that it is for. Default, where repoSpecific is true: its own, or the only one that is registered.',
);

export const list = operation({
  summary: 'List the rules that nobody owns, and whether this host follows them.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId.optional().describe('Only those that hold in this repository.') }),
  out: z.array(ConstraintRow),
  rest: { route: 'GET /studio/constraints', query: ['repositoryId'] },
  list: 'artifactId',
  refuses: [],
  annotations: READS,
}).run(({ records }, { repositoryId }) => {
  const disabled = disabledHere(records);
  return globalConstraints(records, repositoryId).map(({ artifactId, title, body, reach = 'Workgroup', ...one }) => ({
    artifactId,
    title,
    body,
    reach,
    repositoryId: one.repositoryId,
    appliesToAllRepos: one.repositoryId === undefined,
    enabled: !disabled.has(artifactId),
  }));
});

export const toggle = operation({
  summary: 'Follow a constraint on this host, or not. Other hosts are not told.',
  scope: 'operate',
  in: z.object({
    artifactId: ArtifactId,
    disabled: z.boolean().describe('True to leave it out of what workers are given here.'),
  }),
  out: z.object({
    artifactId: z.string().describe('Id of the constraint.'),
    disabled: z.boolean().describe('Whether it is left out here.'),
  }),
  rest: { route: 'POST /studio/constraints/{artifactId}/toggle' },
  human: true,
  refuses: ['reject.artifact_not_found', 'reject.not_a_constraint'],
  annotations: SETS,
}).run((context, { artifactId, disabled }) =>
  context.answer((change) => {
    const { type } = artifactOf(context.records, artifactId);
    if (type !== 'Constraint')
      throw refusal('reject.not_a_constraint', `${artifactId} is a ${type}`, { artifactId, type });
    return change.run(constraintSwitch, artifactId, 'toggle', { artifactId, disabled });
  }),
);

export const create = operation({
  summary: 'Make a rule for all work, of one repository or of all.',
  scope: 'operate',
  in: z.object({
    title: Title,
    body: Body,
    reach: reach.default('Workgroup'),
    repoSpecific: repoSpecific
      .optional()
      .describe('Whether it is for one repository only. Default: where one is named.'),
    repositoryId,
  }),
  out: ArtifactRef,
  rest: { route: 'POST /studio/constraints' },
  human: true,
  refuses: ['reject.repository_needed', 'reject.repository_not_found', 'reject.invalid_input'],
  annotations: ADDS,
}).run((context, { repoSpecific, repositoryId, ...wanted }) =>
  context.answer((change) => {
    const { records } = context;
    const about = isForOne(repoSpecific, repositoryId) ? repositoryMeant(records, repositoryId) : undefined;
    return recordArtifact(change, records, { ...wanted, type: 'Constraint', repositoryId: about });
  }),
);

export const proposed = operation({
  summary: 'List the constraints of work units, of which rules for all can be made.',
  scope: 'read',
  in: z.object({}),
  out: z.array(ProposedConstraint),
  rest: { route: 'GET /studio/constraints/proposed' },
  list: 'artifactId',
  refuses: [],
  annotations: READS,
}).run(({ records }) =>
  records.artifacts.all().flatMap((one) => {
    const { artifactId, title, body, ownedByWorkUnitId: workUnitId, repositoryId, type } = one;
    if (type !== 'Constraint' || workUnitId === undefined || !isInForce(one)) return [];
    const appliesToAllRepos = repositoryId === undefined;
    const promoted = promotionOf(records, artifactId) !== undefined;
    return [{ artifactId, title, body, workUnitId, repositoryId, appliesToAllRepos, promoted }];
  }),
);

export const promote = operation({
  summary: 'Make a rule for all of the constraint of a work unit. Repeating it gives the same rule.',
  scope: 'operate',
  in: z.object({
    artifactId: ArtifactId,
    reach: reach.default('Workgroup'),
    repoSpecific: repoSpecific.default(true),
  }),
  out: ArtifactRef,
  rest: { route: 'POST /studio/constraints/{artifactId}/promote' },
  human: true,
  refuses: ['reject.artifact_not_found', 'reject.not_a_constraint', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { artifactId, reach, repoSpecific }) =>
  context.answer((change) => {
    const { records } = context;
    const found = artifactOf(records, artifactId);
    const { type, title, body, ownedByWorkUnitId, repositoryId, status } = found;
    if (type !== 'Constraint' || ownedByWorkUnitId === undefined)
      throw refusal('reject.not_a_constraint', `${artifactId} is no constraint of a work unit`, { artifactId, type });
    const before = promotionOf(records, artifactId);
    if (before) return before;
    if (!isInForce(found)) throw refusal('reject.wrong_state', `${artifactId} is ${status}`, { artifactId, status });
    return recordArtifact(change, records, {
      type,
      title,
      body,
      reach,
      promotedFromArtifactId: artifactId,
      ...(repoSpecific ? present({ repositoryId }) : {}),
    });
  }),
);

export const scope = operation({
  summary: 'Say who is to follow a rule, and in which repositories.',
  scope: 'operate',
  in: z.object({
    artifactId: ArtifactId,
    reach: reach.optional(),
    repoSpecific: repoSpecific.optional(),
    repositoryId,
  }),
  out: ArtifactRef,
  rest: { route: 'POST /studio/constraints/{artifactId}/scope' },
  human: true,
  refuses: [
    'reject.artifact_not_found',
    'reject.not_a_constraint',
    'reject.wrong_state',
    'reject.repository_needed',
    'reject.repository_not_found',
    'reject.invalid_input',
  ],
  annotations: SETS,
}).run((context, { artifactId, reach, repoSpecific, repositoryId }) => {
  const { records } = context;
  const found = globalConstraintOf(records, artifactId);
  const about = isForOne(repoSpecific, repositoryId, found.repositoryId !== undefined)
    ? repositoryMeant(records, repositoryId ?? repositoryBefore(records, artifactId))
    : undefined;
  return rescope(context, found, { reach: reach ?? found.reach ?? 'Workgroup', repositoryId: about });
});

/** Whether a rule is for one repository only, which who names one says. Refuses to be told both. */
function isForOne(said: boolean | undefined, repositoryId: string | undefined, before = false): boolean {
  if (repositoryId === undefined) return said ?? before;
  if (said !== false) return true;
  const message = 'names one, and repoSpecific says that it is for all';
  throw refusal('reject.invalid_input', `repositoryId: ${message}`, [{ field: 'repositoryId', message }]);
}

/** Repository of a rule: its own, or that of the work it came from. */
function repositoryBefore(records: Records, artifactId: string): string | undefined {
  const { repositoryId, promotedFromArtifactId } = globalConstraintOf(records, artifactId);
  return repositoryId ?? records.artifacts.get(promotedFromArtifactId ?? '')?.repositoryId;
}
