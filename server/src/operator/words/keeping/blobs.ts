import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { OneRoom, word } from '../word.js';

const MOST = 10_000;

export const roomBlobs = word({
  noun: 'room',
  verb: 'blobs',
  summary: 'List the blobs that a room may read, with their sizes.',
  changes: false,
  in: OneRoom.extend({
    most: z.number().int().positive().max(MOST).default(MOST).describe('How many are listed at most; all are counted.'),
  }),
  out: z.object({
    room: z.string(),
    blobs: z.array(z.object({ hash: z.string(), bytes: z.number() })),
    count: z.number(),
    bytes: z.number().describe('Sum over all blobs of the room.'),
  }),
  async run({ store, signal }, { room, most }) {
    await mustExist(room, store);
    const blobs: { hash: string; bytes: number }[] = [];
    let [count, total] = [0, 0];
    for await (const hash of store.blobs.linked(room)) {
      signal.throwIfAborted();
      const bytes = (await store.blobs.size(hash)) ?? 0;
      count++;
      total += bytes;
      if (blobs.length < most) blobs.push({ hash, bytes });
    }
    return { room, blobs, count, bytes: total };
  },
});
