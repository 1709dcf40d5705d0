/** Cooperative loop over what may be very long, such as the whole log: it yields to the event loop from time to time. */

/** Time slice. */
const TURN_MS = 10;
/** Items between looks at the clock. */
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
