/** Child rooms. Rules TP1 to TP4. */
import { z } from 'zod';
import { Lineage } from '../room/genesis.js';
import type { CommandContext } from '../session/context.js';
import { command } from './define.js';

const RoomName = z.string().describe('A room; the one of this connection when absent.');

export const createChildRoom = command({
  type: 'topology.create-child',
  summary: 'Begin a room with all that its parent holds now.',
  requires: 'topology.admin',
  // Fields are read where what is wrong with them has its class.
  in: z.object({
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
  const { child_room_id: id, child_purpose: purpose, promotion_policy_id: promotionPolicy } = input;
  const { parent_checkpoint: checkpoint, created_by: createdBy = context.identity.pubkey } = input;
  const child = await inRoom(context, input.parent_room_id, 'topology.create-child', ({ children }) =>
    children.create({ id, purpose, promotionPolicy, createdBy, checkpoint }),
  );
  return [context.reply('topology.create-child.completed', { child_room_id: child.id, lineage: child.lineage })];
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
  const ancestors = await inRoom(context, asked, 'topology.describe-lineage', ({ children }) => children.ancestors());
  const room_id = asked ?? context.tenancy.room.id;
  return [context.reply('topology.describe-lineage.result', { room_id, lineage: ancestors[0] ?? null, ancestors })];
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
  const found = await inRoom(context, asked, 'topology.list-children', ({ children }) => children.list());
  const children = found.map(({ id, lineage }) => ({ child_room_id: id, lineage }));
  const parent_room_id = asked ?? context.tenancy.room.id;
  return [context.reply('topology.list-children.result', { parent_room_id, children })];
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
