/** Closings of connections behind what was thrown: who may come again, and when, is said by the code. [ER3] [ER4] [ER7] */
import { type StoreFault, StoreError } from '../ports/store.js';
import { ComeBack, Disconnect, Rejection } from '../rejection.js';
import { CLOSE } from '../wire/close-codes.js';
import { restartReason } from '../wire/restart-reason.js';
import { comeBackLater } from './spread.js';

/** Faults of a store that end by themselves, or at another process. */
const PASSING: { readonly [Fault in StoreFault]?: string } = {
  locked: 'another process has this room now',
  away: 'the store does not answer',
};

/** How a connection ends behind an error; of what is no refusal the peer hears nothing. `peers` are those whom it meets at once. */
export function closingFor(error: unknown, peers: number): { readonly code: number; readonly reason: string } {
  if (error instanceof Disconnect) return { code: error.code, reason: error.message };
  if (error instanceof ComeBack)
    return { code: CLOSE.restart.code, reason: restartReason(error.retryMs, error.message) };
  if (error instanceof Rejection) return { code: CLOSE.policy.code, reason: error.message };
  const passing = error instanceof StoreError ? PASSING[error.fault] : undefined;
  if (passing !== undefined) return { code: CLOSE.restart.code, reason: comeBackLater(peers, passing) };
  return { code: CLOSE.overload.code, reason: 'internal error' };
}
