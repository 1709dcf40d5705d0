import { LIMITS, createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { IdleCollection, type TransportChoice, startServer } from '@weft/server';
import type { ServerAsked } from './server-entry.js';

interface WeftAsked extends Partial<ServerAsked> {
  readonly transport: TransportChoice;
}

/** With everything that `weft serve` has but its rate: the benches send more than a person types. */
const limits = { ...LIMITS, nodesPerSecond: 1e9, nodesBurst: 1e9, bytesPerSecond: 1e9, bytesBurst: 1e9 };

/** Without a folder nothing is kept; what is kept is synced before it is acknowledged. */
export async function startWeft({ transport, folder, idleMs = LIMITS.idleMs }: WeftAsked): Promise<string> {
  const store = folder === undefined ? memoryStore() : levelStore(folder);
  const idle = new IdleCollection();
  const telemetry = idle.hearing({ record: () => undefined });
  const host = createHost({ store, limits: { ...limits, idleMs }, telemetry });
  idle.start();
  await host.ready();
  const { url } = await startServer({ host, transport, listen: '127.0.0.1:0' });
  return url.replace('<room>', '');
}
