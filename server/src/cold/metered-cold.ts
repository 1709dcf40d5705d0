/** Cold store that counts what goes in and out. */
import type { ColdStore, Telemetry } from '@weft/core';

export function meteredCold(store: ColdStore, telemetry: Telemetry): ColdStore {
  return {
    place: store.place,
    async put(name, bytes) {
      await store.put(name, bytes);
      telemetry.record('cold_bytes_total', bytes.length, 'in');
    },
    async get(name) {
      const bytes = await store.get(name);
      telemetry.record('cold_bytes_total', bytes?.length ?? 0, 'out');
      if (!bytes) telemetry.record('cold_missing_total', 1);
      return bytes;
    },
    remove: (name) => store.remove(name),
  };
}
