/** Webhooks: addresses that are told of events, at least once each and in order. */
import { z } from 'zod';
import { webhook } from '../../record/aggregates/webhook/webhook.js';
import type { Webhook as Stored, WebhookWish } from '../../record/aggregates/webhook/webhook.js';
import { ATTENTION_KINDS } from '../../rules/people/attention-item.js';
import { refusal } from '../../reasons.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { faultOfTemplate } from './attention-message.js';
import { NewWebhook, Webhook, WebhookId, wishFields } from './webhook-shape.js';

export const make = operation({
  summary: 'Have events sent to an address, signed. The answer shows the key once.',
  scope: 'admin',
  in: z.object({
    ...wishFields,
    after: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('Number of the event to begin behind. Default: only what happens from now on.'),
  }),
  out: NewWebhook,
  rest: { route: 'POST /studio/webhooks' },
  human: true,
  refuses: ['reject.webhook_url_not_allowed', 'reject.invalid_input'],
  annotations: { ...ADDS, openWorld: true },
}).run(async (context, { after = context.feed.last, ...wish }) => {
  requireAllowed(context, wish.url);
  requireSound(wish);
  const made = await context.answer((change) => {
    const webhookId = change.newId('hook-');
    return shown(context, change.run(webhook, webhookId, 'make', { webhookId, after, wish }));
  });
  return { ...made, secret: context.webhooks.secretOf(made.webhookId) };
});

export const list = operation({
  summary: 'List the webhooks, oldest first, with how they do.',
  scope: 'admin',
  in: z.object({}),
  out: z.array(Webhook),
  rest: { route: 'GET /studio/webhooks' },
  list: 'webhookId',
  human: true,
  refuses: [],
  annotations: READS,
}).run((context) => context.records.webhooks.all().map((found) => shown(context, found)));

export const get = operation({
  summary: 'Read one webhook, with how it does.',
  scope: 'admin',
  in: z.object({ webhookId: WebhookId }),
  out: Webhook,
  rest: { route: 'GET /studio/webhooks/{webhookId}' },
  human: true,
  refuses: ['reject.webhook_not_found'],
  annotations: READS,
}).run((context, { webhookId }) => {
  const found = context.records.webhooks.get(webhookId);
  if (found) return shown(context, found);
  throw refusal('reject.webhook_not_found', `no webhook is called ${webhookId}`, { webhookId });
});

export const change = operation({
  summary: 'Say anew where a webhook sends and what. It goes on where it was.',
  scope: 'admin',
  in: z.object({ webhookId: WebhookId, ...wishFields }),
  out: Webhook,
  rest: { route: 'PUT /studio/webhooks/{webhookId}' },
  human: true,
  refuses: ['reject.webhook_not_found', 'reject.webhook_url_not_allowed', 'reject.invalid_input'],
  annotations: { ...SETS, openWorld: true },
}).run((context, { webhookId, ...wish }) => {
  requireAllowed(context, wish.url);
  requireSound(wish);
  return context.answer((open) => shown(context, open.run(webhook, webhookId, 'change', { webhookId, wish })));
});

export const remove = operation({
  summary: 'Send a webhook nothing more.',
  scope: 'admin',
  in: z.object({ webhookId: WebhookId }),
  out: z.object({ webhookId: WebhookId }),
  rest: { route: 'DELETE /studio/webhooks/{webhookId}' },
  human: true,
  refuses: ['reject.webhook_not_found'],
  annotations: ENDS,
}).run((context, { webhookId }) =>
  context.answer((open) => {
    open.end(webhook, webhookId, 'remove', { webhookId });
    return { webhookId };
  }),
);

function shown({ webhooks }: Context, { items: _, ...found }: Stored): z.input<typeof Webhook> {
  return { ...found, ...webhooks.stateOf(found.webhookId) };
}

function requireAllowed({ webhooks }: Context, url: string): void {
  const fault = webhooks.faultOf(url);
  if (fault !== undefined) throw refusal('reject.webhook_url_not_allowed', fault, { url });
}

/** What is said about a webhook has an effect, all of it. */
function requireSound({ about = 'events', kinds, shape, template, credentialRef }: WebhookWish): void {
  const fault = (field: string, message: string): Error =>
    refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
  if (about === 'events') {
    for (const [field, given] of Object.entries({ shape, template, credentialRef }))
      if (given !== undefined) throw fault(field, 'is for a webhook about attention: give about: attention as well');
    return;
  }
  const known: readonly string[] = ATTENTION_KINDS;
  const unknown = kinds?.find((kind) => !known.includes(kind));
  if (unknown !== undefined) throw fault('kinds', `${unknown} is none of ${known.join(', ')}`);
  const wrong = template && faultOfTemplate(template);
  if (wrong !== undefined) throw fault('template', wrong);
}
