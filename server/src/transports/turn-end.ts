/**
 * Queue for the end of a turn of the event loop, when everything that came in the turn has been heard.
 *
 * A microtask would come too early: one runs after each frame that was received, so a room where many enter at once
 * would write to everybody for each of them.
 */
const waiting: (() => void)[] = [];

/** Calls back once at the end of the turn; never from within the caller. */
export function atTurnEnd(act: () => void): void {
  if (waiting.push(act) === 1) setImmediate(endTurn);
}

function endTurn(): void {
  forEachOf(waiting.splice(0), (act) => act());
}

/**
 * Loop in which one failure does not stop the rest: what throws is a bug of its own, and is told to the process as
 * such.
 */
export function forEachOf<T>(items: Iterable<T>, act: (item: T) => void): void {
  for (const item of items) {
    try {
      act(item);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
