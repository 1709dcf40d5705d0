/**
 * Retry with exponential back-off and jitter. All waiting for vendors is done here: their libraries retry nothing. A malformed
 * reply is not retried but answered, in re-ask.ts.
 */
import type { Clock } from '../../../clock.js';
import type { ModelTurn, ModelUsage, Provider } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { sumUsage, withSpent } from './reply.js';
import { wait } from '../wait.js';

export interface Retries {
  readonly clock: Clock;
  /** Random number from 0 up to 1. */
  readonly random: () => number;
  /** Retries. Default: 5. */
  readonly most?: number | undefined;
  /** First delay, doubled each time. Default: 1 s. */
  readonly firstMs?: number | undefined;
  /**
   * Longest delay; a vendor that asks for more fails the call, because the asker knows better what to do meanwhile. Default: 60
   * s.
   */
  readonly longestMs?: number | undefined;
}

const JITTER_MS = 250;

export function withRetries(provider: Provider, retries: Retries): Provider {
  const { most = 5, longestMs = 60_000, clock } = retries;
  return {
    name: provider.name,
    // Whoever asks for a count has an estimate, and does not wait.
    count: provider.count,
    async turn(request, options) {
      let spent: ModelUsage | undefined;
      for (let attempt = 1; ; attempt += 1) {
        const result = await attemptOf(provider.turn(request, options));
        if (!(result instanceof ProviderError)) return { ...result, usage: sumUsage(spent, result.usage) };
        const fault = spent ? withSpent(result, spent) : result;
        spent = fault.spent;
        const delayMs = waitOf(fault, attempt, retries);
        const canWait = fault.passing && fault.fault !== 'malformed' && attempt <= most && delayMs <= longestMs;
        if (!canWait) throw fault;
        options.onRetry?.({ fault, attempt, most, delayMs });
        await wait((ms, call) => clock.after(ms, call), delayMs, options.signal, spent);
        options.onStartOver?.();
      }
    },
  };
}

async function attemptOf(turn: Promise<ModelTurn>): Promise<ModelTurn | ProviderError> {
  try {
    return await turn;
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

/** Delay: what the vendor says, or exponential back-off with jitter, so that not all come back at once. */
function waitOf({ retryAfterMs }: ProviderError, attempt: number, retries: Retries): number {
  const { firstMs = 1000, longestMs = 60_000, random } = retries;
  const jitter = Math.floor(random() * JITTER_MS);
  if (retryAfterMs !== undefined) return retryAfterMs;
  return Math.min(firstMs * 2 ** (attempt - 1) + jitter, longestMs);
}
