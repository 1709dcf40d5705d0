/**
 * Read replica: a standby that follows the database and from which bytes are read, so that joins and histories do not take them from
 * the primary. What a log, an image or a blob is made of is always asked of the primary, and so never older than what was acknowledged;
 * here are only bytes that it has named by their hash, checksum or draft. What the standby has not got yet, or has otherwise, is read
 * from the primary.
 *
 * One that does not answer in time is left alone for a while; then one reader tries it, and the others do not wait for that.
 */
import { concatBytes } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { LogRecord, StoreError } from '../../ports/store.js';
import { hashOf } from './cold-objects.js';
import { Connections } from './connections.js';
import { databaseError, hasNoDatabase } from './database-error.js';
import { recordOf, sumIn } from './record.js';

/** Hears what becomes of a read replica. */
export interface ReadReplicaListener {
  /** Bytes that were read from it, or from the primary because it has not had them. */
  read(bytes: number, from: 'replica' | 'primary'): void;
  /** Why it is left alone for now; undefined when it answers again. */
  away(error: Error | undefined): void;
}

export interface ReadReplicaOptions {
  /** Address such as `postgres://user@host:5432/database`. */
  readonly address: string;
  readonly listener?: ReadReplicaListener | undefined;
  /** Bytes of a log so short that the primary gives them with its list: one question is less than two. */
  readonly shortBytes?: number;
}

/** Part or record of a log, as the primary names it. */
export interface Named {
  readonly seq: number;
  readonly count: number;
  /** SHA-256 of the bytes of a segment, hex. */
  readonly hash: string | undefined;
  /** Checksum of a record, hex. */
  readonly sum: string | undefined;
}

const MOST = 4;
const SHORT_BYTES = 8 * 1024;
/** Milliseconds for a connection and for an answer: whoever joins waits so long at most, and rarely. */
const [CONNECT_MS, QUERY_MS] = [1000, 2000];
/** Milliseconds for which one that has not answered is left alone. */
const AWAY_MS = 5000;

const SEGMENTS = `SELECT encode(hash, 'hex') AS hash, pack FROM weft.segment
  WHERE hash IN (SELECT decode(name, 'hex') FROM unnest($1::text[]) AS name) AND pack IS NOT NULL`;
const RECORDS = 'SELECT seq, pack FROM weft.record WHERE room = $1 AND seq = ANY($2::bigint[])';
const IMAGE = 'SELECT bytes FROM weft.image WHERE room = $1 AND bytes IS NOT NULL ORDER BY piece';
const PIECE = 'SELECT bytes FROM weft.blob_piece WHERE draft = $1 AND piece = $2';

export class ReadReplica {
  readonly shortBytes: number;
  readonly #connections: Connections;
  readonly #listener: ReadReplicaListener | undefined;
  #isAway = false;
  /** Nobody asks before. */
  #quietUntil = 0;

  constructor({ address, listener, shortBytes = SHORT_BYTES }: ReadReplicaOptions) {
    this.shortBytes = shortBytes;
    this.#connections = new Connections(address, { most: MOST, queryMs: QUERY_MS, connectMs: CONNECT_MS });
    this.#listener = listener;
  }

  /** Refuses one that will never let us read; one that is away, or so far behind that it has not got the database, may come. */
  async check(): Promise<void> {
    try {
      await this.#connections.use((connection) => connection.query('SELECT 1'));
    } catch (error) {
      const fault = databaseError('read from the read replica', error, this.#connections.place);
      if (fault.fault === 'unreadable' && !hasNoDatabase(error)) throw fault;
      this.#left(fault);
    }
  }

  /** Those of the entries that it has as they are named, by their positions. */
  async records(room: RoomId, entries: readonly Named[]): Promise<Map<number, LogRecord>> {
    const hashes = entries.flatMap(({ hash }) => (hash === undefined ? [] : [hash]));
    const seqs = entries.flatMap(({ hash, seq }) => (hash === undefined ? [seq] : []));
    const segments = hashes.length === 0 ? [] : await this.#ask<{ hash: string; pack: Buffer }>(SEGMENTS, [hashes]);
    const rows = seqs.length === 0 ? [] : await this.#ask<{ seq: string; pack: Buffer }>(RECORDS, [room, seqs]);
    const packs = new Map<string | number, Buffer>();
    for (const { hash, pack } of segments) if (hashOf(pack) === hash) packs.set(hash, pack);
    for (const { seq, pack } of rows) packs.set(Number(seq), pack);
    const found = new Map<number, LogRecord>();
    for (const { seq, count, hash, sum } of entries) {
      const stored = packs.get(hash ?? seq);
      if (!stored) continue;
      if (hash !== undefined) found.set(seq, { seq, count, pack: new Uint8Array(stored) });
      else {
        const record = sumIn(stored) === sum ? recordOf(room, seq, count, stored) : undefined;
        if (record) found.set(seq, record);
      }
    }
    for (const { pack } of found.values()) this.#listener?.read(pack.length, 'replica');
    return found;
  }

  /** Image of a room, if it is the one with that hash. */
  async image(room: RoomId, hash: string): Promise<Uint8Array | undefined> {
    const rows = await this.#ask<{ bytes: Buffer }>(IMAGE, [room]);
    const image = concatBytes(rows.map(({ bytes }) => bytes));
    if (rows.length === 0 || hashOf(image) !== hash) return undefined;
    this.#listener?.read(image.length, 'replica');
    return image;
  }

  /** Piece of a blob; a draft is written once and never changed. */
  async piece(draft: string, piece: number): Promise<Buffer | undefined> {
    const [row] = await this.#ask<{ bytes: Buffer }>(PIECE, [draft, piece]);
    if (row) this.#listener?.read(row.bytes.length, 'replica');
    return row?.bytes;
  }

  /** Counts what the primary was asked for. */
  missed(bytes: number): void {
    if (bytes > 0) this.#listener?.read(bytes, 'primary');
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Rows that it has just now: none where it does not answer. */
  async #ask<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    if (performance.now() < this.#quietUntil) return [];
    // Until this one knows better, nobody else waits for it.
    if (this.#isAway) this.#quietUntil = performance.now() + AWAY_MS;
    try {
      const { rows } = await this.#connections.use((connection) => connection.query<Row>(text, values));
      this.#answers();
      return rows;
    } catch (error) {
      this.#left(databaseError('read from the read replica', error, this.#connections.place));
      return [];
    }
  }

  #answers(): void {
    this.#quietUntil = 0;
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#listener?.away(undefined);
  }

  #left(error: StoreError): void {
    this.#quietUntil = performance.now() + AWAY_MS;
    if (this.#isAway) return;
    this.#isAway = true;
    this.#listener?.away(error);
  }
}
