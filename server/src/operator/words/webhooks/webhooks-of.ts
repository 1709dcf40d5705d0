import type { WebhookDesk } from '../../../webhooks/webhook-desk.js';
import { type OperatorContext, OperatorError } from '../../define.js';

/** Webhooks of the host that a word is said to. */
export function webhooksOf({ webhooks }: OperatorContext): WebhookDesk {
  if (!webhooks) throw new OperatorError('this server has no webhooks: they need rooms in one thread');
  return webhooks;
}
