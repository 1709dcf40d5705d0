/** Blocking dequeue: waits until something can be leased. Events have numbers, so none is missed between looking and waiting. */
import type { ScheduledItem } from '../record/aggregates/scheduled-item/scheduled-item.js';
import type { Feed } from '../record/ledger/feed.js';
import type { Ledger } from '../record/ledger/ledger.js';
import type { Records } from '../record/views/records.js';
import { type Taker, leaseNext } from '../rules/queue/queue.js';

/** Leases the next unit; undefined when stopped. */
export async function nextLease(
  ledger: Pick<Ledger, 'change' | 'feed'>,
  records: Records,
  taker: Taker,
  signal: AbortSignal,
): Promise<ScheduledItem | undefined> {
  while (!signal.aborted) {
    const seen = ledger.feed.last;
    const item = await ledger.change(taker.agentId, (open) => leaseNext(open, records, taker));
    if (item) return item;
    await eventAfter(ledger.feed, seen, signal);
  }
  return undefined;
}

async function eventAfter(feed: Feed, seen: number, signal: AbortSignal): Promise<void> {
  if (feed.last > seen || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = feed.onEvent(end);
    signal.addEventListener('abort', end);
  });
}
