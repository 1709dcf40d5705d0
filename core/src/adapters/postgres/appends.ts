/**
 * Group commit over rooms: appends that wait go together, in one statement and one transaction. Each checks the lease and the
 * head that it expects in that statement; of a room that has moved nothing is written, and the others go on.
 *
 * When the connection breaks before the answer, an append may have happened, or may still happen. The lease is raised, which
 * ends that, and the record where it was to stand tells whether it was kept. While the database cannot be asked the appends wait,
 * and as patience ends they are refused. What of those was kept all the same is taken back before anything else of the room is
 * read or written, so that a refused append is never seen; where another process shares the database, which may have seen it by
 * then, it stays.
 */
import type { RoomId } from '../../codec/bytes/room-id.js';
import { type AppendResult, type Segment, StoreError } from '../../ports/store.js';
import type { Connection, Connections } from './connections.js';
import type { Database } from './database.js';
import { isConnectionLost } from './database-error.js';
import { Fenced, LEASE_HELD, STORE_ROW } from './lease.js';
import { RecordColumns, SUM_BYTES, recordsFrom, sumOf } from './record.js';

interface Append {
  readonly room: RoomId;
  readonly head: number;
  readonly count: number;
  readonly bytes: number;
  readonly records: readonly Segment[];
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

/** Statements under way at a time: while one is synced, the next is on its way. */
const LANES = 2;
const MOST_ROOMS = 64;
const MOST_BYTES = 1024 * 1024;

const APPEND = `WITH lease AS MATERIALIZED (${LEASE_HELD}),
  wanted AS (SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS w (room, head, count)),
  begun AS (
    INSERT INTO weft.room (room, head) SELECT room, count FROM wanted WHERE head = 0 AND EXISTS (SELECT FROM lease)
    ON CONFLICT (room) DO UPDATE SET head = EXCLUDED.head WHERE room.head = 0 AND NOT room.barred RETURNING room.room),
  moved AS (
    UPDATE weft.room SET head = room.head + wanted.count FROM wanted
    WHERE wanted.head > 0 AND room.room = wanted.room AND room.head = wanted.head AND EXISTS (SELECT FROM lease)
    RETURNING room.room),
  written AS (INSERT INTO weft.record (room, seq, count, pack) SELECT * FROM (${recordsFrom(5)}) AS found
    WHERE room IN (SELECT room FROM begun UNION ALL SELECT room FROM moved))
  SELECT room FROM begun UNION ALL SELECT room FROM moved`;

const STANDING = `SELECT wanted.room, coalesce(room.head, 0) AS head, coalesce(room.barred, false) AS barred
  FROM unnest($1::text[]) AS wanted (room) LEFT JOIN weft.room USING (room)`;

/** Checksums of the records that stand in these places. */
const SUMS = `SELECT wanted.room, substring(record.pack FROM octet_length(record.pack) - ${SUM_BYTES - 1}) AS sum
  FROM unnest($1::text[], $2::bigint[]) AS wanted (room, seq)
  JOIN weft.record ON record.room = wanted.room AND record.seq = wanted.seq`;

export class Appends {
  readonly #database: Database;
  readonly #connections: Connections;
  readonly #waiting: Append[] = [];
  readonly #flying = new Set<RoomId>();
  #lanes = 0;
  /** Refused without an answer of the database: they may have been kept. */
  readonly #doubtful = new Map<RoomId, Append>();
  #settling: Promise<void> | undefined;

  constructor(database: Database, connections: Connections) {
    this.#database = database;
    this.#connections = connections;
  }

  async append(room: RoomId, head: number, records: readonly Segment[]): Promise<AppendResult> {
    await this.settled();
    const [count, bytes] = records.reduce(([n, size], { count, pack }) => [n + count, size + pack.length], [0, 0]);
    return new Promise((resolve, reject) => {
      // Copied: the caller may change its bytes, and a batch may be sent again.
      const kept = records.map(({ count, pack }) => ({ count, pack: new Uint8Array(pack) }));
      this.#waiting.push({ room, head, count, bytes, records: kept, resolve, reject });
      queueMicrotask(() => this.#start());
    });
  }

  /** Takes back what was refused and may have been kept. */
  async settled(): Promise<void> {
    if (this.#doubtful.size === 0) return;
    this.#settling ??= this.#settle().finally(() => (this.#settling = undefined));
    await this.#settling;
  }

  #start(): void {
    while (this.#lanes < LANES) {
      const batch = this.#nextBatch();
      if (batch.length === 0) return;
      this.#lanes++;
      void this.#run(batch).finally(() => {
        for (const { room } of batch) this.#flying.delete(room);
        this.#lanes--;
        this.#start();
      });
    }
  }

  /** Appends of different rooms, each the first that waits for its room. */
  #nextBatch(): Append[] {
    const batch: Append[] = [];
    let bytes = 0;
    for (let at = 0; at < this.#waiting.length && batch.length < MOST_ROOMS;) {
      const next = this.#waiting[at] as Append;
      if (this.#flying.has(next.room)) at++;
      else if (batch.length > 0 && bytes + next.bytes > MOST_BYTES) break;
      else {
        this.#waiting.splice(at, 1);
        this.#flying.add(next.room);
        bytes += next.bytes;
        batch.push(next);
      }
    }
    return batch;
  }

