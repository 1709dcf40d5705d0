/**
 * What a webhook about attention is told next: of each thing that needs a person, once, when it begins to. That it will be told is
 * recorded before it is sent, with an id that stays the same however often that takes; what has gone meanwhile is not told at all.
 */
import { type Webhook, webhook as aggregate } from '../../record/aggregates/webhook/webhook.js';
import { goalOf } from '../../rules/goals/tree.js';
import { sessionOf } from '../../rules/goals/session-of.js';
import type { Attention } from '../../rules/people/attention-item.js';
import { attentionOf } from '../../rules/people/attention.js';
import type { OperationParts } from '../kernel/context.js';
import { shownAttention } from '../people/attention-shape.js';
import { attentionMessage } from './attention-message.js';

export interface ItemToTell {
  readonly item: string;
  readonly deliveryId: string;
  readonly body: object;
}

/** `isTaken` knows of deliveries that were taken, and could not be recorded. */
export async function itemToTell(
  parts: OperationParts,
  webhook: Webhook,
  isTaken: (deliveryId: string) => boolean,
): Promise<ItemToTell | undefined> {
  const { ledger, records, now } = parts;
  const { webhookId } = webhook;
  const found = attentionOf(records, ledger.look, now()).filter((one) => isFor(parts, webhook, one));
  const waiting = new Map(found.map((one) => [`${one.kind} ${one.id}`, one]));
  const over = Object.keys(webhook.items).filter((item) => !waiting.has(item));
  if (over.length > 0)
    await change(parts, webhookId, (open) => open.run(aggregate, webhookId, 'over', { webhookId, items: over }));
  for (const [item, one] of waiting) {
    const known = webhook.items[item];
    if (known && (known.isTaken || isTaken(known.deliveryId))) continue;
    const deliveryId = known?.deliveryId ?? (await begun(parts, webhookId, item));
    const body = attentionMessage(webhook, webhookId, shownAttention(records, one));
    return { item, deliveryId, body };
  }
  return undefined;
}

export function markTaken(parts: OperationParts, webhookId: string, item: string): Promise<void> {
  return change(parts, webhookId, (open) => open.run(aggregate, webhookId, 'taken', { webhookId, item }));
}

async function begun(parts: OperationParts, webhookId: string, item: string): Promise<string> {
  let deliveryId = '';
  await change(parts, webhookId, (open) => {
    deliveryId = open.newId('tell-');
    open.run(aggregate, webhookId, 'telling', { webhookId, item, deliveryId });
  });
  return deliveryId;
}

type Open = Parameters<Parameters<OperationParts['ledger']['change']>[1]>[0];

/** A change of the webhook, unless it was removed meanwhile. */
async function change(
  { ledger, records }: OperationParts,
  webhookId: string,
  work: (open: Open) => unknown,
): Promise<void> {
  await ledger.change('webhooks', (open) => {
    if (records.webhooks.get(webhookId)) work(open);
  });
}

function isFor(
  { ledger: { look }, records }: OperationParts,
  { kinds, sessionId, workUnitId, goalId }: Webhook,
  one: Attention,
): boolean {
  const unit = one.workUnitId ?? '';
  return (
    (kinds === undefined || kinds.includes(one.kind)) &&
    (workUnitId === undefined || unit === workUnitId) &&
    (sessionId === undefined || sessionOf(look, records, unit) === sessionId) &&
    (goalId === undefined || one.goalId === goalId || goalOf(look, unit)?.goalId === goalId)
  );
}
