/**
 * Liveness check beside a long request. The answer may take as long as its work does; whether the process is there at all
 * (it may have been stopped) is asked meanwhile, again and again, by a probe that costs nothing.
 */
import type { Clock } from '@weft/core';

const SECOND = 1000;
const TOLD_AFTER = 3;
const MOST_SECONDS = 15;

export interface Patience {
  /** Probe: settles when the process answers anything; until then it hangs. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  /** Name of the process that is asked, and advice for when it does not answer. */
  readonly who: string;
  readonly remedy: string;
  /** Called once for each silence, with a message that says so. */
  readonly waiting: (message: string) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Timeout of the probe; the message says what to do. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

export async function patiently<T>(patience: Patience, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const [over, lost] = [new AbortController(), new AbortController()];
  const looking = untilLost(patience, over.signal).then((isLost) => isLost && lost.abort());
  try {
    return await ask(AbortSignal.any([patience.signal, lost.signal]));
  } catch (error) {
    if (!lost.signal.aborted) throw error;
    const { who, remedy } = patience;
    throw new NoAnswerError(`${who} has not answered for ${MOST_SECONDS} s: ${remedy}`, { cause: error });
  } finally {
    over.abort();
    await looking;
  }
}

/**
 * Whether the probe has hung for too long; false when `over` came first. Seconds are counted one by one: while this
 * process is suspended, none passes.
 */
async function untilLost({ probe, who, remedy, waiting, clock }: Patience, over: AbortSignal): Promise<boolean> {
  while (await passed(clock, over)) {
    let isThere = false;
    const found = (): void => void (isThere = true);
    const asked = probe(over).then(found, found);
    for (let second = 0; !isThere && !over.aborted; second++) {
      if (second === MOST_SECONDS) return true;
      if (second === TOLD_AFTER)
        waiting(`${who} does not answer, waiting ${MOST_SECONDS - TOLD_AFTER} s more: ${remedy}`);
      await Promise.race([asked, passed(clock, over)]);
    }
  }
  return false;
}

/** Whether a second has passed before it was over. */
function passed(clock: Clock, over: AbortSignal): Promise<boolean> {
  if (over.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const cancel = clock.after(SECOND, () => settle(true));
    const end = (): void => settle(false);
    const settle = (hasPassed: boolean): void => {
      cancel();
      over.removeEventListener('abort', end);
      resolve(hasPassed);
    };
    over.addEventListener('abort', end);
  });
}
