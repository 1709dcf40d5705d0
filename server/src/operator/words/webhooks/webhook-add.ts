import * as z from 'zod';
import { webhooksOf } from './webhooks-of.js';
import { word } from '../word.js';

export const webhookAdd = word({
  noun: 'webhook',
  isOfWebhooks: true,
  verb: 'add',
  summary: 'Have an address told what rooms have become: signed, at least once, each room in the order of its log.',
  changes: true,
  in: z.object({
    url: z.string().min(1).max(2048).describe('Where it is told, by POST; https beyond this machine.'),
    rooms: z.string().min(1).max(256).default('*').describe('Glob over the ids of rooms.'),
    from_start: z.boolean().default(false).describe('Tell of what there is already, too.'),
  }),
  out: z.object({
    id: z.string(),
    url: z.string(),
    rooms: z.string(),
    secret: z.string().describe('What requests are signed with. It is shown this once.'),
  }),
  run: (context, { url, rooms, from_start: fromStart }) => webhooksOf(context).add({ url, rooms, fromStart }),
});
