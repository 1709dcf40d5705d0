/** What can be said of a database from outside, while processes serve it or not: nothing is written or locked. */
import { Connections } from './connections.js';
import { databaseError } from './database-error.js';
import { neverServed, versionOf } from './schema.js';

export interface DatabaseLooks {
  /** What is so, in a sentence each. */
  readonly facts: readonly string[];
  readonly problems: readonly string[];
}

/** Clocks that are further apart let tokens and proofs expire too early or too late. */
const APART_MS = 5000;
const ANSWER_MS = 10_000;

interface Row {
  readonly version: string;
  readonly now: string;
  readonly names: string;
  readonly standbys: string;
}

/** Looks at the database at an address such as `postgres://user@host:5432/database`. */
export async function lookAtDatabase(address: string): Promise<DatabaseLooks> {
  const connections = new Connections(address, { most: 1, queryMs: ANSWER_MS });
  try {
    return await connections.use(async (connection) => {
      const tables = await versionOf(connection);
      if (tables === 0) throw neverServed(connections.place);
      const asked = Date.now();
      const { rows } = await connection.query<Row>(
        `SELECT current_setting('server_version') AS version, extract(epoch FROM clock_timestamp()) * 1000 AS now,
           current_setting('synchronous_standby_names') AS names,
           (SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'async') AS standbys`,
      );
      const { version, now, names, standbys } = rows[0]!;
      const apartMs = Math.round(Number(now) - (asked + Date.now()) / 2);
      const holders = await connection.query<{ holder: string }>(
        `SELECT holder FROM weft.lease WHERE until >= clock_timestamp() AND holder <> 'nobody' ORDER BY holder`,
      );
      const serving = holders.rows.map(({ holder }) => holder.replace(/ \([^)]*\)$/, ''));
      const problems: string[] = [];
      if (Math.abs(apartMs) > APART_MS)
        problems.push(`the clock of the database is ${apartMs} ms from that of this machine; keep both by NTP`);
      if (Number(standbys) > 0 && names === '')
        problems.push(
          'a standby follows asynchronously: promoted, it lacks what was acknowledged last; set synchronous_standby_names',
        );
      return {
        facts: [
          `PostgreSQL ${version}, tables of version ${tables}`,
          serving.length === 0 ? 'nobody serves it' : `served by ${serving.join(', ')}`,
        ],
        problems,
      };
    });
  } catch (error) {
    throw databaseError('look at it', error, connections.place);
  } finally {
    await connections.close();
  }
}
