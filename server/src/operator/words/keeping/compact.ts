import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { AnyOneRoom, word } from '../word.js';

export const roomCompact = word({
  noun: 'room',
  verb: 'compact',
  summary: 'Compact a room. No answer changes by it.',
  changes: true,
  in: AnyOneRoom,
  out: z.object({
    room: z.string(),
    nodes: z.number(),
    snapshot_hash: z.string(),
    bytes_before: z.number(),
    bytes_after: z.number(),
  }),
  async run({ host, store }, { room }) {
    await mustExist(room, store);
    const { seq, hash, bytesBefore, bytesAfter } = await host.withRoom(room, (opened) => opened.compact());
    return { room, nodes: seq, snapshot_hash: hash, bytes_before: bytesBefore, bytes_after: bytesAfter };
  },
});
