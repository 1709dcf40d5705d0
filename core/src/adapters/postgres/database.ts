/**
 * Database of a store: reads, and writes that only the holder of a lease may make. While the database restarts both wait, as
 * long as patience lasts; then they are refused.
 *
 * A write is one transaction. When the connection breaks during its commit, nobody knows whether it happened: the fence is
 * raised, which ends whatever may still be under way, and the task runs again. Tasks are such that this does no harm.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../ports/store.js';
import type { Connection, Connections } from './connections.js';
import { databaseError, isConnectionLost, isToBeRepeated, isYielded } from './database-error.js';
import { Fenced, LEASE_HELD, type Lease } from './lease.js';

/** Bounds of the random wait before the next try. */
const [LEAST_WAIT_MS, MORE_WAIT_MS] = [20, 180];

/** Tries of what gives way to others, however late it is: behind an outage all is sent at once, and what waited longest has no time left. */
const LEAST_TRIES = 8;

/** Any number that nothing else in the database locks by. */
const ALONE = 7_783_116_524_002;

export class Database {
  readonly lease: Lease;
  readonly #connections: Connections;
  readonly #patienceMs: number;
  readonly #isReader: boolean;
  #isClosed = false;

  /** A reader writes nothing, and its lease was never taken. */
  constructor(connections: Connections, lease: Lease, patienceMs: number, isReader = false) {
    this.#isReader = isReader;
    this.#connections = connections;
    this.lease = lease;
    this.#patienceMs = patienceMs;
  }

  read<Row extends object>(doing: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.patiently(doing, async () => {
      void this.lease.fence; // who has lost it must not answer from what others write
      const { rows } = await this.#connections.use((connection) => connection.query<Row>(text, values));
      return rows;
    });
  }

  /** With `alone`, no other such write is made meanwhile in any process; within this one it is the caller who sees to that. */
  write<T>(doing: string, task: (connection: Connection) => Promise<T>, { alone = false } = {}): Promise<T> {
    if (this.#isReader)
      return Promise.reject(new StoreError('failed', `cannot ${doing}: the store is open for reading`));
    let isInDoubt = false;
    return this.patiently(doing, async () => {
      if (isInDoubt) await this.lease.raise();
      isInDoubt = false;
      return this.#connections.use(async (connection) => {
        await this.#begin(connection, alone);
        const result = await task(connection);
        isInDoubt = true;
        await connection.query('COMMIT');
        return result;
      });
    });
  }

  /** Statement that holds the lease by `LEASE_HELD`, says nothing where it is lost, and may be sent again: a write in one round trip. */
  fenced<Row extends object>(doing: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.patiently(doing, async () => {
      const { fence } = this.lease;
      const { rows } = await this.#connections.use((connection) => connection.query<Row>(text, [fence, ...values]));
      if (rows.length === 0) throw new Fenced(fence);
      return rows;
    });
  }

  async #begin(connection: Connection, alone: boolean): Promise<void> {
    const { fence, isShared, beginning } = this.lease;
    await connection.query(beginning);
    // Before the lease is held: whoever waits here must not keep it from being raised.
    if (alone && isShared) await connection.query('SELECT pg_advisory_xact_lock($1)', [ALONE]);
    const held = await connection.query(LEASE_HELD, [fence]);
    if (held.rows.length === 0) throw new Fenced(fence);
  }

  /** Runs a task again and again while the database cannot be reached, or takes it back in favour of others. */
  async patiently<T>(doing: string, task: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#patienceMs;
    let yields = 0;
    for (;;) {
      if (this.#isClosed) throw new StoreError('failed', `cannot ${doing}: the store is closed`);
      try {
        return await this.#judged(task);
      } catch (error) {
        if (isYielded(error)) yields++;
        const isLate = performance.now() >= deadline && !(isYielded(error) && yields < LEAST_TRIES);
        const isOver = isLate || !(isConnectionLost(error) || isToBeRepeated(error));
        // One that is fenced by its own process goes on.
        if (isOver && !(error instanceof Fenced)) throw databaseError(doing, error, this.#connections.place);
        await sleep(LEAST_WAIT_MS + Math.random() * MORE_WAIT_MS);
      }
    }
  }

  /** Runs a task; one that was fenced by somebody else rejects because the lease is lost. */
  async #judged<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      if (error instanceof Fenced) await this.lease.check(error);
      throw error;
    }
  }

  /** Whatever waits is refused. */
  close(): void {
    this.#isClosed = true;
  }
}
