import * as z from 'zod';
import { webhooksOf } from './webhooks-of.js';
import { word } from '../word.js';

export const webhookRemove = word({
  noun: 'webhook',
  isOfWebhooks: true,
  verb: 'remove',
  summary: 'Tell an address nothing any more.',
  changes: true,
  in: z.object({ id: z.string().min(1).max(64).describe('Id of the webhook, as the list shows it.') }),
  out: z.object({ id: z.string() }),
  async run(context, { id }) {
    await webhooksOf(context).remove(id);
    return { id };
  },
});
