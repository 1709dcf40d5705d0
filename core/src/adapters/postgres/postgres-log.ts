/**
 * The log port on PostgreSQL: a room's log is its parts, which are segments, and behind them its records. Appends go together
 * with those of other rooms; everything else is a transaction of its own, and merges come one at a time, because what one finds
 * no longer used another could be about to use.
 *
 * Merging among several processes: the one that merges does not know who reads in the others. They find out, and read again: see `LogReader`.
 */
import { createHash } from 'node:crypto';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import { Mutex } from '../../concurrency/mutex.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { AppendResult, LogOrigin, LogRecord, NodeLog, Remains, Segment } from '../../ports/store.js';
import { OccupiedNames } from '../occupied-names.js';
import { Appends } from './appends.js';
import type { Connection, Connections } from './connections.js';
import type { Database } from './database.js';
import { LogReader } from './log-reader.js';
import type { PostgresCold } from './postgres-cold.js';
import type { ReadReplica } from './read-replica.js';
import { RecordColumns, SUM_BYTES, recordsFrom } from './record.js';

interface Part {
  readonly seq: number;
  readonly count: number;
  readonly hash: string;
}

/** Names that come with one answer. */
const PAGE = 1000;
/** Bytes of records that go with one statement. */
const CHUNK_BYTES = 1024 * 1024;

/** Segments that no part has, and rooms with records that parts have replaced. */
const UNUSED_SEGMENTS = `SELECT encode(hash, 'hex') AS hash FROM weft.segment
  WHERE NOT EXISTS (SELECT FROM weft.part WHERE part.hash = segment.hash)`;
const REPLACED_RECORDS = `SELECT room FROM weft.part GROUP BY room HAVING EXISTS (
  SELECT FROM weft.record WHERE record.room = part.room AND record.seq < max(part.seq + part.count))`;

export class PostgresLog implements NodeLog {
  readonly #database: Database;
  readonly #appends: Appends;
  readonly #reader: LogReader;
  readonly #cold: PostgresCold | undefined;
  /** Names: of beginning, occupying and removing one at a time. */
  readonly #names = new KeyedMutex<RoomId>();
  readonly #merges = new Mutex();
  readonly #occupied = new OccupiedNames();
  /** Segments that no part has any more, and that somebody was reading. */
  readonly #orphans = new Set<string>();
  /** Rooms with records that parts have replaced, and that somebody was reading. */
  readonly #unswept = new Set<RoomId>();

  constructor(
    database: Database,
    appending: Connections,
    { cold, readReplica }: { readonly cold: PostgresCold | undefined; readonly readReplica: ReadReplica | undefined },
  ) {
    [this.#database, this.#cold] = [database, cold];
    this.#appends = new Appends(database, appending);
    this.#reader = new LogReader(database, { cold: cold?.objects, readReplica });
  }

  async head(room: RoomId): Promise<number> {
    await this.#appends.settled();
    const rows = await this.#database.read<{ head: string }>(
      `read the log of room ${room}`,
      'SELECT head FROM weft.room WHERE room = $1',
      [room],
    );
    return Number(rows[0]?.head ?? 0);
  }

  append(room: RoomId, expectedHead: number, batch: { count: number; pack: Uint8Array }): Promise<AppendResult> {
    return this.#appends.append(room, expectedHead, [batch]);
  }

  appendAll(room: RoomId, expectedHead: number, records: readonly Segment[]): Promise<AppendResult> {
    return this.#appends.append(room, expectedHead, records);
  }

