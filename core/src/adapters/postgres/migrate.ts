/** Brings the tables of a database forward to this version, while no process serves it. */
import type { MigrationPlan } from '../migration-plan.js';
import { Connections } from './connections.js';
import { databaseError } from './database-error.js';
import { Lease } from './lease.js';
import { STEPS, type Step, checkVersion, neverServed, takeStep, versionOf } from './schema.js';

export interface MigrateOptions {
  /** Only says what would be done. */
  readonly isDry?: boolean;
  readonly steps?: readonly Step[];
}

/** Milliseconds for one step: a large table may have to be rewritten. */
const STEP_MS = 24 * 3_600_000;
const LEASE_MS = 6000;

/** Each step is kept by itself: what ends in the middle goes on at the next call. */
export async function migratePostgres(
  address: string,
  { isDry = false, steps = STEPS }: MigrateOptions = {},
): Promise<MigrationPlan> {
  const connections = new Connections(address, { most: 2, queryMs: STEP_MS });
  const { place } = connections;
  const lease = new Lease(connections, { termMs: LEASE_MS });
  try {
    const from = await connections.use(versionOf);
    if (from === 0) throw neverServed(place);
    if (from > steps.length) checkVersion(from, place, steps.length);
    if (!isDry && from < steps.length) {
      await lease.take();
      for (let version = from; version < steps.length;)
        version = await connections.insist((connection) => takeStep(connection, steps));
    }
    return { from, to: steps.length, steps: steps.slice(from).map(({ about }) => about) };
  } catch (error) {
    throw databaseError('bring the tables forward', error, place);
  } finally {
    await lease.release().catch(() => undefined);
    await connections.close();
  }
}
