import * as z from 'zod';
import { webhooksOf } from './webhooks-of.js';
import { word } from '../word.js';

export const webhookList = word({
  noun: 'webhook',
  isOfWebhooks: true,
  verb: 'list',
  summary: 'Show who is told what rooms have become, and what keeps them waiting.',
  changes: false,
  in: z.object({}),
  out: z.object({
    webhooks: z.array(
      z.object({
        id: z.string(),
        url: z.string(),
        rooms: z.string(),
        waiting: z.number().describe('Rooms of which it has not been told everything.'),
        failures: z.number().describe('Requests in a row that it has not taken.'),
        lastFailure: z.string().optional(),
      }),
    ),
  }),
  run: (context) => Promise.resolve({ webhooks: webhooksOf(context).list() }),
});
