/** Webhook: an address that events are sent to. Its cursor is recorded, so that each event is delivered, also after a restart. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

/** Address, and the kinds of events for it. */
const wish = {
  url: z.string(),
  label: z.string().optional(),
  /** Absent: all. */
  kinds: z.array(z.string()).optional(),
  sessionId: z.string().optional(),
  workUnitId: z.string().optional(),
  goalId: z.string().optional(),
};
const Wish = z.object(wish);
export type WebhookWish = Readonly<z.infer<typeof Wish>>;

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('WebhookMade'), v: z.literal(1), webhookId: z.string(), after: z.number(), wish: Wish }),
  z.object({ type: z.literal('WebhookChanged'), v: z.literal(1), wish: Wish }),
  z.object({ type: z.literal('WebhookTold'), v: z.literal(1), upTo: z.number() }),
  z.object({ type: z.literal('WebhookRemoved'), v: z.literal(1) }),
]);
export type WebhookEvent = z.infer<typeof event>;

export interface Webhook extends WebhookWish {
  readonly webhookId: string;
  /** Cursor: number of the last event that was delivered or skipped. */
  readonly toldUpTo: number;
  readonly madeAt: string;
}

function there(state: Webhook | undefined, webhookId: string): Webhook {
  if (state) return state;
  throw refusal('reject.webhook_not_found', `no webhook is called ${webhookId}`, { webhookId });
}

export const webhook = aggregate<Webhook>()({
  name: 'webhook',
  room: 'local',
  event,
  evolve(state, event: WebhookEvent, { at }): Webhook | undefined {
    switch (event.type) {
      case 'WebhookMade':
        return { webhookId: event.webhookId, ...event.wish, toldUpTo: event.after, madeAt: at };
      case 'WebhookChanged': {
        if (!state) return undefined;
        const { webhookId, toldUpTo, madeAt } = state;
        return { webhookId, ...event.wish, toldUpTo, madeAt };
      }
      case 'WebhookTold':
        return state && { ...state, toldUpTo: event.upTo };
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
    remove(state, { webhookId }: { webhookId: string }): WebhookEvent[] {
      there(state, webhookId);
      return [{ type: 'WebhookRemoved', v: 1 }];
    },
  },
});
