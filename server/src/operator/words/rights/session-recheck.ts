import * as z from 'zod';
import { Room } from '../../room-id.js';
import { word } from '../word.js';

export const sessionRecheck = word({
  noun: 'session',
  verb: 'recheck',
  summary: 'Ask again who may be here, of those whom the authentication hook has let in: other rights hold at once.',
  changes: true,
  in: z.object({
    subject: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe('Subject whose sessions are checked again. Default: all sessions.'),
    room: Room.optional().describe('In which room; in all when absent.'),
  }),
  out: z.object({}),
  everywhere: () => ({}),
  async run({ host }, { subject, room }) {
    await host.recheck({ ...(subject === undefined ? {} : { subject }), ...(room === undefined ? {} : { room }) });
    return {};
  },
});
