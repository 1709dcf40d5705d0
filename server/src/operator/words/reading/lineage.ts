import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

const Lineage = z.object({
  ancestors: z.array(
    z.object({ parent_room_id: z.string(), child_purpose: z.string(), promotion_policy_id: z.string() }),
  ),
});
const Children = z.object({
  children: z.array(
    z.object({
      child_room_id: z.string(),
      child_purpose: z.string(),
      promotion_policy_id: z.string(),
      created_by: z.string(),
    }),
  ),
});

const MERGES = 'promotion-based';

export const roomLineage = word({
  noun: 'room',
  verb: 'lineage',
  summary: 'Show of which rooms a room is a child, and which are its children.',
  changes: false,
  in: OneRoom,
  out: z.object({
    room: z.string(),
    ancestors: z
      .array(z.object({ room: z.string(), purpose: z.string(), merges: z.boolean() }))
      .describe('Its parent, the parent of that, and so on; each with what the child below it is for.'),
    children: z.array(
      z.object({
        room: z.string(),
        purpose: z.string(),
        merges: z.boolean().describe('Whether it may be promoted into its parent.'),
        created_by: z.string(),
      }),
    ),
  }),
  async run({ host, store }, { room }) {
    await mustExist(room, store);
    const { ancestors } = Lineage.parse(await asked(host, room, 'DescribeRoomLineage', {}));
    const { children } = Children.parse(await asked(host, room, 'ListTopologyChildren', {}));
    return {
      room,
      ancestors: ancestors.map(({ parent_room_id, child_purpose, promotion_policy_id }) => ({
        room: parent_room_id,
        purpose: child_purpose,
        merges: promotion_policy_id === MERGES,
      })),
      children: children.map(({ child_room_id, child_purpose, promotion_policy_id, created_by }) => ({
        room: child_room_id,
        purpose: child_purpose,
        merges: promotion_policy_id === MERGES,
        created_by,
      })),
    };
  },
});
