import * as z from 'zod';
import { asked } from '../../submit.js';
import { OneRoom, word } from '../word.js';

export const roomTick = word({
  noun: 'room',
  verb: 'tick',
  summary: 'Start the tick of a room, by which the server decides intents; or stop it.',
  changes: true,
  in: OneRoom.extend({
    stop: z.boolean().default(false).describe('Stop it.'),
    interval_ms: z.number().int().positive().optional().describe('Milliseconds between two; 100 when absent.'),
    intent_prefix: z.string().min(1).optional().describe('Prefix of the keys that are intents; `intent/` when absent.'),
  }),
  out: z.object({
    room: z.string(),
    runs: z.boolean(),
    interval_ms: z.number().optional().describe('In force, which is not what was asked for where it ran already.'),
    intent_prefix: z.string().optional(),
  }),
  async run({ host }, { room, stop, ...wanted }) {
    if (stop) {
      await asked(host, room, 'StopTick', {});
      return { room, runs: false };
    }
    const settings = z
      .object({ interval_ms: z.number(), intent_prefix: z.string() })
      .parse(await asked(host, room, 'StartTick', wanted));
    return { room, runs: true, ...settings };
  },
});
