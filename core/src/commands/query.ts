/** Queries, projections and replay. Rules PJ1 to PJ10, RP1 to RP3. */
import { z } from 'zod';
import { bothDoors } from '../contract/both-doors.js';
import { hostCommand } from '../contract/host-command.js';
import type { Reading, ProjectionStatus } from '../query/answers.js';
import type { Checkpoint } from '../query/fold.js';
import { Bytes, Count, Hex, Text } from '../wire/scalars.js';
import { WrittenShape, writtenNode } from '../wire/shapes.js';

const Id = Text.min(1).max(256).regex(/\S/, 'must not be blank');
const SpecId = Id.describe('Name of the query.');
const ProjectionId = Id.describe('Name of the projection.');
const Version = Id.describe('Never changes what it means.');
/** Read where it is used: what is wrong with it has its own class. */
const Anything = z.unknown();

const CheckpointShape = z.object({
  selector: z.enum(['seq', 'frontier']).describe('`frontier` where the past of the heads is no beginning of the log.'),
  canonical_seq: Count.optional().describe("Nodes in the room's log; with `seq`."),
  canonical_hash: Hex.describe('Hash of everything that the room resolved to.'),
  frontier: z.array(Hex).describe('The heads.'),
});

const status = {
  projection_id: z.string(),
  query_spec_id: z.string(),
  version: z.string().describe('Version of the query: the newest one when the projection was built.'),
  state: z.enum(['active', 'invalidated']),
  stale: z.boolean().optional().describe('True when the room has been written to since.'),
  checkpoint: CheckpointShape.describe('What the rows were folded from.'),
};
const Digest = Hex.describe('Digest of the rows that you may read: see PJ5.');

export const [registerQuery, hostRegisterQuery] = bothDoors({
  type: 'query.register',
  variant: 'RegisterQuerySpec',
  summary: 'Register a query under a name and a version.',
  requires: 'query.admin',
  in: z.object({
    query_spec_id: SpecId,
    version: Version,
    descriptor: Anything.describe(
      'An object: `prefix`, `glob`, `kind`, `where`, `select`, `order_by`, `limit`, each optional. See PJ3.',
    ),
  }),
  answers: {
    frame: 'query.registered',
    event: 'QuerySpecRegistered',
    out: z.object({
      query_spec_id: z.string(),
      version: z.string(),
      accepted: z.boolean(),
      canonical_hash: Hex.describe('SHA-256 of the descriptor as canonical JSON.'),
    }),
  },
  rejects: { frame: 'query.register.rejected', event: 'QuerySpecRejected', echoes: ['query_spec_id', 'version'] },
  refuses: ['reject.control_plane_forbidden', 'reject.invalid_payload'],
}).run(async ({ tenancy, asker }, { query_spec_id, version, descriptor }) => {
  const canonical_hash = await tenancy.queries.register(query_spec_id, version, descriptor, asker.name);
  return { query_spec_id, version, accepted: true, canonical_hash };
});

export const [buildProjection, hostBuildProjection] = bothDoors({
  type: 'projection.build',
  variant: 'BuildProjection',
  summary: 'Find the rows of a query at a checkpoint and keep them. What was built under that name before is replaced.',
  requires: 'query.admin',
  in: z.object({
    projection_id: ProjectionId,
    query_spec_id: SpecId,
    target_checkpoint: Anything.optional().describe(
      '`{selector}` with `latest` (when absent), `seq` and `canonical_seq`, `hash` and `canonical_hash`, or `frontier` and `frontier`.',
    ),
  }),
  answers: {
    frame: 'projection.build.completed',
    event: 'ProjectionBuildCompleted',
    out: z.object({ ...status, digest: Digest }),
  },
  rejects: {
    frame: 'projection.build.rejected',
    event: 'ProjectionBuildRejected',
    echoes: ['projection_id', 'query_spec_id'],
  },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.invalid_payload',
    'reject.query_backpressure',
    'reject.query_spec_not_found',
    'reject.checkpoint_selector_invalid',
    'reject.checkpoint_not_found',
  ],
}).run(async ({ tenancy, asker }, { projection_id, query_spec_id, target_checkpoint }) => {
  const built = await tenancy.queries.build(projection_id, query_spec_id, target_checkpoint, asker);
  return { ...asFields(built), digest: built.digest };
});

