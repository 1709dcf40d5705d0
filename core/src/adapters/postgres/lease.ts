/**
 * Lease of a database: one process at a time writes there. It is a row with a term by the database's own clock and a number, the
 * fence, that grows whenever the lease changes hands. Every write checks the number in its own transaction and holds the row in
 * share until that has ended, so of a holder that was stopped and wakes up nothing is applied, and whoever takes the lease waits
 * for what is under way.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../ports/store.js';
import type { Connection, Connections } from './connections.js';
import { nameOf } from './database-error.js';

/** A write found another number: the lease has changed hands, or this process has raised it meanwhile. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  readonly fence: number;

  constructor(fence: number) {
    super(`the lease has another number than ${fence}`);
    this.fence = fence;
  }
}

/** Query for the row that a write locks; `$1` is the number that it must have. */
export const LEASE_HELD = `SELECT fence FROM weft.lease WHERE name = 'store' AND fence = $1 FOR SHARE`;

/** Milliseconds between two looks at a lease that somebody has. */
const LOOK_MS = 200;

export class Lease {
  readonly #connections: Connections;
  readonly #termMs: number;
  readonly #holder = `process ${process.pid} on ${hostname()} (${randomUUID()})`;
  #fence = 0;
  #lost: StoreError | undefined;
  #renewing: NodeJS.Timeout | undefined;

  constructor(connections: Connections, termMs: number) {
    this.#connections = connections;
    this.#termMs = termMs;
  }

  /** Number that writes must carry; throws once the lease is lost. */
  get fence(): number {
    if (this.#lost) throw this.#lost;
    return this.#fence;
  }

  /** Takes the lease. One that nobody renews is waited for; refuses as `locked` while somebody does. */
  async take(): Promise<void> {
    let seen: string | undefined;
    for (;;) {
      const found = await this.#connections.use((connection) => this.#tryToTake(connection));
      if (found === undefined) break;
      if (seen !== undefined && seen !== found.until) throw this.#refusal(`is in use by ${found.holder}`);
      seen = found.until;
      await sleep(LOOK_MS);
    }
    this.#renewing = setInterval(() => void this.#renew().catch(() => undefined), this.#termMs / 3);
    this.#renewing.unref();
  }

  /** Answers who has it, if not this process by now. */
  async #tryToTake(connection: Connection): Promise<{ holder: string; until: string } | undefined> {
    const taken = await connection.query<{ fence: string }>(
      `INSERT INTO weft.lease AS held (name, holder, fence, until)
         VALUES ('store', $1, 1, clock_timestamp() + $2 * interval '1 ms')
       ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, fence = held.fence + 1, until = EXCLUDED.until
         WHERE held.until < clock_timestamp() OR held.holder = $1
       RETURNING fence`,
      [this.#holder, this.#termMs],
    );
    if (taken.rows[0]) {
      this.#fence = Number(taken.rows[0].fence);
      return undefined;
    }
    const held = await connection.query<{ holder: string; until: string }>(
      `SELECT holder, until::text FROM weft.lease WHERE name = 'store'`,
    );
    return held.rows[0] ?? { holder: 'nobody', until: '' };
  }

  /**
   * Raises the number. Afterwards nothing is applied that this process has sent before: what was under way has ended, and what
   * comes late has the old number.
   */
  async raise(): Promise<void> {
    const { rows } = await this.#connections.use((connection) =>
      connection.query<{ fence: string }>(
        `UPDATE weft.lease SET fence = fence + 1, until = clock_timestamp() + $2 * interval '1 ms'
         WHERE name = 'store' AND holder = $1 RETURNING fence`,
        [this.#holder, this.#termMs],
      ),
    );
    if (!rows[0]) throw this.#lose();
    this.#fence = Number(rows[0].fence);
  }

  /** Judges a write that was fenced; throws when that was not this process itself. */
  check({ fence }: Fenced): void {
    if (fence === this.fence) throw this.#lose();
  }

  async #renew(): Promise<void> {
    const { rows } = await this.#connections.use((connection) =>
      connection.query<{ fence: string }>(
        `UPDATE weft.lease SET until = clock_timestamp() + $2 * interval '1 ms'
         WHERE name = 'store' AND holder = $1 RETURNING fence`,
        [this.#holder, this.#termMs],
      ),
    );
    if (!rows[0]) this.#lose();
  }

  /** Gives it up, for whoever waits. */
  async release(): Promise<void> {
    clearInterval(this.#renewing);
    if (this.#fence === 0 || this.#lost) return;
    await this.#connections.use((connection) =>
      connection.query(
        `UPDATE weft.lease SET until = '-infinity', holder = 'nobody' WHERE name = 'store' AND holder = $1`,
        [this.#holder],
      ),
    );
  }

  #lose(): StoreError {
    clearInterval(this.#renewing);
    this.#lost = this.#refusal('was taken by another Weft process while this one did not answer');
    return this.#lost;
  }

  #refusal(what: string): StoreError {
    const message = `${nameOf(this.#connections.place)} ${what}; one process serves a database: stop the other one first`;
    return new StoreError('locked', message);
  }
}
