/** Membership as rows: leases of processes, and rooms that belong to them. What belongs to a lease goes with its row. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { Convoys } from '../../concurrency/convoys.js';
import type { Member, Membership } from '../../ports/membership.js';
import type { Connections } from './connections.js';
import type { Database } from './database.js';
import { LEASE_HELD, STILL } from './lease.js';

interface MemberRow {
  readonly id: string;
  readonly address: string;
  readonly until: string;
  readonly isOver: boolean;
  /** How long it lasts from now on. */
  readonly leftMs: number;
}

interface OwnerRow {
  readonly room: RoomId;
  readonly process: string | null;
}

const MEMBERS = `SELECT name AS id, address, until::text, until < clock_timestamp() AS "isOver",
  (extract(epoch FROM until) - extract(epoch FROM clock_timestamp()))::float8 * 1000 AS "leftMs"
  FROM weft.lease WHERE name <> 'store' ORDER BY name`;

/**
 * Claims of rooms, in one order, so that two processes never wait for each other. One says nothing where another process has claimed
 * the room since the statement began: asked again, it is found.
 */
const CLAIM = `WITH lease AS MATERIALIZED (${LEASE_HELD}),
  wanted AS (SELECT room FROM unnest($2::text[]) AS w (room) ORDER BY room COLLATE "C"),
  mine AS (INSERT INTO weft.owner (room, process) SELECT room, $3 FROM wanted, lease
    ON CONFLICT DO NOTHING RETURNING room, process)
  SELECT wanted.room, coalesce(mine.process, owner.process) AS process
  FROM lease CROSS JOIN wanted LEFT JOIN mine USING (room) LEFT JOIN weft.owner USING (room)`;

/** Rooms that are claimed by one statement. */
const MOST_CLAIMS = 64;

/** Milliseconds for which a look waits for the end of one lease. */
const MOMENT_MS = 100;

export class PostgresMembership implements Membership {
  readonly self: Member;
  readonly #database: Database;
  readonly #connections: Connections;
  /** Leases as they were seen last: until when each is to last, and since when that is seen. */
  readonly #seen = new Map<string, { readonly until: string; readonly since: number }>();
  /** Leases that are being ended. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #claims = new Convoys<RoomId, string | null>({ ask: (rooms) => this.#claim(rooms), most: MOST_CLAIMS });
  readonly #renewals = new Convoys<'lease', void>({ ask: () => this.#renew(), lanes: 1, most: 1 });
  #lookedAt = performance.now();

  constructor(database: Database, connections: Connections, address: string) {
    this.#database = database;
    this.#connections = connections;
    this.self = { id: database.lease.name, address };
  }

  /**
   * A lease that is over is ended when for half a term nobody was seen to renew it, by looks that were answered all the while: after
   * the database was away all of them are over, and whoever lives renews within an eighth. One whose process has something under way
   * still is there until that has ended, and nobody waits for it.
   */
  async members(): Promise<readonly Member[]> {
    const rows = await this.#read<MemberRow>('ask who shares the database', MEMBERS);
    this.#look(rows);
    const left: Member[] = [];
    for (const { id, address, until, isOver } of rows) {
      const mustEnd = isOver && id !== this.self.id && this.#stillMs(id) >= this.#database.lease.termMs / 2;
      if (!mustEnd || !(await this.#endsSoon(id, until))) left.push({ id, address });
    }
    return left;
  }

  isStill(id: string): boolean {
    return this.#stillMs(id) >= this.#database.lease.termMs / STILL;
  }

  get isSure(): boolean {
    const { confirmedFor, termMs } = this.#database.lease;
    return confirmedFor < termMs / STILL;
  }

  /** By one renewal for all who ask while another one is under way: after a death many enter at once. */
  async makeSure(): Promise<void> {
    if (!this.isSure) await this.#renewals.ask('lease');
  }

  async #renew(): Promise<ReadonlyMap<'lease', void>> {
    await this.#database.patiently('renew the lease', () => this.#database.lease.renew());
    return new Map();
  }

  /** Milliseconds for which it was not seen to renew. */
  #stillMs(id: string): number {
    const seen = this.#seen.get(id);
    return seen === undefined ? 0 : performance.now() - seen.since;
  }

  putOut(id: string): Promise<void> {
    return this.#end(id, undefined);
  }

  /** One statement, so that nobody dies in the middle of it; after a death many rooms go with one. */
  async claim(room: RoomId): Promise<string> {
    for (;;) {
      const owner = await this.#claims.ask(room);
      if (owner) return owner;
    }
  }

  async #claim(rooms: readonly RoomId[]): Promise<ReadonlyMap<RoomId, string | null>> {
    const doing = rooms.length === 1 ? `claim room ${rooms[0]!}` : 'claim rooms';
    const rows = await this.#database.fenced<OwnerRow>(doing, CLAIM, [rooms, this.self.id]);
    return new Map(rows.map(({ room, process }) => [room, process]));
  }

  async release(rooms: readonly RoomId[]): Promise<void> {
    await this.#database.write('give rooms up', (connection) =>
      connection.query('DELETE FROM weft.owner WHERE process = $1 AND room = ANY($2::text[])', [this.self.id, rooms]),
    );
  }

  async heads(rooms: readonly RoomId[]): Promise<ReadonlyMap<RoomId, number>> {
    const rows = await this.#read<{ room: RoomId; head: string }>(
      'look for what others have written',
      'SELECT room, head FROM weft.room WHERE room = ANY($1::text[]) AND head > 0',
      [rooms],
    );
    return new Map(rows.map(({ room, head }) => [room, Number(head)]));
  }

  /**
   * Notes since when each lease was not renewed: since then by the database's clock, and no longer than it was looked after. What was
   * seen before a look that took long says nothing.
   */
  #look(rows: readonly MemberRow[]): void {
    const now = performance.now();
    const { termMs } = this.#database.lease;
    if (now - this.#lookedAt > termMs / 2) this.#seen.clear();
    for (const { id, until, leftMs } of rows) {
      const seen = this.#seen.get(id);
      if (seen?.until === until) continue;
      const since = seen ? Math.max(this.#lookedAt, now - Math.max(0, termMs - leftMs)) : now;
      this.#seen.set(id, { until, since });
    }
    this.#lookedAt = now;
    for (const id of this.#seen.keys()) if (!rows.some((row) => row.id === id)) this.#seen.delete(id);
  }

  /** Whether a lease has ended within a moment; where it has not, it ends when it can. */
  async #endsSoon(id: string, until: string): Promise<boolean> {
    const late = new AbortController();
    const hasEnded = this.#end(id, until).then(() => true);
    return Promise.race([hasEnded, sleep(MOMENT_MS, false, { signal: late.signal })]).finally(() => late.abort());
  }

  /** Waits for what that process has under way, which holds its row; once, however often it is asked for. */
  #end(id: string, until: string | undefined): Promise<void> {
    const ending = this.#ending.get(id) ?? this.#delete(id, until).finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return ending;
  }

  async #delete(id: string, until: string | undefined): Promise<void> {
    await this.#connections.insist((connection) =>
      connection.query('DELETE FROM weft.lease WHERE name = $1 AND until = coalesce($2::timestamptz, until)', [
        id,
        until,
      ]),
    );
    this.#seen.delete(id);
  }

  /** A failure is the caller's to see at once: what was seen before it counts no more. */
  async #read<Row extends object>(doing: string, text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return await this.#database.read<Row>(doing, text, values);
    } catch (error) {
      this.#seen.clear();
      throw error;
    }
  }
}