  begin(room: RoomId, records: readonly Segment[], origin?: Omit<LogOrigin, 'isShared'>): Promise<boolean> {
    return this.#begin(
      `begin the log of room ${room}`,
      room,
      origin && { ...origin, isShared: false },
      async (connection) => {
        await insertRecords(connection, room, 0, records);
        return true;
      },
    );
  }

  fork(room: RoomId, origin: Omit<LogOrigin, 'isShared'>, record: Segment): Promise<boolean> {
    return this.#merges.run(() =>
      this.#begin(`fork room ${room}`, room, { ...origin, isShared: true }, async (connection) => {
        const shared = (await partsOf(connection, origin.room)).filter(({ seq }) => seq < origin.at);
        if (origin.at === 0 || endOf(shared.at(-1)) !== origin.at) return false;
        await connection.query(
          `INSERT INTO weft.part (room, seq, count, bytes, hash)
           SELECT $1, seq, count, bytes, hash FROM weft.part WHERE room = $2 AND seq < $3`,
          [room, origin.room, origin.at],
        );
        await insertRecords(connection, room, origin.at, [record]);
        return true;
      }),
    );
  }

  /** `write` puts the first records, and answers false where there is nothing to begin with. */
  async #begin(
    doing: string,
    room: RoomId,
    origin: LogOrigin | undefined,
    write: (connection: Connection) => Promise<boolean>,
  ): Promise<boolean> {
    await this.#appends.settled();
    // Told when a commit had no answer and the second look finds the log that the first one wrote.
    let isWritten = false;
    const work = async (connection: Connection): Promise<boolean> => {
      if (this.#occupied.has(room)) return isWritten;
      await connection.query('INSERT INTO weft.room (room, head) VALUES ($1, 0) ON CONFLICT DO NOTHING', [room]);
      const { rows } = await connection.query<{ isFree: boolean }>(
        'SELECT head = 0 AND NOT barred AS "isFree" FROM weft.room WHERE room = $1 FOR UPDATE',
        [room],
      );
      if (!rows[0]?.isFree || (await this.#isElsewhere(connection, room)) || !(await write(connection)))
        return isWritten;
      await connection.query(
        `UPDATE weft.room SET origin_room = $2, origin_at = $3, origin_shared = $4,
             head = (SELECT max(seq + count) FROM weft.record WHERE room = $1) WHERE room = $1`,
        [room, origin?.room, origin?.at, origin?.isShared],
      );
      return (isWritten = true);
    };
    return this.#names.take(room, () => this.#database.write(doing, work, { alone: origin?.isShared === true }));
  }

  /** A room that another process has open is occupied there. */
  async #isElsewhere(connection: Connection, room: RoomId): Promise<boolean> {
    const { name } = this.#database.lease;
    const { rows } = await connection.query('SELECT FROM weft.owner WHERE room = $1 AND process <> $2', [room, name]);
    return rows.length > 0;
  }

  /** Heard of by other processes from the room's owner: see `#isElsewhere`. */
  occupy(room: RoomId): Promise<() => void> {
    return this.#names.take(room, () => Promise.resolve(this.#occupied.add(room)));
  }

  async remove(room: RoomId, tombstone: Uint8Array): Promise<boolean> {
    await this.#appends.settled();
    let isRemoved = false;
    return this.#merges.run(() =>
      this.#names.take(room, () =>
        this.#database.write(
          `remove the log of room ${room}`,
          async (connection) => {
            const { rows } = await connection.query<{ room: RoomId }>(
              `UPDATE weft.room SET head = 0, origin_room = NULL, origin_at = NULL, origin_shared = NULL, tombstone = $2,
               barred = true WHERE room = $1 AND head > 0 RETURNING room`,
              [room, Buffer.from(tombstone)],
            );
            if (rows.length === 0) return isRemoved;
            const parts = await partsOf(connection, room);
            await connection.query('DELETE FROM weft.record WHERE room = $1', [room]);
            await connection.query('DELETE FROM weft.part WHERE room = $1', [room]);
            await connection.query('UPDATE weft.room SET origin_shared = false WHERE origin_room = $1', [room]);
            await this.#removeOrphans(connection, parts);
            return (isRemoved = true);
          },
          { alone: true },
        ),
      ),
    );
  }

  async remains(room: RoomId): Promise<Remains | undefined> {
    const rows = await this.#database.read<{ tombstone: Uint8Array | null; barred: boolean }>(
      `read what is left of room ${room}`,
      'SELECT tombstone, barred FROM weft.room WHERE room = $1',
      [room],
    );
    const { tombstone, barred } = rows[0] ?? {};
    return tombstone ? { tombstone: new Uint8Array(tombstone), isBarred: barred ?? false } : undefined;
  }

  async unbar(room: RoomId): Promise<void> {
    await this.#database.write(`free the name of room ${room}`, (connection) =>
      connection.query('UPDATE weft.room SET barred = false WHERE room = $1 AND barred', [room]),
    );
  }

  /** PostgreSQL gives the space of removed rows to new ones by itself; what is left to do is to remove what a crash has left. */
  async reclaim(): Promise<void> {
    await this.removeLeftovers();
    // What cannot be removed now is with the next move.
    await this.#cold?.sweep().catch(() => undefined);
  }

  async origin(room: RoomId): Promise<LogOrigin | undefined> {
    const rows = await this.#database.read<{ room: RoomId | null; at: string; isShared: boolean }>(
      `read the log of room ${room}`,
      'SELECT origin_room AS room, origin_at AS at, origin_shared AS "isShared" FROM weft.room WHERE room = $1',
      [room],
    );
    const [found] = rows;
    return found?.room ? { room: found.room, at: Number(found.at), isShared: found.isShared } : undefined;
  }

  async merge(room: RoomId, from: number, { count, pack }: Segment, head?: number): Promise<boolean> {
    const bytes = Buffer.from(pack);
    await this.#appends.settled();
    return this.#merges.run(async () => {
      const doing = `merge records of room ${room}`;
      const work = async (connection: Connection) =>
        head === undefined || (await endsAt(connection, room, head))
          ? merge(connection, room, from, count, bytes)
          : undefined;
      const replaced = await this.#database.write(doing, work, { alone: true });
      if (!replaced) return false;
      await this.#database.write(doing, (connection) => this.#sweep(connection, room, replaced), { alone: true });
      return true;
    });
  }

  async *read(room: RoomId, fromSeq: number): AsyncGenerator<LogRecord> {
    await this.#appends.settled();
    try {
      yield* this.#reader.read(room, fromSeq);
    } finally {
      void this.#sweepAfter(room);
    }
  }

  /** Removes what a merge has left for readers, once the last of them has ended. What cannot be removed now is when the store opens. */
  async #sweepAfter(room: RoomId): Promise<void> {
    if (this.#reader.isRead({ room }) || (!this.#unswept.has(room) && this.#orphans.size === 0)) return;
    const sweep = (): Promise<void> =>
      this.#database.write('tidy up', (connection) => this.#sweep(connection, room, []), { alone: true });
    await this.#merges.run(sweep).catch(() => undefined);
  }

  async *forks(room: RoomId): AsyncGenerator<RoomId> {
    yield* this.#listed(`list the forks of room ${room}`, 'origin_room = $2', [room]);
  }

  async *rooms(): AsyncGenerator<RoomId> {
    await this.#appends.settled();
    yield* this.#listed('list the rooms', 'head > 0', []);
  }

  async *#listed(doing: string, which: string, values: readonly unknown[]): AsyncGenerator<RoomId> {
    for (let last = ''; ;) {
      const text = `SELECT room FROM weft.room WHERE room > $1 AND ${which} ORDER BY room LIMIT ${PAGE}`;
      const rows = await this.#database.read<{ room: RoomId }>(doing, text, [last, ...values]);
      for (const row of rows) yield row.room;
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.room;
    }
  }

  async size(room: RoomId): Promise<number> {
    const rows = await this.#database.read<{ size: string }>(
      `read the log of room ${room}`,
      `WITH parts AS (SELECT seq + count AS upto, bytes FROM weft.part WHERE room = $1)
       SELECT (SELECT coalesce(sum(bytes), 0) FROM parts)
         + (SELECT coalesce(sum(octet_length(pack) - ${SUM_BYTES}), 0) FROM weft.record
            WHERE room = $1 AND seq >= (SELECT coalesce(max(upto), 0) FROM parts)) AS size`,
      [room],
    );
    return Number(rows[0]?.size ?? 0);
  }

  /** Removes what no log has any more and an end of the process has left. Mostly there is nothing, and then nobody is locked out. */
  async removeLeftovers(): Promise<void> {
    const [found] = await this.#database.read<{ isThere: boolean }>(
      'look what is to be tidied up',
      `SELECT EXISTS (${UNUSED_SEGMENTS}) OR EXISTS (${REPLACED_RECORDS}) AS "isThere"`,
    );
    if (!found?.isThere) return;
    await this.#merges.run(() =>
      this.#database.write(
        'tidy up',
        async (connection) => {
          const { rows } = await connection.query<{ hash: string }>(UNUSED_SEGMENTS);
          await this.#removeOrphans(connection, rows);
          const replaced = await connection.query<{ room: RoomId }>(REPLACED_RECORDS);
          for (const { room } of replaced.rows) await this.#sweep(connection, room, []);
        },
        { alone: true },
      ),
    );
  }

  /** Removes records that parts have replaced, and segments that no part has, unless somebody reads them. */
  async #sweep(connection: Connection, room: RoomId, replaced: readonly { readonly hash: string }[]): Promise<void> {
    if (this.#reader.isRead({ room })) this.#unswept.add(room);
    else {
      await connection.query(
        `DELETE FROM weft.record
         WHERE room = $1 AND seq < (SELECT coalesce(max(seq + count), 0) FROM weft.part WHERE room = $1)`,
        [room],
      );
      this.#unswept.delete(room);
    }
    await this.#removeOrphans(connection, replaced);
  }

  async #removeOrphans(connection: Connection, removed: readonly { readonly hash: string }[]): Promise<void> {
    for (const { hash } of removed) this.#orphans.add(hash);
    const free = [...this.#orphans].filter((hash) => !this.#reader.isRead({ hash }));
    if (free.length === 0) return;
    await connection.query(
      `DELETE FROM weft.segment WHERE hash IN (SELECT decode(name, 'hex') FROM unnest($1::text[]) AS name)
         AND NOT EXISTS (SELECT FROM weft.part WHERE part.hash = segment.hash)`,
      [free],
    );
    for (const hash of free) this.#orphans.delete(hash);
  }
}

