import * as z from 'zod';
import { InvalidInput } from '../../define.js';
import { mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

export const roomDelete = word({
  noun: 'room',
  verb: 'delete',
  summary: 'Delete a room with its history and its blobs, for good; a signed tombstone stays in its place for a time.',
  changes: true,
  in: OneRoom.extend({ confirm: z.string().describe("The room's id once more: nothing brings the room back.") }),
  out: z.object({
    room: z.string(),
    nodes: z.number().describe('How many it had.'),
    until: z.number().optional().describe('Unix milliseconds until which nobody begins a room of that name.'),
    blobs_deleted: z.number(),
    bytes_deleted: z.number(),
  }),
  async run({ host, store }, { room, confirm }) {
    await mustExist(room, store);
    if (confirm !== room) throw new InvalidInput(`confirm: must be ${room}, the id of the room that is to go`);
    const answer = await asked(host, room, 'DeleteRoom', { confirm });
    const { canonical_seq: nodes, ...rest } = Deleted.parse(answer);
    return { room, nodes, ...rest };
  },
});

const Deleted = z.object({
  canonical_seq: z.number(),
  until: z.number().optional(),
  blobs_deleted: z.number(),
  bytes_deleted: z.number(),
});
