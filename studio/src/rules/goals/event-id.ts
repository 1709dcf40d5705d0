/** Event ids: an event is known to callers by its number in the log. */
import type { Feed, FeedEntry } from '../../record/ledger/feed.js';

export function eventIdOf(number: number): string {
  return `ev-${number}`;
}

/** Event by its id; undefined for a malformed id, or one of no event. */
export function eventById(feed: Pick<Feed, 'get'>, eventId: string): FeedEntry | undefined {
  return feed.get(Number(/^ev-([1-9]\d{0,14})$/.exec(eventId)?.[1]));
}
