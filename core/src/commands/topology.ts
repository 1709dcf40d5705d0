/** Child rooms. Rules TP1 to TP4. */
import { z } from 'zod';
import { parseRoomId } from '../graph/room-id.js';
import { isReserved } from '../graph/room-id.js';
import type { RoomId } from '../graph/room-id.js';
import { Lineage } from '../room/genesis.js';
import type { CommandContext } from '../session/context.js';
import { PROMOTION_POLICIES, ancestorsOf, childrenOf, createChild, lineageOf, rejected } from '../topology/children.js';
import { HashHex } from '../wire/scalars.js';
import { command } from './define.js';

const RoomName = z.string().describe('A room; the one of this connection when absent.');

/** Read by hand: what is wrong has its own reason. */
const Checkpoint = z.object({ canonical_hash: HashHex, frontier: z.array(HashHex).min(1) });

export const createChildRoom = command({
  type: 'topology.create-child',
  summary: 'Begin a room with all that its parent holds now.',
  requires: 'topology.admin',
  in: z.object({
    child_room_id: z.unknown().describe('The new room: no room of that name may have a durable fact.'),
    child_purpose: z.unknown().describe('What it is for, in your words.'),
    promotion_policy_id: z
      .unknown()
      .describe('`reference-only`, or `promotion-based` for one that may be merged back.'),
    parent_checkpoint: z
      .unknown()
      .describe('`{canonical_hash, frontier}`: what the parent must be, as a welcome tells.'),
    parent_room_id: RoomName.optional(),
    created_by: z.string().max(256).optional().describe('Who wants it; your public key when absent.'),
  }),
  out: { 'topology.create-child.completed': z.object({ child_room_id: z.string(), lineage: Lineage }) },
  refuses: [
    'reject.control_plane_forbidden',
    'reject.lineage_invalid_checkpoint',
    'reject.lineage_policy_unknown',
    'reject.lineage_parent_not_found',
    'reject.lineage_child_already_exists',
    'reject.lineage_parent_checkpoint_mismatch',
  ],
}).run(async (context, input) => {
  const { log, signer, clock, identity, reply } = context;
  const id = childName(input.child_room_id);
  const purpose = textOf('child_purpose', input.child_purpose);
  const promotionPolicy = input.promotion_policy_id;
  if (typeof promotionPolicy !== 'string' || !PROMOTION_POLICIES.includes(promotionPolicy))
    throw rejected('lineage_policy_unknown', `promotion_policy_id is one of ${PROMOTION_POLICIES.join(', ')}`);
  const checkpoint = Checkpoint.safeParse(input.parent_checkpoint);
  if (!checkpoint.success)
    throw rejected(
      'lineage_invalid_checkpoint',
      'parent_checkpoint is {canonical_hash, frontier}, with at least one head',
    );
  const { canonical_hash: canonicalHash, frontier } = checkpoint.data;
  const lineage = await inRoom(context, input.parent_room_id, 'topology.create-child', ({ room }) =>
    createChild(
      room,
      {
        id,
        purpose,
        promotionPolicy,
        createdBy: input.created_by ?? identity.pubkey,
        checkpoint: { canonicalHash, frontier },
      },
      { log, signer, now: clock.now() },
    ),
  );
  return [reply('topology.create-child.completed', { child_room_id: id, lineage })];
});

export const describeLineage = command({
  type: 'topology.describe-lineage',
  summary: 'Where a room comes from.',
  requires: 'topology.admin',
  in: z.object({ room_id: RoomName.optional() }),
  out: {
    'topology.describe-lineage.result': z.object({
      room_id: z.string(),
      lineage: Lineage.nullable().describe('Null for a room that is nobody’s child.'),
      ancestors: z.array(Lineage).describe('Its own lineage, its parent’s, and so on.'),
    }),
  },
  refuses: ['reject.control_plane_forbidden', 'reject.room_not_found'],
}).run(async (context, { room_id: asked }) => {
  const id = await inRoom(context, asked, 'topology.describe-lineage', ({ room }) => Promise.resolve(room.id));
  const lineage = (await lineageOf(context.log, id)) ?? null;
  const ancestors = await ancestorsOf(context.log, id);
  return [context.reply('topology.describe-lineage.result', { room_id: id, lineage, ancestors })];
});

export const listChildren = command({
  type: 'topology.list-children',
  summary: 'The children of a room, oldest first.',
  requires: 'topology.admin',
  in: z.object({ parent_room_id: RoomName.optional() }),
  out: {
    'topology.list-children.result': z.object({
      parent_room_id: z.string(),
      children: z.array(z.object({ child_room_id: z.string(), lineage: Lineage })),
    }),
  },
  refuses: ['reject.control_plane_forbidden', 'reject.room_not_found'],
}).run(async (context, { parent_room_id: asked }) => {
  const id = await inRoom(context, asked, 'topology.list-children', ({ room }) => Promise.resolve(room.id));
  const found = await childrenOf(context.log, id);
  const children = found.map((child) => ({ child_room_id: child.id, lineage: child.lineage }));
  return [context.reply('topology.list-children.result', { parent_room_id: id, children })];
});

/** In the room of the connection, or in another one if the peer may act there. */
async function inRoom<T>(
  { tenancy, other }: CommandContext,
  asked: string | undefined,
  type: string,
  act: (tenancy: CommandContext['tenancy']) => Promise<T>,
): Promise<T> {
  if (asked === undefined || asked === tenancy.room.id) return act(tenancy);
  const lease = await other(asked, type);
  return act(lease.tenancy).finally(lease.release);
}

function childName(value: unknown): RoomId {
  const id = parseRoomId(textOf('child_room_id', value));
  if (id && !isReserved(id)) return id;
  throw rejected('lineage_invalid_checkpoint', 'child_room_id is not the name of a room');
}

function textOf(field: string, value: unknown): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= 1024) return value;
  throw rejected('lineage_invalid_checkpoint', `${field} is a text of 1 to 1,024 characters`);
}
