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

/** One that throws is a bug of its own, told to the process as such, and keeps nobody behind it waiting. */
function endTurn(): void {
  for (const act of waiting.splice(0)) {
    try {
      act();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