  /** Answers every append of a batch. Never rejects. */
  async #run(batch: readonly Append[]): Promise<void> {
    const open = new Set(batch);
    let isInDoubt = false;
    const doing = batch.length === 1 ? `write the log of room ${batch[0]!.room}` : 'write the logs of rooms';
    try {
      await this.#database.patiently(doing, async () => {
        if (batch.some(({ room }) => this.#doubtful.has(room))) await this.settled();
        if (isInDoubt) {
          await this.#database.lease.raise();
          await this.#connections.use((connection) => answerKept(connection, open));
          isInDoubt = false;
        }
        if (open.size === 0) return;
        await this.#connections.use(async (connection) => {
          isInDoubt = true;
          try {
            await this.#send(connection, open);
            isInDoubt = false;
          } catch (error) {
            isInDoubt = isConnectionLost(error);
            throw error;
          }
        });
      });
    } catch (error) {
      if (!isInDoubt && open.size > 1) {
        // One may be what is wrong with all.
        for (const append of open) await this.#run([append]);
        return;
      }
      for (const append of open) {
        if (isInDoubt) this.#doubtful.set(append.room, append);
        append.reject(error);
      }
    }
  }

  async #send(connection: Connection, open: Set<Append>): Promise<void> {
    const { fence } = this.#database.lease;
    const appends = [...open];
    const columns = new RecordColumns();
    for (const { room, head, records } of appends) columns.add(room, head, records);
    const wanted = [
      appends.map(({ room }) => room),
      appends.map(({ head }) => head),
      appends.map(({ count }) => count),
    ];
    const { rows } = await connection.query<{ room: RoomId }>(APPEND, [fence, ...wanted, ...columns.values()]);
    const written = new Set(rows.map(({ room }) => room));
    for (const append of appends) if (written.has(append.room)) answer(open, append, { seq: append.head });
    if (open.size > 0) await this.#answerMoved(connection, open, fence);
  }

  /** Nothing was written of these: they have moved, their names are barred, or the lease has another number. */
  async #answerMoved(connection: Connection, open: Set<Append>, fence: string): Promise<void> {
    const held = await connection.query(LEASE_HELD, [fence]);
    if (held.rows.length === 0) throw new Fenced(fence);
    for (const [append, { head, barred }] of await standing(connection, open)) {
      if (barred && head === 0) answer(open, append, { isBarred: true });
      else if (head !== append.head) answer(open, append, { movedTo: head });
    }
  }

  async #settle(): Promise<void> {
    const doubtful = [...this.#doubtful.values()];
    await this.#database.patiently('take back what was refused', () => this.#database.lease.raise());
    await this.#database.write('take back what was refused', async (connection) => {
      if (!(await this.#isAlone(connection))) return;
      for (const { room, head, count } of doubtful) {
        const { rows } = await connection.query(
          'UPDATE weft.room SET head = $2 WHERE room = $1 AND head = $3 RETURNING room',
          [room, head, head + count],
        );
        if (rows.length > 0)
          await connection.query('DELETE FROM weft.record WHERE room = $1 AND seq >= $2', [room, head]);
      }
    });
    for (const { room } of doubtful) this.#doubtful.delete(room);
  }

  /** Whether no other process shares the database, nor joins before the transaction ends. */
  async #isAlone(connection: Connection): Promise<boolean> {
    const { isShared, name } = this.#database.lease;
    if (!isShared) return true;
    await connection.query(STORE_ROW);
    const others = await connection.query(`SELECT FROM weft.lease WHERE name <> 'store' AND name <> $1`, [name]);
    return others.rows.length === 0;
  }
}

/** Answers those of a batch in doubt that were kept. */
async function answerKept(connection: Connection, open: Set<Append>): Promise<void> {
  const moved = (await standing(connection, open)).flatMap(([append, { head }]) => (head > append.head ? append : []));
  if (moved.length === 0) return;
  const places = [moved.map(({ room }) => room), moved.map(({ head }) => head)];
  const { rows } = await connection.query<{ room: RoomId; sum: Uint8Array }>(SUMS, places);
  const sums = new Map(rows.map(({ room, sum }) => [room, sum]));
  for (const append of moved) {
    const { room, head, records } = append;
    const [sum, [first]] = [sums.get(room), records];
    if (sum && first && Buffer.compare(sum, sumOf(room, { seq: head, ...first })) === 0)
      answer(open, append, { seq: head });
    else if (!sum) {
      open.delete(append);
      append.reject(new StoreError('away', `nobody can tell any more whether room ${room} was written to; try again`));
    }
  }
}

function answer(open: Set<Append>, append: Append, result: AppendResult): void {
  open.delete(append);
  append.resolve(result);
}

async function standing(
  connection: Connection,
  open: ReadonlySet<Append>,
): Promise<[Append, { readonly head: number; readonly barred: boolean }][]> {
  const byRoom = new Map([...open].map((append) => [append.room, append]));
  const { rows } = await connection.query<{ room: RoomId; head: string; barred: boolean }>(STANDING, [
    [...byRoom.keys()],
  ]);
  return rows.map(({ room, head, barred }) => [byRoom.get(room) as Append, { head: Number(head), barred }]);
}
