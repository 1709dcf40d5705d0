/** Shapes of webhooks, as callers see them. */
import { z } from 'zod';

export const WebhookId = z.string().min(1).max(200).describe('Id of the webhook.');

const Id = z.string().min(1).max(200);

export const wishFields = {
  url: z
    .string()
    .min(1)
    .max(2000)
    .describe('Address that the events are sent to: http of this machine, or allowed https.'),
  about: z
    .enum(['events', 'attention'])
    .optional()
    .describe(
      'What it is told of. attention: each thing that needs a person, once, when it begins to. Default: events.',
    ),
  shape: z
    .enum(['json', 'slack', 'mail'])
    .optional()
    .describe(
      'What is sent of attention. json: the item as attention.list has it; slack: what incoming webhooks of Slack and its like ' +
        'take; mail: a subject and a text. Default: json.',
    ),
  template: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Body that is sent of attention in place of that of the shape, as JSON. In its texts {{title}}, {{text}}, {{sentence}}, ' +
        '{{kind}}, {{id}}, {{goal}} and {{since}} stand for what they name.',
    ),
  credentialRef: Id.optional().describe(
    'Name of a key, for attention, that is sent along as a bearer token, as mail services want it.',
  ),
  label: z.string().min(1).max(200).optional().describe('What it is for.'),
  kinds: z.array(Id).max(200).optional().describe('Kinds of events, or of attention, to send. Default: all.'),
  sessionId: Id.optional().describe('Only what is of this session.'),
  workUnitId: Id.optional().describe('Only what is about this work unit.'),
  goalId: Id.optional().describe('Only what is about this goal and everything below it.'),
};

const fields = {
  webhookId: WebhookId,
  ...wishFields,
  toldUpTo: z.number().describe('Number of the last event that it was told, or that was not for it.'),
  madeAt: z.string().describe('When it was made, ISO 8601.'),
  failures: z.number().describe('How often the last attempt has failed in a row.'),
  lastFailure: z.string().optional().describe('Why it failed last.'),
};

export const Webhook = z.object(fields).meta({ id: 'Webhook', description: 'An address that is told of events.' });

export const NewWebhook = z
  .object({
    ...fields,
    secret: z
      .string()
      .optional()
      .describe(
        'Key of the signatures. It is shown this once: an answer to a repeated request does not have it. Each request carries ' +
          'Weft-Timestamp and Weft-Signature, which is "v1=" and the hex of HMAC-SHA256 over timestamp, ".", and body.',
      ),
  })
  .meta({ id: 'NewWebhook', description: 'A webhook that was just made.' });
