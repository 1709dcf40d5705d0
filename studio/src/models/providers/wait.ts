/** Abortable delay. */
import type { ModelUsage } from '../provider.js';
import { ProviderError } from '../provider.js';

/** One-shot timer. What it answers cancels it. */
type After = (ms: number, call: () => void) => () => void;

export function stopped(spent?: ModelUsage): ProviderError {
  return new ProviderError('stopped', 'the call was stopped', { spent });
}

export function wait(after: After, ms: number, signal: AbortSignal, spent?: ModelUsage): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      callOff();
      reject(stopped(spent));
    };
    const callOff = after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