/** Whether a log ends there, until what the connection has begun is over: whoever appends waits. */
async function endsAt(connection: Connection, room: RoomId, head: number): Promise<boolean> {
  const { rows } = await connection.query<{ head: string }>('SELECT head FROM weft.room WHERE room = $1 FOR UPDATE', [
    room,
  ]);
  return Number(rows[0]?.head ?? 0) === head;
}

/** Answers which parts were replaced; undefined where the segment fits nowhere. */
async function merge(
  connection: Connection,
  room: RoomId,
  from: number,
  count: number,
  pack: Buffer,
): Promise<Part[] | undefined> {
  const to = from + count;
  if (count <= 0) return undefined;
  const parts = await partsOf(connection, room);
  if (from !== endOf(parts.at(-1)) && !parts.some(({ seq }) => seq === from)) return undefined;
  const replaced = parts.filter(({ seq }) => seq >= from && seq < to);
  const upTo = replaced.length > 0 ? endOf(replaced.at(-1)) : from;
  if (upTo > to || (upTo < to && !(await endsRecord(connection, room, to)))) return undefined;
  const hash = createHash('sha256').update(pack).digest();
  // Bytes that are there already are written anew, because they may be damaged.
  await connection.query(
    `INSERT INTO weft.segment (hash, pack) VALUES ($1, $2)
     ON CONFLICT (hash) DO UPDATE SET pack = EXCLUDED.pack, cold = NULL, since = EXCLUDED.since`,
    [hash, pack],
  );
  await connection.query('DELETE FROM weft.part WHERE room = $1 AND seq >= $2 AND seq < $3', [room, from, to]);
  await connection.query('INSERT INTO weft.part (room, seq, count, bytes, hash) VALUES ($1, $2, $3, $4, $5)', [
    room,
    from,
    count,
    pack.length,
    hash,
  ]);
  return replaced;
}

