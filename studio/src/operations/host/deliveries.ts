/** Webhook state in the record: the cursor of each, and the events to deliver. */
import { webhook } from '../../record/aggregates/webhook/webhook.js';
import type { Webhook } from '../../record/aggregates/webhook/webhook.js';
import type { FeedEntry } from '../../record/ledger/feed.js';
import { goalOf } from '../../rules/goals/tree.js';
import type { OperationParts } from '../kernel/context.js';
import { type ExecutionEvent, shownEvent } from './event-shape.js';

export type { Webhook };

export interface Batch {
  readonly events: readonly ExecutionEvent[];
  /** Number of the last event that the batch covers. */
  readonly upTo: number;
}

const LOOKED_AT = 500;

/** Next batch of events for a webhook. */
export function batchFor({ ledger }: OperationParts, wish: Webhook, after: number, most: number): Batch {
  const events: ExecutionEvent[] = [];
  let upTo = after;
  for (const entry of ledger.feed.after(after, LOOKED_AT)) {
    if (events.length === most) break;
    upTo = entry.number;
    if (isFor(ledger.look, wish, entry)) {
      const event = shownEvent(entry);
      if (!wish.kinds || wish.kinds.includes(event.kind)) events.push(event);
    }
  }
  return { events, upTo };
}

export async function markTold({ ledger, records }: OperationParts, webhookId: string, upTo: number): Promise<void> {
  await ledger.change('webhooks', (change) => {
    // The webhook may have been removed during the delivery.
    if (records.webhooks.get(webhookId)) change.run(webhook, webhookId, 'told', { webhookId, upTo });
  });
}

function isFor(
  look: OperationParts['ledger']['look'],
  { sessionId, workUnitId, goalId }: Webhook,
  { stored }: FeedEntry,
): boolean {
  const { meta } = stored;
  return (
    (sessionId === undefined || meta.sessionId === sessionId) &&
    (workUnitId === undefined || meta.workUnitId === workUnitId) &&
    (goalId === undefined || goalOf(look, meta.workUnitId ?? '')?.goalId === goalId)
  );
}