export const [readProjection, hostReadProjection] = bothDoors({
  type: 'projection.read',
  variant: 'ReadProjection',
  summary: 'Read rows of a projection, a page at a time: those of keys that you may read.',
  requires: 'query.read',
  in: z.object({
    projection_id: ProjectionId,
    limit: z.number().int().optional().describe('Rows on the page: 100 when absent, 1 to 1,000, or 100 with proofs.'),
    page_token: z.string().max(256).optional().describe('`next_page_token` of the page before.'),
    proof: z.boolean().optional().describe('True to have each register proved under the hash of the checkpoint.'),
  }),
  answers: {
    frame: 'projection.read.result',
    event: 'ProjectionReadResult',
    out: z.object({
      ...status,
      digest: Digest,
      limit: Count.describe('What was taken for the limit.'),
      rows: z.array(
        z.object({
          k: z.string().describe('The key.'),
          v: z.unknown().describe('The value as JSON; see PJ4.'),
          kind: z.enum(['register', 'text', 'list', 'blob']),
          proof: Bytes.optional().describe('See `verifyRegister`.'),
          bytes: Bytes.optional().describe("The register's MessagePack, which is proved."),
        }),
      ),
      next_page_token: z.string().nullable(),
    }),
  },
  rejects: { frame: 'projection.read.rejected', event: 'ProjectionReadRejected', echoes: ['projection_id'] },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.invalid_payload',
    'reject.projection_not_found',
    'reject.query_backpressure',
  ],
}).run(async ({ tenancy, asker }, { projection_id, limit, page_token: token, proof = false }) => {
  const reading = await tenancy.queries.read(projection_id, { limit, token, proof }, asker);
  return { ...asFields(reading), ...asPage(reading) };
});

export const [invalidateProjection, hostInvalidateProjection] = bothDoors({
  type: 'projection.invalidate',
  variant: 'InvalidateProjection',
  summary:
    'Say that a projection is not to be relied on. It can be read all the same; building it again makes it active.',
  requires: 'query.admin',
  in: z.object({
    projection_id: ProjectionId,
    reason: Text.max(1024).default('manual').describe('`manual` when absent.'),
  }),
  answers: {
    frame: 'projection.invalidated',
    event: 'ProjectionInvalidated',
    out: z.object({
      projection_id: z.string(),
      reason: z.string().describe('The first that was given since it was built.'),
    }),
  },
  rejects: {
    frame: 'projection.invalidate.rejected',
    event: 'ProjectionInvalidateRejected',
    echoes: ['projection_id'],
  },
  refuses: ['reject.control_plane_forbidden', 'reject.invalid_payload', 'reject.projection_not_found'],
}).run(async ({ tenancy, asker }, { projection_id, reason }) => {
  return { projection_id, reason: await tenancy.queries.invalidate(projection_id, reason, asker.name) };
});

export const [listProjections, hostListProjections] = bothDoors({
  type: 'projection.list',
  variant: 'ListProjections',
  summary: 'List the projections of the room, in the order of their names.',
  requires: 'query.read',
  in: z.object({
    query_spec_id: SpecId.optional(),
    state_filter: z
      .string()
      .transform((text) => text.toLowerCase())
      .pipe(z.enum(['active', 'invalidated', 'all']))
      .default('all')
      .describe('`active`, `invalidated` or `all`, in any case.'),
    cursor: Id.optional().describe('`cursor` of the answer before.'),
  }),
  answers: {
    frame: 'projection.list.result',
    event: 'ProjectionListResult',
    out: z.object({
      query_spec_id: z.string().nullable(),
      items: z.array(
        z.object({
          ...status,
          digest: Digest.optional(),
          invalidation_reason: z.string().nullable(),
        }),
      ),
      cursor: z.string().nullable().describe('Where the next ones begin; null when they are all there.'),
    }),
  },
  rejects: { frame: 'projection.list.rejected', event: 'ProjectionListRejected', echoes: ['query_spec_id'] },
  refuses: ['reject.control_plane_forbidden', 'reject.invalid_payload', 'reject.query_spec_not_found'],
}).run(async ({ tenancy, asker }, { query_spec_id, state_filter, cursor: after }) => {
  const list = await tenancy.queries.list({ spec: query_spec_id, state: state_filter, after }, asker);
  const items = list.items.map((one) => ({
    ...asFields(one),
    ...(one.digest === undefined ? {} : { digest: one.digest }),
    invalidation_reason: one.invalidated ?? null,
  }));
  return { query_spec_id: query_spec_id ?? null, items, cursor: list.next };
});

