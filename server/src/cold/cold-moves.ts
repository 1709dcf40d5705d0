/** Moves to the cold tier, from time to time while a server runs. What fails is told and tried again the next time. */
import { type Clock, type ColdTier, type Telemetry, systemClock } from '@weft/core';

export interface ColdMovesOptions {
  readonly cold: ColdTier;
  /** Milliseconds for which something must not have changed. */
  readonly olderThanMs: number;
  readonly telemetry: Telemetry;
  readonly clock?: Clock;
}

const EVERY_MS = 3_600_000;

/** Begins now; what it answers ends it, with the move that is under way. */
export function startColdMoves(options: ColdMovesOptions): () => Promise<void> {
  const { cold, olderThanMs, telemetry, clock = systemClock } = options;
  const stop = new AbortController();
  let cancel = (): void => undefined;
  let [objects, bytes, leftovers] = [0, 0, 0];
  telemetry.watch?.('cold_objects', () => objects);
  telemetry.watch?.('cold_stored_bytes', () => bytes);
  telemetry.watch?.('cold_leftovers', () => leftovers);
  const look = async (): Promise<void> => {
    try {
      const moved = await cold.move(olderThanMs, stop.signal);
      if (moved !== undefined && moved.objects > 0)
        telemetry.tell?.({ level: 'info', message: 'moved to the cold store', about: { ...moved } });
    } catch (error) {
      if (stop.signal.aborted) return;
      telemetry.record('cold_failed_total', 1);
      telemetry.tell?.({ level: 'error', message: 'cannot move to the cold store, and tries again in an hour', error });
    }
    await cold.usage().then(
      (found) => ({ objects, bytes, leftovers } = found),
      () => undefined, // the database is away, and tells so elsewhere
    );
  };
  let looking: Promise<void>;
  const begin = (): void => {
    looking = look().then(() => {
      if (!stop.signal.aborted) cancel = clock.after(EVERY_MS, begin);
    });
  };
  begin();
  return async () => {
    stop.abort(new Error('the server stops'));
    cancel();
    await looking;
  };
}
