import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { type WebhookEvent, webhook } from './webhook.js';

const webhookId = 'hook-1';
const wish = { url: 'http://127.0.0.1/', kinds: ['GoalPaused'] };
const made: WebhookEvent = { type: 'WebhookMade', v: 1, webhookId, after: 7, wish };

describe('a webhook', () => {
  it('begins behind the event that it was made with', () => {
    expect(decided(webhook, [], 'make', { webhookId, after: 7, wish })).toEqual([made]);
    expect(stateOf(webhook, [made])).toEqual({ webhookId, ...wish, toldUpTo: 7, madeAt: told.at, items: {} });
  });

  it('moves on as it is told, and never back', () => {
    const events = decided(webhook, [made], 'told', { webhookId, upTo: 9 });
    expect(events).toEqual([{ type: 'WebhookTold', v: 1, upTo: 9 }]);
    for (const upTo of [9, 8, 0]) expect(decided(webhook, [made, ...events], 'told', { webhookId, upTo })).toEqual([]);
  });

  it('goes on where it was when it is changed, and loses what it is not told again', () => {
    const changed = decided(webhook, [made], 'change', { webhookId, wish: { url: 'http://127.0.0.1/x' } });
    expect(stateOf(webhook, [made, ...changed])).toEqual({
      webhookId,
      url: 'http://127.0.0.1/x',
      toldUpTo: 7,
      madeAt: told.at,
      items: {},
    });
  });

  it('keeps an item under the id that it was first told by, until it is over', () => {
    const about = { webhookId, item: 'review MP-1' };
    const telling = decided(webhook, [made], 'telling', { ...about, deliveryId: 'tell-1' });
    expect(decided(webhook, [made, ...telling], 'telling', { ...about, deliveryId: 'tell-2' })).toEqual([]);
    expect(decided(webhook, [made], 'taken', about)).toEqual([]);
    const taken = decided(webhook, [made, ...telling], 'taken', about);
    expect(stateOf(webhook, [made, ...telling, ...taken])?.items).toEqual({
      'review MP-1': { deliveryId: 'tell-1', isTaken: true },
    });
    expect(decided(webhook, [made, ...telling, ...taken], 'taken', about)).toEqual([]);
    const over = decided(webhook, [made, ...telling], 'over', { webhookId, items: ['review MP-1', 'other'] });
    expect(over).toEqual([{ type: 'WebhookOver', v: 1, items: ['review MP-1'] }]);
    expect(stateOf(webhook, [made, ...telling, ...over])?.items).toEqual({});
    expect(decided(webhook, [made, ...telling, ...over], 'over', { webhookId, items: ['review MP-1'] })).toEqual([]);
  });

  it('is gone when it is removed, and then nothing can be done with it', () => {
    const removed = decided(webhook, [made], 'remove', { webhookId });
    expect(stateOf(webhook, [made, ...removed])).toBeUndefined();
    const missing = expect.objectContaining({ reason: 'reject.webhook_not_found' }) as Error;
    for (const events of [[], [made, ...removed]]) {
      expect(() => decided(webhook, events, 'remove', { webhookId })).toThrow(missing);
      expect(() => decided(webhook, events, 'change', { webhookId, wish })).toThrow(missing);
      expect(() => decided(webhook, events, 'told', { webhookId, upTo: 9 })).toThrow(missing);
    }
  });
});
