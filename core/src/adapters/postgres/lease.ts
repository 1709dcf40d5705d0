/**
 * Lease of a process: it may write to the database. It is a row with a term by the database's own clock and a number, the fence,
 * that grows whenever what was sent before must not be applied any more. Every write checks name and number in its own transaction
 * and holds the row by its name until that has ended, so of a holder that was stopped and wakes up nothing is applied, and whoever
 * takes the lease from it, or raises the number, waits for what is under way. Renewing it does not: writes follow each other so
 * closely that it would wait for ever, and one of them may wait for another process.
 *
 * A process alone holds the row `store`. Processes that share the database hold a row each, and `store` is nobody's: one is
 * refused while the other lasts. Whoever joins locks that row.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../ports/store.js';
import { type Connection, type Connections, begin } from './connections.js';
import { nameOf } from './database-error.js';

/** A write found another number: the lease has changed hands, or this process has raised it meanwhile. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  readonly fence: string;

  constructor(fence: string) {
    super(`the lease has another number than ${fence}`);
    this.fence = fence;
  }
}

/** Query for the row that a write locks; `$1` is the fence that it must have. */
export const LEASE_HELD = `SELECT fence FROM weft.lease
  WHERE name = split_part($1::text, '/', 2) AND fence = split_part($1::text, '/', 1)::bigint FOR KEY SHARE`;

/** Query for the row that whoever joins has locked. */
export const STORE_ROW = `SELECT FROM weft.lease WHERE name = 'store' FOR UPDATE`;

/** Milliseconds between two looks at a lease that somebody has. */
const LOOK_MS = 200;
/** Times that a lease is renewed within its term. Where others look after it more often: one that is not renewed for two of them may have died. */
const [RENEWALS, SHARED_RENEWALS] = [3, 8];

/** Part of the term after which one that was not seen to renew is still: two renewals and a look. */
export const STILL = 4;

export interface LeaseOptions {
  readonly termMs: number;
  /** Where other processes reach this one, with which it shares the database. */
  readonly sharedAt?: string | undefined;
  /** With it, the lease is waited for as long as others have it, until this is aborted. */
  readonly standby?: AbortSignal | undefined;
}

interface Held {
  readonly holder: string;
  readonly until: string;
}

export class Lease {
  /** Name of its row. */
  readonly name: string;
  readonly termMs: number;
  /** Resolves once it is lost. */
  readonly lost: Promise<StoreError>;
  readonly #connections: Connections;
  readonly #sharedAt: string | undefined;
  readonly #standby: AbortSignal | undefined;
  readonly #id = randomUUID();
  readonly #holder = `process ${process.pid} on ${hostname()} (${this.#id})`;
  #number = 0;
  #loss: StoreError | undefined;
  #tellLoss: (loss: StoreError) => void = () => undefined;
  #renewing: NodeJS.Timeout | undefined;
  /** The raise by which it is found out whose the lease is. */
  #judging: Promise<void> | undefined;
  /** When the renewal was sent that is under way. */
  #askedAt: number | undefined;
  #confirmedAt = -Infinity;