export const [readRange, hostReadRange] = bothDoors({
  type: 'replay.read-range',
  variant: 'ReplayReadRange',
  summary: 'Read what was written, node by node, in the order of the log: nodes of which you may read every key.',
  requires: 'query.read',
  in: z.object({
    key_prefix: z.string().max(4096).describe('Only ops under keys that begin so; all nodes when empty.'),
    from_lamport: Count.optional().describe(
      'Only nodes of this clock or a later one; absent, from the newest origin on.',
    ),
    limit: z.number().int().optional().describe('100 when absent, 1 to 1,000.'),
    cursor: z.string().max(256).optional().describe('`next_cursor` of the answer before.'),
  }),
  answers: {
    frame: 'replay.read-range.result',
    event: 'ReplayRangeRead',
    out: z.object({
      key_prefix: z.string(),
      from_lamport: Count,
      limit: Count.describe('What was taken for the limit.'),
      items: z.array(WrittenShape),
      next_cursor: z.string().nullable().describe('A log position: it holds whatever comes later.'),
    }),
  },
  rejects: { frame: 'replay.read-range.rejected', event: 'ReplayReadRangeRejected', echoes: ['key_prefix'] },
  refuses: ['reject.control_plane_forbidden', 'reject.invalid_payload'],
}).run(async ({ tenancy, asker }, { key_prefix, from_lamport, limit, cursor }) => {
  const request = { keyPrefix: key_prefix, fromLamport: from_lamport, limit, cursor };
  const range = await tenancy.queries.replay(request, asker);
  const items = range.items.map(writtenNode);
  return { key_prefix, from_lamport: from_lamport ?? 0, limit: range.limit, items, next_cursor: range.next };
});

export const promoteCheckpointToGraph = hostCommand({
  variant: 'PromoteCheckpointToGraph',
  event: 'CheckpointPromoted',
  summary:
    'Write down all that stood at a checkpoint as nodes of the log, from which replay starts then; once for each.',
  in: z.object({ selector: Anything.optional().describe('As `target_checkpoint` of a build.') }),
  out: z.object({
    seq: Count.describe('Log position of the checkpoint.'),
    node_id_hex: Hex.describe('The last of the nodes.'),
    frontier_heads_hex: z.array(Hex).describe('The heads of the room now.'),
  }),
}).run(async ({ tenancy }, { selector }) => {
  const { room, queries } = tenancy;
  const { seq, nodes } = await queries.promote(selector, 'host');
  const { nodeId } = room.nodes.describe(nodes.at(-1)!);
  return { seq, node_id_hex: nodeId, frontier_heads_hex: [...room.heads.frontier] };
});

function asFields({ id, spec, version, checkpoint, invalidated, stale }: ProjectionStatus) {
  return {
    projection_id: id,
    query_spec_id: spec,
    version,
    checkpoint: asCheckpoint(checkpoint),
    state: invalidated === undefined ? ('active' as const) : ('invalidated' as const),
    ...(stale ? { stale } : {}),
  };
}

function asCheckpoint({ seq, hash, frontier }: Checkpoint) {
  const rest = { canonical_hash: hash, frontier: [...frontier] };
  return seq === undefined
    ? { selector: 'frontier' as const, ...rest }
    : { selector: 'seq' as const, canonical_seq: seq, ...rest };
}

function asPage({ digest, limit, rows, next }: Reading) {
  const shown = rows.map(({ row: { key, kind }, value, ...proved }) => ({ k: key, v: value, kind, ...proved }));
  return { digest, limit, rows: shown, next_page_token: next };
}