/** Whether a record ends there; those stand one behind the other. */
async function endsRecord(connection: Connection, room: RoomId, to: number): Promise<boolean> {
  const { rows } = await connection.query(
    `SELECT FROM weft.record WHERE room = $1 AND seq < $2 AND seq + count = $2
       AND seq >= (SELECT coalesce(max(seq + count), 0) FROM weft.part WHERE room = $1)`,
    [room, to],
  );
  return rows.length > 0;
}

async function partsOf(connection: Connection, room: RoomId): Promise<Part[]> {
  const { rows } = await connection.query<{ seq: string; count: string; hash: string }>(
    `SELECT seq, count, encode(hash, 'hex') AS hash FROM weft.part WHERE room = $1 ORDER BY seq`,
    [room],
  );
  return rows.map(({ seq, count, hash }) => ({ seq: Number(seq), count: Number(count), hash }));
}

async function insertRecords(
  connection: Connection,
  room: RoomId,
  from: number,
  records: readonly Segment[],
): Promise<void> {
  const insert = `INSERT INTO weft.record (room, seq, count, pack) ${recordsFrom(1)}`;
  let seq = from;
  for (let at = 0; at < records.length;) {
    const columns = new RecordColumns();
    for (let bytes = 0; at < records.length && bytes < CHUNK_BYTES; at++) {
      const record = records[at]!;
      columns.add(room, seq, [record]);
      seq += record.count;
      bytes += record.pack.length;
    }
    await connection.query(insert, columns.values());
  }
}

function endOf(entry: Pick<Part, 'seq' | 'count'> | undefined): number {
  return entry ? entry.seq + entry.count : 0;
}