  constructor(connections: Connections, { termMs, sharedAt, standby }: LeaseOptions) {
    this.#connections = connections;
    [this.#sharedAt, this.#standby] = [sharedAt, standby];
    this.termMs = termMs;
    this.name = sharedAt === undefined ? 'store' : this.#id;
    this.lost = new Promise((resolve) => (this.#tellLoss = resolve));
  }

  get isShared(): boolean {
    return this.#sharedAt !== undefined;
  }

  /** Number and name that writes must carry; throws once the lease is lost. */
  get fence(): string {
    if (this.#loss) throw this.#loss;
    return `${this.#number}/${this.name}`;
  }

  /** Beginning of a transaction: where this process is gone without a word it ends with the lease, and nobody waits for it longer. */
  get beginning(): string {
    return begin(this.termMs);
  }

  /** Takes the lease. One that nobody renews is waited for; refuses as `locked` while somebody does, but for a standby. */
  async take(): Promise<void> {
    let seen: string | undefined;
    for (;;) {
      this.#confirmedAt = performance.now();
      const found = await this.#connections.insist((connection) => this.#tryToTake(connection));
      if (found === undefined) break;
      this.#standby?.throwIfAborted();
      if (seen !== undefined && seen !== found.until && !this.#standby)
        throw this.#refusal(`is in use by ${found.holder}`);
      seen = found.until;
      await sleep(LOOK_MS);
    }
    const everyMs = this.termMs / (this.isShared ? SHARED_RENEWALS : RENEWALS);
    this.#renewing = setInterval(() => this.#renewAgain(), everyMs);
    this.#renewing.unref();
  }

  /** Answers who is in the way, if this process has not got it by now. */
  async #tryToTake(connection: Connection): Promise<Held | undefined> {
    await connection.query(`${this.beginning};
      INSERT INTO weft.lease (name, holder, fence, until) VALUES ('store', 'nobody', 0, '-infinity')
        ON CONFLICT (name) DO NOTHING;
      ${STORE_ROW}`);
    const held = this.isShared ? await this.#join(connection) : await this.#takeAll(connection);
    await connection.query('COMMIT');
    return held;
  }

  async #takeAll(connection: Connection): Promise<Held | undefined> {
    await connection.query(`DELETE FROM weft.lease WHERE name <> 'store' AND until < clock_timestamp()`);
    const { rows } = await connection.query<Held>(
      `SELECT holder, until::text FROM weft.lease WHERE until >= clock_timestamp() AND holder <> $1 ORDER BY name LIMIT 1`,
      [this.#holder],
    );
    if (rows[0]) return rows[0];
    const taken = await connection.query<{ fence: string }>(
      `UPDATE weft.lease SET holder = $1, fence = fence + 1, until = clock_timestamp() + $2 * interval '1 ms'
       WHERE name = 'store' RETURNING fence`,
      [this.#holder, this.termMs],
    );
    this.#number = Number(taken.rows[0]?.fence);
    return undefined;
  }

  /**
   * Beside others, in one question. Whoever had the database alone, and was stopped, is fenced. Whoever was at the address of this
   * process and has not renewed its lease for a while has died, and its rooms are free; one that has something under way still ends
   * as others find it.
   */
  async #join(connection: Connection): Promise<Held | undefined> {
    const { rows } = await connection.query<Held>(
      `WITH held AS MATERIALIZED (SELECT holder, until::text FROM weft.lease
          WHERE name = 'store' AND holder <> 'nobody' AND until >= clock_timestamp()),
        alone AS (UPDATE weft.lease SET holder = 'nobody', fence = fence + 1
          WHERE name = 'store' AND holder <> 'nobody' AND NOT EXISTS (SELECT FROM held)),
        before AS (DELETE FROM weft.lease WHERE NOT EXISTS (SELECT FROM held) AND name IN (
          SELECT name FROM weft.lease WHERE address = $4 AND until < clock_timestamp() + $5 * interval '1 ms'
          FOR UPDATE SKIP LOCKED)),
        joined AS (INSERT INTO weft.lease (name, holder, fence, until, address)
          SELECT $1, $2, 1, clock_timestamp() + $3 * interval '1 ms', $4 WHERE NOT EXISTS (SELECT FROM held))
        SELECT * FROM held`,
      [this.name, this.#holder, this.termMs, this.#sharedAt, this.termMs * (1 - 1 / STILL)],
    );
    if (!rows[0]) this.#number = 1;
    return rows[0];
  }

  /**
   * Raises the number. Afterwards nothing is applied that this process has sent before: what was under way has ended, and what
   * comes late has the old number.
   */
  async raise(): Promise<void> {
    const { rows } = await this.#connections.use(async (connection) => {
      await connection.query(this.beginning);
      // An update that leaves the name as it is waits for nobody who holds the row by it.
      const own = 'SELECT FROM weft.lease WHERE name = $1 AND holder = $2 FOR UPDATE';
      await connection.query(own, [this.name, this.#holder]);
      const raised = await connection.query<{ fence: string }>(
        `UPDATE weft.lease SET fence = fence + 1, until = clock_timestamp() + $2 * interval '1 ms'
         WHERE name = $3 AND holder = $1 RETURNING fence`,
        [this.#holder, this.termMs, this.name],
      );
      await connection.query('COMMIT');
      return raised;
    });
    if (!rows[0]) throw this.#lose();
    // Several may be raising it, and need not hear of it in their order.
    this.#number = Math.max(this.#number, Number(rows[0].fence));
  }

  /**
   * Judges a write that was fenced; rejects where that was not this process itself. It may have raised the number and not heard of
   * it, or not yet, so the row says whose it is: by a raise, once for all who are fenced meanwhile.
   */
  async check({ fence }: Fenced): Promise<void> {
    if (fence === this.fence) await (this.#judging ??= this.raise().finally(() => (this.#judging = undefined)));
  }

  /** While the database is slow no others gather behind one; of one that may never be answered nothing hangs for long. */
  #renewAgain(): void {
    const now = performance.now();
    if (this.#askedAt !== undefined && now - this.#askedAt < this.termMs / 2) return;
    this.#askedAt = now;
    this.renew()
      .catch(() => undefined)
      .finally(() => (this.#askedAt = undefined));
  }

  /** Milliseconds since a renewal was sent that the database has confirmed: for so long nobody can have taken the lease unseen. */
  get confirmedFor(): number {
    return performance.now() - this.#confirmedAt;
  }

  /** Renews it now; rejects where it is lost, or the database does not say. */
  async renew(): Promise<void> {
    const sentAt = performance.now();
    const { rows } = await this.#connections.use((connection) =>
      connection.query<{ fence: string }>(
        `UPDATE weft.lease SET until = clock_timestamp() + $2 * interval '1 ms'
         WHERE name = $3 AND holder = $1 RETURNING fence`,
        [this.#holder, this.termMs, this.name],
      ),
    );
    if (!rows[0]) throw this.#lose();
    this.#confirmedAt = Math.max(this.#confirmedAt, sentAt);
  }

  /** Gives it up, for whoever waits. */
  async release(): Promise<void> {
    clearInterval(this.#renewing);
    if (this.#number === 0 || this.#loss) return;
    await this.#connections.insist((connection) =>
      this.isShared
        ? connection.query('DELETE FROM weft.lease WHERE name = $1', [this.name])
        : connection.query(
            `UPDATE weft.lease SET until = '-infinity', holder = 'nobody' WHERE name = 'store' AND holder = $1`,
            [this.#holder],
          ),
    );
  }

  #lose(): StoreError {
    clearInterval(this.#renewing);
    this.#loss ??= this.#refusal(
      this.isShared
        ? 'was shared on without this process, which did not answer for too long'
        : 'was taken by another Weft process while this one did not answer',
    );
    this.#tellLoss(this.#loss);
    return this.#loss;
  }

  #refusal(what: string): StoreError {
    const advice = this.isShared
      ? 'start it anew, and every process on the database with --cluster-addr or --bus'
      : 'one process serves a database, or several that were started with --cluster-addr or --bus: stop the other one first';
    return new StoreError('locked', `${nameOf(this.#connections.place)} ${what}; ${advice}`);
  }
}
