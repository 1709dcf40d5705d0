/**
 * Cold tier of a database. The way of an object: its name is noted, it is put and read again, and one statement lets it stand for the
 * bytes in the table. Whoever dies in between leaves a name that nothing refers to, and the object goes with the next move; so do
 * those of segments and images that were replaced or removed. Of several processes on the database one does this at a time, and one
 * that has lost its lease notes nothing any more.
 */
import { concatBytes } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { ColdMoves, ColdTier, ColdUsage } from '../../ports/cold-store.js';
import { StoreError } from '../../ports/store.js';
import { ColdDamage, type ColdObjects, hashOf } from './cold-objects.js';
import type { Database } from './database.js';
import { writePieces } from './postgres-images.js';
import type { SharedMutex } from './shared-mutex.js';

/** What is moved at once: a segment, or the image of a room. */
interface Movable {
  readonly hash: string;
  readonly room: RoomId | null;
  readonly name: string | null;
}

/** Entries that come with one answer. */
const PAGE = 100;

const DUE = `SELECT encode(hash, 'hex') AS hash, NULL AS room, NULL AS name FROM weft.segment
    WHERE cold IS NULL AND since <= clock_timestamp() - $1 * interval '1 ms'
  UNION ALL SELECT encode(hash, 'hex'), room, NULL FROM weft.image
    WHERE piece = 0 AND cold IS NULL AND since <= clock_timestamp() - $1 * interval '1 ms'
  LIMIT ${PAGE}`;

const GONE = `SELECT encode(hash, 'hex') AS hash, NULL AS room, cold AS name FROM weft.segment WHERE cold IS NOT NULL
  UNION ALL SELECT encode(hash, 'hex'), room, cold FROM weft.image WHERE cold IS NOT NULL
  LIMIT ${PAGE}`;

const LEFT_OVER = `NOT EXISTS (SELECT FROM weft.segment WHERE segment.cold = cold.name)
  AND NOT EXISTS (SELECT FROM weft.image WHERE image.cold = cold.name)`;

export class PostgresCold implements ColdTier {
  readonly objects: ColdObjects;
  readonly #database: Database;
  /** Where several processes share the database. */
  readonly #among: SharedMutex<'moves'> | undefined;
  #isBusy = false;

  constructor(database: Database, objects: ColdObjects, among: SharedMutex<'moves'> | undefined) {
    [this.#database, this.objects, this.#among] = [database, objects, among];
  }

  move(olderThanMs: number, signal?: AbortSignal): Promise<ColdMoves | undefined> {
    return this.#alone(() => this.#each(DUE, [olderThanMs], (what) => this.#put(what), signal));
  }

  bringBack(signal?: AbortSignal): Promise<ColdMoves | undefined> {
    return this.#alone(() => this.#each(GONE, [], (what) => this.#fetch(what), signal));
  }

  /** Removes objects that nothing refers to, unless a move is under way, which does so in its end. */
  async sweep(): Promise<void> {
    await this.#alone(async () => undefined);
  }

  async usage(): Promise<ColdUsage> {
    const rows = await this.#database.read<{ objects: string; bytes: string; leftovers: string }>(
      'count what is in the cold store',
      `SELECT count(*) AS objects, coalesce(sum(bytes), 0) AS bytes, count(*) FILTER (WHERE ${LEFT_OVER}) AS leftovers
       FROM weft.cold`,
    );
    const { objects, bytes, leftovers } = rows[0]!;
    return { objects: Number(objects) - Number(leftovers), bytes: Number(bytes), leftovers: Number(leftovers) };
  }

