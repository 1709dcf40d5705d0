/**
 * Mutex over processes: a row for each key that somebody has, which goes with his lease. Whoever waits looks again every so often;
 * within a process the order is that of asking.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import type { Database } from './database.js';

/** Bounds of the random wait before the next look. */
const [LEAST_WAIT_MS, MORE_WAIT_MS] = [10, 40];

export class SharedMutex<Key extends string> {
  readonly #database: Database;
  readonly #what: string;
  readonly #here = new KeyedMutex<Key>();

  /** `what` is like "blob": keys of several mutexes are apart. */
  constructor(database: Database, what: string) {
    this.#database = database;
    this.#what = what;
  }

  take<Result>(key: Key, task: () => Promise<Result>): Promise<Result> {
    const name = `${this.#what} ${key}`;
    return this.#here.take(key, async () => {
      while (!(await this.#tryToTake(name))) await sleep(LEAST_WAIT_MS + Math.random() * MORE_WAIT_MS);
      return this.#holding(name, task);
    });
  }

  /** Undefined, and nothing is done, where another process has it; within this one it is waited for. */
  tryTake<Result>(key: Key, task: () => Promise<Result>): Promise<Result | undefined> {
    const name = `${this.#what} ${key}`;
    return this.#here.take(key, async () => ((await this.#tryToTake(name)) ? this.#holding(name, task) : undefined));
  }

  async #holding<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    try {
      return await task();
    } finally {
      await this.#database.write(`give up ${name}`, (connection) =>
        connection.query('DELETE FROM weft.busy WHERE name = $1 AND process = $2', [name, this.#database.lease.name]),
      );
    }
  }

  /** Has it also where a first try was kept whose answer was lost. */
  #tryToTake(name: string): Promise<boolean> {
    const { lease } = this.#database;
    return this.#database.write(`wait for ${name}`, async (connection) => {
      await connection.query('INSERT INTO weft.busy (name, process) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        name,
        lease.name,
      ]);
      const { rows } = await connection.query('SELECT FROM weft.busy WHERE name = $1 AND process = $2', [
        name,
        lease.name,
      ]);
      return rows.length > 0;
    });
  }
}
