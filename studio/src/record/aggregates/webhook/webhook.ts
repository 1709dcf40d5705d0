/**
 * Webhook: an address that is told of events, or of what needs a person. What it was told is recorded, so that after a restart nothing
 * is missing and nothing is told twice: a cursor in the events; of what needs a person each item, from before it is sent.
 */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

/** Address, what it is told of, and in which words. */
const wish = {
  url: z.string(),
  label: z.string().optional(),
  /** Absent: all. */
  kinds: z.array(z.string()).optional(),
  sessionId: z.string().optional(),
  workUnitId: z.string().optional(),
  goalId: z.string().optional(),
  /** Absent: events. */
  about: z.enum(['events', 'attention']).optional(),
  shape: z.enum(['json', 'slack', 'mail']).optional(),
  template: z.record(z.string(), z.unknown()).optional(),
  credentialRef: z.string().optional(),
};
const Wish = z.object(wish);
export type WebhookWish = Readonly<z.infer<typeof Wish>>;

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('WebhookMade'), v: z.literal(1), webhookId: z.string(), after: z.number(), wish: Wish }),
  z.object({ type: z.literal('WebhookChanged'), v: z.literal(1), wish: Wish }),
  z.object({ type: z.literal('WebhookTold'), v: z.literal(1), upTo: z.number() }),
  z.object({ type: z.literal('WebhookTelling'), v: z.literal(1), item: z.string(), deliveryId: z.string() }),
  z.object({ type: z.literal('WebhookTaken'), v: z.literal(1), item: z.string() }),
  z.object({ type: z.literal('WebhookOver'), v: z.literal(1), items: z.array(z.string()) }),
  z.object({ type: z.literal('WebhookRemoved'), v: z.literal(1) }),
]);
export type WebhookEvent = z.infer<typeof event>;

/** Delivery of an item that needs a person. Sent again it has the same id, by which a receiver knows it. */
export interface ItemDelivery {
  readonly deliveryId: string;
  readonly isTaken: boolean;
}

export interface Webhook extends WebhookWish {
  readonly webhookId: string;
  /** Cursor: number of the last event that was delivered or skipped. */
  readonly toldUpTo: number;
  readonly madeAt: string;
  /** What it is told of and still needs a person, by item. */
  readonly items: Readonly<Record<string, ItemDelivery>>;
}

function there(state: Webhook | undefined, webhookId: string): Webhook {
  if (state) return state;
  throw refusal('reject.webhook_not_found', `no webhook is called ${webhookId}`, { webhookId });
}

function withItem(state: Webhook | undefined, item: string, delivery: ItemDelivery): Webhook | undefined {
  return state && { ...state, items: { ...state.items, [item]: delivery } };
}

export const webhook = aggregate<Webhook>()({
  name: 'webhook',
  room: 'local',
  event,
  evolve(state, event: WebhookEvent, { at }): Webhook | undefined {
    switch (event.type) {
      case 'WebhookMade':
        return { webhookId: event.webhookId, ...event.wish, toldUpTo: event.after, madeAt: at, items: {} };
      case 'WebhookChanged': {
        if (!state) return undefined;
        const { webhookId, toldUpTo, madeAt, items } = state;
        return { webhookId, ...event.wish, toldUpTo, madeAt, items };
      }
      case 'WebhookTold':
        return state && { ...state, toldUpTo: event.upTo };
      case 'WebhookTelling':
        return withItem(state, event.item, { deliveryId: event.deliveryId, isTaken: false });
      case 'WebhookTaken': {
        const delivery = state?.items[event.item];
        return delivery ? withItem(state, event.item, { ...delivery, isTaken: true }) : state;
      }
      case 'WebhookOver': {
        const over = new Set(event.items);
        return (
          state && {
            ...state,
            items: Object.fromEntries(Object.entries(state.items).filter(([item]) => !over.has(item))),
          }
        );
      }
      case 'WebhookRemoved':
        return undefined;
    }
  },
  decide: {
    make: (_state, { webhookId, after, wish }: { webhookId: string; after: number; wish: WebhookWish }) =>
      [{ type: 'WebhookMade', v: 1, webhookId, after, wish }] as WebhookEvent[],
    change(state, { webhookId, wish }: { webhookId: string; wish: WebhookWish }): WebhookEvent[] {
      there(state, webhookId);
      return [{ type: 'WebhookChanged', v: 1, wish }];
    },
    told: (state, { webhookId, upTo }: { webhookId: string; upTo: number }): WebhookEvent[] =>
      there(state, webhookId).toldUpTo >= upTo ? [] : [{ type: 'WebhookTold', v: 1, upTo }],
    telling(
      state,
      { webhookId, item, deliveryId }: { webhookId: string; item: string; deliveryId: string },
    ): WebhookEvent[] {
      const known = there(state, webhookId).items[item];
      return known ? [] : [{ type: 'WebhookTelling', v: 1, item, deliveryId }];
    },
    taken(state, { webhookId, item }: { webhookId: string; item: string }): WebhookEvent[] {
      const known = there(state, webhookId).items[item];
      return known && !known.isTaken ? [{ type: 'WebhookTaken', v: 1, item }] : [];
    },
    over(state, { webhookId, items }: { webhookId: string; items: readonly string[] }): WebhookEvent[] {
      const known = items.filter((item) => there(state, webhookId).items[item]);
      return known.length === 0 ? [] : [{ type: 'WebhookOver', v: 1, items: known }];
    },
    remove(state, { webhookId }: { webhookId: string }): WebhookEvent[] {
      there(state, webhookId);
      return [{ type: 'WebhookRemoved', v: 1 }];
    },
  },
});
