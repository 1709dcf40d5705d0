/** Refusals of webhooks. */
import type { ReasonRow } from './reason-row.js';

export const webhookReasons = {
  'reject.webhook_not_found': {
    kind: 'missing',
    meaning: 'No webhook has this id.',
    recovery: ['List the webhooks.'],
  },
  'reject.webhook_url_not_allowed': {
    kind: 'invalid',
    meaning: 'Events are not sent to this address.',
    recovery: ['Name an address of this machine, or have the operator allow the host and use https.'],
  },
} as const satisfies Record<string, ReasonRow>;
