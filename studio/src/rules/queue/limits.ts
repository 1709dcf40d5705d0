/**
 * Vendors' limits: a unit whose model may be asked no more for now waits outside the queue until the time that the vendor names, and so
 * does every other unit that would ask the same model with the same key. Units with other models go on. No attempt is counted.
 */
import { type Limited, scheduledItem } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { itemOf, settle } from './queue.js';
import { setStatus } from './set-status.js';

/** Wait where a vendor names no time. */
export const USUAL_LIMIT_MS = 120_000;
/** Those behind the first wait so much longer: it tries for all of them. */
const BEHIND_MS = 15_000;

/** Parks a unit until its limit is over; without a time, until a person resumes it. */
export function parkForLimit(change: Change, workUnitId: string, limited: Limited): void {
  change.run(scheduledItem, workUnitId, 'park', { reason: 'Limit', limited });
  setStatus(change, workUnitId, 'Waiting', limited.because);
}

/** Limit in force for a model and key, for another unit that would ask it. */
export function limitInForce(records: Records, of: string, at: string): Limited | undefined {
  const found = records.scheduledItems
    .where('place', 'parked')
    .flatMap(({ parkedFor, limited }) => (parkedFor === 'Limit' && limited?.of === of ? limited : []))
    .find(({ until, isBehind }) => isBehind !== true && (until === undefined || until > at));
  if (!found) return undefined;
  const { until } = found;
  const later = until === undefined ? {} : { until: new Date(Date.parse(until) + BEHIND_MS).toISOString() };
  return { ...found, ...later, isBehind: true };
}

/** Ends the wait of a unit, unless it waits for something else by now. */
export function endLimit(change: Change, records: Records, workUnitId: string, until: string): void {
  const item = itemOf(change, workUnitId);
  if (item?.parkedFor === 'Limit' && item.limited?.until === until) settle(change, records, workUnitId);
}
