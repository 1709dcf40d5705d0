/** What becomes of a read replica, for an operator: bytes by where they came from, and a line when it stops answering and when it answers again. */
import type { Telemetry } from '@weft/core';
import type { ReadReplicaListener } from '@weft/core/postgres';

export function readReplicaTold(telemetry: Telemetry): ReadReplicaListener {
  let isAway = false;
  telemetry.watch?.('read_replica_away', () => Number(isAway));
  return {
    read: (bytes, from) => telemetry.record('read_replica_bytes_total', bytes, from),
    away(error) {
      isAway = error !== undefined;
      telemetry.tell?.(
        error
          ? { level: 'warn', message: 'the read replica does not answer: the primary is read until it does', error }
          : { level: 'info', message: 'the read replica answers again' },
      );
    },
  };
}
