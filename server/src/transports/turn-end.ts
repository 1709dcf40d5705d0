/**
 * What waits for the end of a turn of the event loop, when all that has come with it has been heard.
 *
 * A microtask would come too early: one runs after each frame that was received, so a room where many enter at once
 * would write to everybody for each of them.
 */
const waiting: (() => void)[] = [];

/** Calls back once; never from within the caller. */
export function atTurnEnd(act: () => void): void {
  if (waiting.push(act) === 1) setImmediate(endTurn);
}

function endTurn(): void {
  forEachOf(waiting.splice(0), (act) => act());
}

/** One that throws is a bug of its own, told to the process as such, and keeps nobody behind it waiting. */
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
