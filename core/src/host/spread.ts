/** Spread of retries: the time, by chance, after which one of so many comes back, so that they do not all come at once. */
import { restartReason } from '../wire/restart-reason.js';

/** Spread of a few: while nobody is there to come back to, and where other processes are. */
const [LEAST_SPREAD_MS, LEAST_ELSEWHERE_MS] = [1000, 250];
const SPREAD_MS_EACH = 2;

/** First wait of a client by itself, and what is added to it for each connection, up to a bound. */
const [OWN_WAIT_MS, UNASKED_MS_EACH, MOST_UNASKED_MS] = [500, 0.5, 30_000];

export function spreadOver(peers: number, leastMs = LEAST_SPREAD_MS): number {
  return Math.floor(Math.random() * Math.max(leastMs, peers * SPREAD_MS_EACH));
}

/**
 * Spread that peers are told when they come, for the day on which this server dies without a word: they know then over how long to come
 * back. None where they are so few that a client's own first wait is enough.
 */
export function spreadUnasked(peers: number): number | undefined {
  const ms = Math.min(MOST_UNASKED_MS, Math.floor(peers * UNASKED_MS_EACH));
  return ms > OWN_WAIT_MS ? ms : undefined;
}

/** Reason with which one of so many is sent away for a while: they do not all come back at once. */
export function comeBackLater(peers: number, why?: string): string {
  return restartReason(spreadOver(peers), why);
}

/** Reason with which one is sent away whose room other processes serve, or will at once: a few need not wait for one another. */
export function comeBackElsewhere(peers: number, why: string): string {
  return restartReason(spreadOver(peers, LEAST_ELSEWHERE_MS), why);
}
