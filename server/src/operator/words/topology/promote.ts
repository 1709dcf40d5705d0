import { createHash } from 'node:crypto';
import type { Host, RoomId } from '@weft/core';
import * as z from 'zod';
import { Room, mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

const Change = z.object({ key: z.string(), is_conflict: z.boolean(), stands: z.string() });
const Previewed = z.object({ changes: z.array(Change), more: z.number() });

export const roomPromote = word({
  noun: 'room',
  verb: 'promote',
  summary: 'Merge what a child has changed into a room, in one commit; or show what that would do.',
  changes: true,
  in: OneRoom.extend({
    child: Room.describe('The child.'),
    keys: z.string().min(1).optional().describe('Pattern of the keys that are meant; all when absent.'),
    merge: z.boolean().default(false).describe('Merge also what both have changed, which is refused otherwise.'),
    preview: z.boolean().default(false).describe('Show what would be done, and change nothing.'),
  }),
  out: z.object({
    room: z.string(),
    child: z.string(),
    changes: z.array(Change).describe('Whose value each key gets.'),
    more: z.number().describe('Changed keys behind these.'),
    canonical_hash: z.string().optional().describe('Hash of the state of the room after the merge.'),
  }),
  async run({ host, store }, { room, child, keys, merge, preview }) {
    await mustExist(room, store);
    await mustExist(child, store);
    const proposal = await propose(host, room, {
      child_room_id: child,
      child_checkpoint_hash: await hashOf(host, child),
      payload_ref: keys === undefined ? 'all' : `glob:${keys}`,
      on_conflict: merge ? 'merge' : 'reject',
    });
    const { changes, more } = Previewed.parse(await asked(host, room, 'PreviewTopologyPromotion', proposal));
    if (preview) return { room, child, changes, more };
    await asked(host, room, 'ValidateTopologyPromotion', proposal);
    const merged = await asked(host, room, 'ApplyTopologyPromotion', proposal);
    return { room, child, changes, more, canonical_hash: String(merged['parent_new_canonical_hash']) };
  },
});

/** Proposes; the same of the same child is one proposal, however often it is asked for. */
async function propose(host: Host, room: RoomId, wanted: object): Promise<{ readonly proposal_id: unknown }> {
  const name = createHash('sha256')
    .update(JSON.stringify([room, wanted]))
    .digest('hex')
    .slice(0, 32);
  const proposed = await asked(host, room, 'ProposeTopologyPromotion', {
    ...wanted,
    idempotency_key: `operator-${name}`,
  });
  return { proposal_id: proposed['proposal_id'] };
}

function hashOf(host: Host, room: RoomId): Promise<string> {
  return host.withRoom(room, async (opened) => {
    await opened.past.present.prepareHash();
    return opened.stateHash;
  });
}
