/** Replay of a room: its nodes one by one, in the order of its log. */
import * as z from 'zod';
import { operation } from './define.js';
import { Room, mustExist } from './room-id.js';
import { asked } from './submit.js';

const PAGE = 1000;
const Page = z.object({ items: z.array(z.looseObject({ seq: z.number() })), next_cursor: z.string().nullable() });

/** Operation that tells each node, and answers how many there were and the cursor from which later ones are read. */
export const replay = operation({
  name: 'replay',
  in: z.object({
    room: Room,
    key_prefix: z.string(),
    from_lamport: z.number().int().nonnegative().optional(),
    cursor: z.string().optional(),
    most: z.number().int().positive(),
  }),
  async run({ host, store, progress, signal }, { room, cursor, most, ...range }) {
    await mustExist(room, store);
    let nodes = 0;
    let next = cursor;
    while (nodes < most && !signal.aborted) {
      const limit = Math.min(PAGE, most - nodes);
      const page = Page.parse(
        await asked(host, room, 'ReplayReadRange', {
          ...range,
          limit,
          ...(next === undefined ? {} : { cursor: next }),
        }),
      );
      for (const item of page.items) await progress(item);
      nodes += page.items.length;
      next = page.next_cursor ?? undefined;
      if (next === undefined) break;
    }
    return { nodes, cursor: next ?? null };
  },
});