  async #alone<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    const both = async (): Promise<T> => {
      await this.#sweep();
      const result = await task();
      await this.#sweep();
      return result;
    };
    try {
      return await (this.#among ? this.#among.tryTake('moves', both) : both());
    } finally {
      this.#isBusy = false;
    }
  }

  /** What is done with one of them changes whether it is found again; what was changed meanwhile is left for another time. */
  async #each(
    text: string,
    values: readonly unknown[],
    task: (what: Movable) => Promise<number | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<ColdMoves> {
    let [objects, bytes] = [0, 0];
    for (;;) {
      const found = await this.#database.read<Movable>('look for what is to be moved', text, values);
      let moved = 0;
      for (const what of found) {
        signal?.throwIfAborted();
        const size = await task(what);
        if (size === undefined) continue;
        moved++;
        bytes += size;
      }
      objects += moved;
      if (moved === 0) return { objects, bytes };
    }
  }

  /** Answers its size; undefined where it is not there any more, or damaged. */
  async #put({ hash, room }: Movable): Promise<number | undefined> {
    const bytes = await this.#bytesOf(hash, room);
    // What is damaged stays where it is, for whoever reads it to say so.
    if (!bytes || hashOf(bytes) !== hash) return undefined;
    const kind = room === null ? 'segments' : 'images';
    const name = this.objects.newName(kind, hash);
    await this.#write(`INSERT INTO weft.cold (name, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING name`, [
      name,
      bytes.length,
    ]);
    await this.objects.put(name, hash, bytes);
    return (await this.#note(name, hash, room)) ? bytes.length : undefined;
  }

  /** Lets the object stand for the bytes; false where those were replaced meanwhile. */
  async #note(name: string, hash: string, room: RoomId | null): Promise<boolean> {
    if (room === null)
      return this.#write(
        `UPDATE weft.segment SET pack = NULL, cold = $1
         WHERE hash = decode($2, 'hex') AND (cold IS NULL OR cold = $1) RETURNING cold`,
        [name, hash],
      );
    // The first piece stays the row that it is: whoever puts a new image meanwhile waits for it, and takes it away.
    return this.#write(
      `WITH rest AS (DELETE FROM weft.image WHERE room = $3 AND hash = decode($2, 'hex') AND piece > 0)
       UPDATE weft.image SET bytes = NULL, cold = $1
       WHERE room = $3 AND hash = decode($2, 'hex') AND piece = 0 AND (cold IS NULL OR cold = $1) RETURNING cold`,
      [name, hash, room],
    );
  }

  async #bytesOf(hash: string, room: RoomId | null): Promise<Uint8Array | undefined> {
    const rows = await this.#database.read<{ bytes: Buffer }>(
      'read what is to be moved',
      room === null
        ? `SELECT pack AS bytes FROM weft.segment WHERE hash = decode($1, 'hex') AND cold IS NULL`
        : `SELECT bytes FROM weft.image WHERE hash = decode($1, 'hex') AND room = $2 AND cold IS NULL ORDER BY piece`,
      room === null ? [hash] : [hash, room],
    );
    return rows.length === 0 ? undefined : concatBytes(rows.map(({ bytes }) => bytes));
  }

  async #fetch({ hash, room, name }: Movable): Promise<number | undefined> {
    const bytes = await this.objects.read(name!, hash).catch((error: unknown) => {
      throw error instanceof ColdDamage ? new StoreError('damaged', error.message, { cause: error }) : error;
    });
    if (!bytes) {
      if (!(await this.#isNoted(name!))) return undefined;
      throw new StoreError('damaged', `the cold store ${this.objects.place} has no ${name!}; restore it there`);
    }
    const isBack = await (room === null
      ? this.#write(`UPDATE weft.segment SET pack = $1, cold = NULL, since = now() WHERE cold = $2 RETURNING since`, [
          bytes,
          name,
        ])
      : this.#database.write('bring an image back', async (connection) => {
          const { rows } = await connection.query('DELETE FROM weft.image WHERE cold = $1 RETURNING room', [name]);
          if (rows.length > 0) await writePieces(connection, room, bytes);
          return rows.length > 0;
        }));
    return isBack ? bytes.length : undefined;
  }

  async #isNoted(name: string): Promise<boolean> {
    const text = `SELECT FROM weft.cold WHERE name = $1 AND NOT (${LEFT_OVER})`;
    return (await this.#database.read('look for a cold object', text, [name])).length > 0;
  }

  async #sweep(): Promise<void> {
    for (;;) {
      const text = `SELECT name FROM weft.cold WHERE ${LEFT_OVER} LIMIT ${PAGE}`;
      const names = await this.#database.read<{ name: string }>('tidy up the cold store', text);
      if (names.length === 0) return;
      for (const { name } of names) {
        await this.objects.remove(name);
        await this.#write('DELETE FROM weft.cold WHERE name = $1 RETURNING name', [name]);
      }
    }
  }

  /** Whether a statement that returns what it has changed has changed anything. */
  #write(text: string, values: readonly unknown[]): Promise<boolean> {
    return this.#database.write(
      'move to the cold store',
      async (connection) => (await connection.query(text, values)).rows.length > 0,
    );
  }
}
