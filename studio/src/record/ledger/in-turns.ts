/** Work on what may be very long, such as all that ever happened: after a while whoever waits has a turn. */

/** Shorter than anybody notices. */
const TURN_MS = 10;
/** So many are done before the clock is looked at. */
const BETWEEN_LOOKS = 16;

export async function inTurns<Item, Result>(items: Iterable<Item>, work: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const item of items) {
    results.push(work(item));
    if (results.length % BETWEEN_LOOKS !== 0 || performance.now() - began < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = performance.now();
  }
  return results;
}
