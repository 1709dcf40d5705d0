import * as z from 'zod';
import { Room, mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

export const roomFork = word({
  noun: 'room',
  verb: 'fork',
  summary: 'Begin a child room with all that a room holds now. It is locked and governed as its parent.',
  changes: true,
  in: OneRoom.extend({
    child: Room.describe('Id of the new room.'),
    purpose: z.string().max(1024).default('fork').describe('What it is for.'),
    merges: z.boolean().default(false).describe('Whether it may be promoted into its parent.'),
  }),
  out: z.object({
    room: z.string(),
    child: z.string(),
    canonical_hash: z.string().describe('Hash of the state that parent and child share at the fork.'),
  }),
  async run({ host, store }, { room, child, purpose, merges }) {
    await mustExist(room, store);
    const checkpoint = await host.withRoom(room, async (opened) => {
      await opened.past.present.prepareHash();
      return { canonical_hash: opened.stateHash, frontier: [...opened.heads.frontier] };
    });
    await asked(host, room, 'CreateTopologyChild', {
      child_room_id: child,
      child_purpose: purpose,
      promotion_policy_id: merges ? 'promotion-based' : 'reference-only',
      parent_checkpoint: checkpoint,
    });
    return { room, child, canonical_hash: checkpoint.canonical_hash };
  },
});
