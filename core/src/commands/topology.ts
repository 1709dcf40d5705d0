/** Child rooms, over a connection and through the embedding API. Rules TP1 to TP3. */
import { z } from 'zod';
import { Lineage } from '../room/genesis.js';
import type { CommandContext } from '../session/context.js';
import { command, hostCommand } from './define.js';

type Children = CommandContext['tenancy']['children'];

const RoomName = z.string().describe('A room; the one of this connection when absent.');

/** Read where what is wrong with them has its class. */
const Wanted = z.object({
  child_room_id: z.unknown().optional().describe('The new room: no room of that name may have a durable fact.'),
  child_purpose: z.unknown().optional().describe('What it is for, in your words.'),
  promotion_policy_id: z
    .unknown()
    .optional()
    .describe('`reference-only`, or `promotion-based` for one that may be merged back.'),
  parent_checkpoint: z
    .unknown()
    .optional()
    .describe('`{canonical_hash, frontier}`: what the parent must be, as a welcome tells.'),
  created_by: z.string().max(256).optional().describe('Who wants it.'),
});
const Made = z.object({ child_room_id: z.string(), lineage: Lineage });
const Origins = z.object({
  lineage: Lineage.nullable().describe('Null for a room that is nobody’s child.'),
  ancestors: z.array(Lineage).describe('Its own lineage, its parent’s, and so on.'),
});
const Listed = z.object({ children: z.array(Made) });

async function create(children: Children, wanted: z.output<typeof Wanted>, by: string): Promise<z.output<typeof Made>> {
  const { id, lineage } = await children.create({
    id: wanted.child_room_id,
    purpose: wanted.child_purpose,
    promotionPolicy: wanted.promotion_policy_id,
    createdBy: wanted.created_by ?? by,
    checkpoint: wanted.parent_checkpoint,
  });
  return { child_room_id: id, lineage };
}

async function describe(children: Children): Promise<z.output<typeof Origins>> {
  const ancestors = await children.ancestors();
  return { lineage: ancestors[0] ?? null, ancestors };
}

async function list(children: Children): Promise<z.output<typeof Listed>> {
  const found = await children.list();
  return { children: found.map(({ id, lineage }) => ({ child_room_id: id, lineage })) };
}

export const createChild = command({
  type: 'topology.create-child',
  summary: 'Begin a room with all that its parent holds now.',
  requires: 'topology.admin',
  in: Wanted.extend({ parent_room_id: RoomName.optional() }),
  out: { 'topology.create-child.completed': Made },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.lineage_invalid_checkpoint',
    'reject.lineage_policy_unknown',
    'reject.lineage_parent_not_found',
    'reject.lineage_child_already_exists',
    'reject.lineage_parent_checkpoint_mismatch',
  ],
}).run(async (context, { parent_room_id: asked, ...wanted }) => {
  const { children, release } = await childrenIn(context, asked, 'topology.create-child');
  const made = await create(children, wanted, context.identity.pubkey).finally(release);
  return [context.reply('topology.create-child.completed', made)];
});

export const describeLineage = command({
  type: 'topology.describe-lineage',
  summary: 'Where a room comes from.',
  requires: 'topology.admin',
  in: z.object({ room_id: RoomName.optional() }),
  out: { 'topology.describe-lineage.result': Origins.extend({ room_id: z.string() }) },
  refuses: ['reject.control_plane_forbidden', 'reject.room_not_found'],
}).run(async (context, { room_id = context.tenancy.room.id }) => {
  const { children, release } = await childrenIn(context, room_id, 'topology.describe-lineage');
  const origins = await describe(children).finally(release);
  return [context.reply('topology.describe-lineage.result', { room_id, ...origins })];
});

export const listChildren = command({
  type: 'topology.list-children',
  summary: 'The children of a room, oldest first.',
  requires: 'topology.admin',
  in: z.object({ parent_room_id: RoomName.optional() }),
  out: { 'topology.list-children.result': Listed.extend({ parent_room_id: z.string() }) },
  refuses: ['reject.control_plane_forbidden', 'reject.room_not_found'],
}).run(async (context, { parent_room_id = context.tenancy.room.id }) => {
  const { children, release } = await childrenIn(context, parent_room_id, 'topology.list-children');
  const listed = await list(children).finally(release);
  return [context.reply('topology.list-children.result', { parent_room_id, ...listed })];
});

export const createTopologyChild = hostCommand({
  variant: 'CreateTopologyChild',
  event: 'ChildRoomCreated',
  summary: 'Begin a room with all that this one holds now.',
  in: Wanted,
  out: Made,
}).run(({ tenancy }, wanted) => create(tenancy.children, wanted, 'operator'));

export const describeRoomLineage = hostCommand({
  variant: 'DescribeRoomLineage',
  event: 'RoomLineageDescribed',
  summary: 'Where the room comes from.',
  in: z.object({}),
  out: Origins,
}).run(({ tenancy }) => describe(tenancy.children));

export const listTopologyChildren = hostCommand({
  variant: 'ListTopologyChildren',
  event: 'ChildrenListed',
  summary: 'The children of the room, oldest first.',
  in: z.object({}),
  out: Listed,
}).run(({ tenancy }) => list(tenancy.children));

/** Of the room of the connection, or of another one if the peer may act there. */
async function childrenIn(
  { tenancy, other }: CommandContext,
  asked: string | undefined,
  type: string,
): Promise<{ readonly children: Children; readonly release: () => void }> {
  if (asked === undefined || asked === tenancy.room.id) return { children: tenancy.children, release: () => undefined };
  const lease = await other(asked, type);
  return { children: lease.tenancy.children, release: () => lease.release() };
}
