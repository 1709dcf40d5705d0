/** Abortable delay that ends either way. Its listener is taken off, since the signal outlives many. */
import type { Clock } from '../clock.js';

export async function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = clock.after(ms, end);
    signal.addEventListener('abort', end);
  });
}
