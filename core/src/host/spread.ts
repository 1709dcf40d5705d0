/** Spread of retries: the time, by chance, after which one of so many comes back, so that they do not all come at once. */
import { restartReason } from '../wire/restart-reason.js';

const LEAST_SPREAD_MS = 1000;
const SPREAD_MS_EACH = 2;

export function spreadOver(peers: number): number {
  return Math.floor(Math.random() * Math.max(LEAST_SPREAD_MS, peers * SPREAD_MS_EACH));
}

/** Reason with which one of so many is sent away for a while: they do not all come back at once. */
export function comeBackLater(peers: number, why?: string): string {
  return restartReason(spreadOver(peers), why);
}
