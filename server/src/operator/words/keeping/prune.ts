import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

const Pruned = z.object({
  canonical_seq: z.number(),
  nodes: z.number(),
  bytes_before: z.number(),
  bytes_after: z.number(),
});

export const roomPrune = word({
  noun: 'room',
  verb: 'prune',
  summary: 'Give up for good what registers held before a position of the log. Everybody comes again.',
  changes: true,
  in: OneRoom.extend({
    before: z.number().int().nonnegative().optional().describe('Position of the log; what there is now when absent.'),
  }),
  out: z.object({
    room: z.string(),
    before: z.number().describe('Position before which it was given up.'),
    nodes: z.number().describe('Nodes of which only headers are left.'),
    bytes_before: z.number(),
    bytes_after: z.number(),
  }),
  async run({ host, store }, { room, before }) {
    await mustExist(room, store);
    const wanted = before === undefined ? {} : { before };
    const { canonical_seq, ...sizes } = Pruned.parse(await asked(host, room, 'PruneHistory', wanted));
    return { room, before: canonical_seq, ...sizes };
  },
});
