/** Past events: the stream of events, read from somewhere until it has come to a number that is known to be there. */
import { type NumberedEvent, followEvents } from '@weft/studio-client';
import { studio } from './session.js';

/** Events after one number up to another, oldest first. */
export async function pastEvents(after: number, upTo: number, signal: AbortSignal): Promise<readonly NumberedEvent[]> {
  if (upTo <= after) return [];
  const stop = new AbortController();
  const found: NumberedEvent[] = [];
  await followEvents(studio, {
    after,
    signal: AbortSignal.any([signal, stop.signal]),
    take: (events) => {
      found.push(...events.filter(({ number }) => number <= upTo));
      if ((events.at(-1)?.number ?? 0) >= upTo) stop.abort();
    },
    lost: () => stop.abort(),
  });
  return found;
}
