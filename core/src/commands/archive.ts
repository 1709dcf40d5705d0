/** Archives: a room as one file, and back. Rules AR1 to AR9. */
import { z } from 'zod';
import type { Asking } from '../archive/archives.js';
import { type AskedIn, bothDoors } from '../contract/both-doors.js';
import { isRoomName } from '../codec/bytes/room-id.js';
import { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import { LineageShape } from '../room/state/lineage-shape.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { Count, Hex } from '../wire/scalars.js';

/** Read where they are used: what is wrong with them has a class of its own. */
const room = z.unknown().optional().describe('The room that it is about; the one of this connection when absent.');
const archive_ref = z
  .unknown()
  .optional()
  .describe('`file://<path>`, `object://<bucket>/<key>`, or `room://<room>` for a room of this server.');
const Named = z.object({ room, archive_ref });
const echoes = ['room', 'archive_ref'];

const named = { room: z.string(), archive_ref: z.string() };
const Checkpoint = z.object({
  selector: z.literal('seq'),
  canonical_seq: Count.describe("Nodes in the source room's log."),
  canonical_hash: Hex.describe('Hash of everything that it resolved to.'),
  frontier: z.array(Hex).describe('The heads.'),
});
const Digests = z.object({
  nodes: Hex.describe('SHA-256 over the ids of all nodes in canonical order.'),
  blobs: Hex.describe('SHA-256 over hash and size of all blobs, sorted.'),
});
const Window = z.object({ min_supported: z.string(), max_supported: z.string() }).describe('Formats that read it.');
const ManifestId = z.string().describe('`m.<room>.<beginning of the hash>`.');

const LOOKING = [
  'reject.control_plane_forbidden',
  'reject.archive_unsupported_format',
  'reject.archive_manifest_invalid',
  'reject.archive_signature_invalid',
  'reject.archive_checkpoint_not_found',
] as const;
const READING = [...LOOKING, 'reject.archive_digest_mismatch', 'reject.archive_policy_timeline_mismatch'] as const;

export const [describeArchive, hostDescribeArchive] = bothDoors({
  type: 'archive.describe',
  variant: 'DescribeArchive',
  summary: 'What an archive says of itself; what it holds is not read.',
  requires: 'archive.read',
  in: Named,
  answers: {
    frame: 'archive.describe.result',
    event: 'ArchiveDescribed',
    out: z.object({
      ...named,
      manifest_id: ManifestId,
      format_version: z.string(),
      archive_kind: z.enum(['full_clone', 'checkpoint_fork']).describe('`checkpoint_fork` where the room is a child.'),
      checkpoint: Checkpoint,
      payload_digest_set: Digests,
      compatibility_window: Window,
      provenance: z.object({
        source_room: z.string(),
        tool: z.string(),
        created_by: z.string(),
        created_at: Count.describe('Unix milliseconds.'),
        lineage: LineageShape.optional(),
        nodes: Count,
        blobs: Count,
      }),
    }),
  },
  refuses: LOOKING,
}).run((context, { room: asked, archive_ref }) =>
  inRoom(context, asked, async ({ room, archives }, asking) => {
    const about = await archives.describe(archive_ref, asking);
    return {
      room: room.id,
      archive_ref: String(archive_ref),
      manifest_id: about.manifest_id,
      format_version: about.format_version,
      archive_kind: about.archive_kind,
      checkpoint: about.checkpoint,
      payload_digest_set: about.payload_digest_set,
      compatibility_window: about.compatibility_window,
      provenance: { ...about.provenance, ...about.counts },
    };
  }).catch(worded),
);

export const [validateArchive, hostValidateArchive] = bothDoors({
  type: 'archive.validate',
  variant: 'ValidateArchive',
  summary: 'Whether an archive is what it says.',
  requires: 'archive.admin',
  in: Named.extend({
    mode: z.unknown().optional().describe('`metadata_only`, or `full_integrity`: everything is computed anew.'),
  }),
  answers: {
    frame: 'archive.validate.result',
    event: 'ArchiveValidated',
    out: z.object({
      ...named,
      accepted: z.boolean(),
      mode: z.string(),
      checks: z.array(z.string()).describe('What was checked.'),
      compatibility_window: Window,
    }),
  },
  rejects: { frame: 'archive.validate.rejected', event: 'ArchiveValidationRejected', echoes },
  refuses: READING,
}).run((context, { room: asked, archive_ref, mode }) =>
  inRoom(context, asked, async ({ room, archives }, asking) => {
    const { about, checks } = await archives.validate(archive_ref, mode, asking);
    return {
      room: room.id,
      archive_ref: String(archive_ref),
      accepted: true,
      mode: String(mode),
      checks,
      compatibility_window: about.compatibility_window,
    };
  }),
);

export const [importArchive, hostImportArchive] = bothDoors({
  type: 'archive.import',
  variant: 'ImportArchive',
  summary: 'Take all that an archive holds into the room, in one commit.',
  requires: 'archive.admin',
  in: Named.extend({
    import_mode: z.unknown().optional().describe('`full_apply`, or `metadata_only`, which changes nothing.'),
    expected_checkpoint: z
      .unknown()
      .optional()
      .describe('`{canonical_hash, frontier}`: what the archive must be of. Heads are ids, or `seq:<nodes>`.'),
  }),
  answers: {
    frame: 'archive.import.completed',
    event: 'ArchiveImported',
    out: z.object({
      ...named,
      canonical_hash: Hex.describe('State hash of the room as it is now.'),
      checkpoint: Checkpoint.describe('Checkpoint of the archive.'),
      imported_nodes: Count.describe('Nodes that the room did not hold.'),
      imported_blobs: Count.describe('Blobs that the room did not have.'),
    }),
  },
  rejects: { frame: 'archive.import.rejected', event: 'ArchiveImportRejected', echoes },
  refuses: READING,
}).run((context, { room: asked, archive_ref, import_mode, expected_checkpoint }) =>
  inRoom(context, asked, async ({ room, archives }, asking) => {
    const done = await archives.import(archive_ref, import_mode, expected_checkpoint, asking);
    return {
      room: room.id,
      archive_ref: String(archive_ref),
      canonical_hash: done.canonicalHash,
      checkpoint: done.about.checkpoint,
      imported_nodes: done.nodes,
      imported_blobs: done.blobs,
    };
  }),
);

export const [exportArchive, hostExportArchive] = bothDoors({
  type: 'archive.export',
  variant: 'ExportArchive',
  summary: 'Write an archive of a room as it is now. One of the same room that lies there is replaced.',
  requires: 'archive.admin',
  in: Named.extend({ source_room: z.unknown().optional().describe('The room to be written; `room` when absent.') }),
  answers: {
    frame: 'archive.export.result',
    event: 'ArchiveExported',
    out: z.object({
      ...named,
      source_room: z.string(),
      manifest_id: ManifestId,
      checkpoint: Checkpoint,
      payload_digest_set: Digests,
      compatibility_window: Window,
      payload_digest_policy: z.string(),
      policy_timeline_hash: Hex.describe('See AR5.'),
      policy_timeline_cutover_lamport: Count.describe('The last one.'),
      policy_timeline_transition_cutovers: z.array(Count).describe('Clocks at which another policy came into force.'),
    }),
  },
  rejects: { frame: 'archive.export.rejected', event: 'ArchiveExportRejected', echoes: [...echoes, 'source_room'] },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.archive_unsupported_format',
    'reject.archive_manifest_invalid',
    'reject.archive_checkpoint_not_found',
  ],
}).run((context, { room: asked, archive_ref, source_room }) =>
  inRoom(context, asked, async ({ room, archives }, asking) => {
    const about = await archives.export(source_room, archive_ref, asking);
    return {
      room: room.id,
      source_room: about.source_room,
      archive_ref: String(archive_ref),
      manifest_id: about.manifest_id,
      checkpoint: about.checkpoint,
      payload_digest_set: about.payload_digest_set,
      payload_digest_policy: about.payload_digest_policy,
      compatibility_window: about.compatibility_window,
      policy_timeline_hash: about.policy_timeline_hash,
      policy_timeline_cutover_lamport: about.policy_timeline_cutover_lamport,
      policy_timeline_transition_cutovers: about.policy_timeline_transition_cutovers,
    };
  }),
);

/** Acts in the room that is asked for, if whoever asks may act there. */
async function inRoom<T>(
  { tenancy, asker, other, mayVisit }: AskedIn,
  asked: unknown,
  act: (tenancy: Tenancy, asking: Asking) => Promise<T>,
): Promise<T> {
  const withTenancy = async <R>(id: string, use: (found: Tenancy) => Promise<R>): Promise<R> => {
    const lease = await other(id);
    return use(lease.tenancy).finally(() => lease.release());
  };
  const withRoom = <R>(id: string, use: (room: Room) => Promise<R>): Promise<R> =>
    withTenancy(id, ({ room: found }) => use(found));
  const asking = { by: asker.name, withRoom, mayVisit };
  if (asked === undefined || asked === tenancy.room.id) return act(tenancy, asking);
  if (!isRoomName(asked)) throw new Rejection('reject.archive_manifest_invalid', 'room is not the name of a room');
  return withTenancy(asked, (found) => act(found, asking));
}

/** An `error` has its class in its text. */
function worded(error: unknown): never {
  if (error instanceof Rejection && error.reason.startsWith('reject.archive_'))
    throw new Rejection(error.reason, `${error.reason}: ${error.message}`, { cause: error });
  throw error;
}
