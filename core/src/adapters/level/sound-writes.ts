/**
 * Writes to the database, none of which is answered behind one that has failed.
 *
 * LevelDB goes on in the same file behind a record of which it could write a part, and when it is opened again it leaves out all
 * that follows there. So what is under way when a write fails has failed too, and nothing is written before the database was
 * opened anew, which drops the torn end. That takes some space: it waits until the disk has as much, and reading goes on meanwhile.
 */
import { open, rm } from 'node:fs/promises';
import { StoreError } from '../../ports/store.js';
import type { Change, LogDatabase } from './log-database.js';

/** What opening may write: twice what LevelDB keeps in memory beside its file. */
const SPACE_BYTES = 8 * 1024 * 1024;

/** One synced batch: there whole or not at all. */
export type WriteBatch = (changes: Change[]) => Promise<void>;

export class SoundWrites {
  readonly #database: LogDatabase;
  /** File that shows whether there is space. */
  readonly #trial: string;
  #failures = 0;
  #isTorn = false;
  #isClosed = false;
  #opening: Promise<void> | undefined;

  constructor(database: LogDatabase, trial: string) {
    this.#database = database;
    this.#trial = trial;
  }

  /** Runs what looks at the database and writes what follows from that: a batch of it is refused when a write has failed since. */
  async run<T>(task: (write: WriteBatch) => Promise<T>): Promise<T> {
    while (this.#isTorn) {
      if (this.#isClosed) throw new StoreError('failed', 'the store is closed');
      await (this.#opening ??= this.#openAnew());
    }
    const failures = this.#failures;
    const check = (): void => {
      if (this.#failures !== failures) throw new StoreError('failed', 'a write beside this one has failed; try again');
    };
    return task(async (changes) => {
      check();
      try {
        await this.#database.batch(changes, { sync: true });
      } catch (error) {
        this.#failures++;
        this.#isTorn = true;
        throw error;
      }
      check();
    });
  }

  /** The database stays as it is: it is not opened any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined); // who waited for it was told
  }

  async #openAnew(): Promise<void> {
    try {
      await this.#findSpace();
      await this.#database.close();
      await this.#database.open();
      this.#isTorn = false;
    } finally {
      this.#opening = undefined;
    }
  }

  async #findSpace(): Promise<void> {
    try {
      const file = await open(this.#trial, 'w', 0o600);
      try {
        await file.writeFile(new Uint8Array(SPACE_BYTES));
        await file.sync();
      } finally {
        await file.close();
      }
    } finally {
      await rm(this.#trial, { force: true });
    }
  }
}
