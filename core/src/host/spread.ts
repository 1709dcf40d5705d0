/** Spread of retries: the time, by chance, after which one of so many comes back, so that they do not all come at once. */

const LEAST_SPREAD_MS = 1000;
const SPREAD_MS_EACH = 2;

export function spreadOver(peers: number): number {
  return Math.floor(Math.random() * Math.max(LEAST_SPREAD_MS, peers * SPREAD_MS_EACH));
}
