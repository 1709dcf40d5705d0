import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

const Erased = z.object({
  key: z.string().describe('The key.'),
  nodes: z.number().describe('Nodes that wrote to it.'),
  children: z.array(z.string()).describe('Child rooms that it was erased from too.'),
  left: z.array(z.string()).describe('Child rooms that hold it still, because they could not be emptied.'),
});

export const roomErase = word({
  noun: 'room',
  verb: 'erase',
  summary: 'Erase every value that a key has ever had, from a room and its children. Everybody comes again.',
  changes: true,
  in: OneRoom.extend({
    key: z.string().min(1).max(4096).describe('The key.'),
    nodes: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, 'is the id of a node: 64 hex characters'))
      .min(1)
      .max(1000)
      .optional()
      .describe('Only what these nodes have written there, by their ids; all when absent.'),
  }),
  out: Erased.extend({ room: z.string() }),
  async run({ host, store }, { room, ...wanted }) {
    await mustExist(room, store);
    return { room, ...Erased.parse(await asked(host, room, 'EraseValue', wanted)) };
  },
});
