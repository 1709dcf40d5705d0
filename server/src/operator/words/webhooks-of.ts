import type { WebhookDesk } from '../../webhooks/webhook-desk.js';
import { type OperatorContext, OperatorError } from '../define.js';

/** Webhooks of the host that a word is said to. */
export function webhooksOf({ webhooks }: OperatorContext): WebhookDesk {
  if (!webhooks)
    throw new OperatorError('webhooks are kept in a data folder, and the rooms of this server are in a database');
  return webhooks;
}
