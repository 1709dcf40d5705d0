/**
 * Readers of logs. Each begins with the list of parts and records that make up the log at that moment, then fetches their bytes
 * as they are asked for; no transaction stays open while its caller is busy. So that a merge takes nothing from under a reader,
 * bytes that no log has any more go only when nobody reads them: see `PostgresLog`. That is known of one process alone: a reader
 * from under whom another one has taken something lists the log again, and goes on where it was. So it is with an object of the cold
 * tier that is not there; one that lacks for good, or has other bytes, is damage.
 */
import type { RoomId } from '../../codec/bytes/room-id.js';
import { type LogRecord, StoreError } from '../../ports/store.js';
import { ColdDamage, type ColdObjects, hashOf } from './cold-objects.js';
import type { Database } from './database.js';
import type { Named, ReadReplica } from './read-replica.js';
import { SUM_OF_PACK, damagedAt, toRecord } from './record.js';

/** Part or record of a log. */
interface Entry extends Named {
  readonly bytes: number;
  /** Bytes of a short log come with its list. */
  readonly stored: Uint8Array | undefined;
}

/** Something of a page is not there, or not any more; `how` says it of what is elsewhere. */
interface Lacks {
  readonly how?: string;
}

/** Lists that are made of a log before what lacks counts as lost. */
const LISTS = 4;

/** Most that comes with one answer, or one entry that is longer. */
const PAGE_BYTES = 1024 * 1024;

/** Records stand behind the parts; a record that a merge has replaced stands before their end, and is not part of the log. */
const ENTRIES = `WITH parts AS (SELECT seq, count, bytes, hash FROM weft.part WHERE room = $1),
  behind AS (SELECT coalesce(max(seq + count), 0) AS seq FROM parts),
  entries AS (
    SELECT parts.seq, parts.count, parts.bytes, parts.hash, segment.pack FROM parts LEFT JOIN weft.segment USING (hash)
    UNION ALL
    SELECT seq, count, octet_length(pack), NULL, pack FROM weft.record
    WHERE room = $1 AND seq >= (SELECT seq FROM behind)),
  sums AS (SELECT *, sum(bytes) OVER (ORDER BY seq) AS upto FROM entries WHERE seq + count > $2)
  SELECT seq, count, bytes, encode(hash, 'hex') AS hash, CASE WHEN upto <= $3 THEN pack END AS stored,
    CASE WHEN hash IS NULL AND upto > $3 THEN ${SUM_OF_PACK} END AS sum
  FROM sums ORDER BY seq`;

interface EntryRow {
  readonly seq: string;
  readonly count: string;
  readonly bytes: string;
  readonly hash: string | null;
  readonly stored: Uint8Array | null;
  readonly sum: string | null;
}

/** Where else bytes are than in the database itself. */
export interface OtherPlaces {
  readonly cold?: ColdObjects | undefined;
  readonly readReplica?: ReadReplica | undefined;
}

export class LogReader {
  readonly #database: Database;
  /** Readers of each room's records, and of each segment by its hash. */
  readonly #rooms = new Map<RoomId, number>();
  readonly #segments = new Map<string, number>();
  readonly #cold: ColdObjects | undefined;
  readonly #readReplica: ReadReplica | undefined;

  constructor(database: Database, { cold, readReplica }: OtherPlaces) {
    [this.#database, this.#cold, this.#readReplica] = [database, cold, readReplica];
  }

  isRead(what: { readonly room: RoomId } | { readonly hash: string }): boolean {
    return 'room' in what ? this.#rooms.has(what.room) : this.#segments.has(what.hash);
  }

  async *read(room: RoomId, from: number): AsyncGenerator<LogRecord> {
    // Before its list is asked for: a merge may come in between.
    count(this.#rooms, room, 1);
    const held: string[] = [];
    try {
      let next: number | undefined;
      for (let lists = 1; ; lists++) {
        const entries = await this.#entries(room, next ?? from);
        for (const { hash } of entries) {
          if (hash === undefined) continue;
          count(this.#segments, hash, 1);
          held.push(hash);
        }
        let at = 0;
        let lacks: Lacks = {};
        while (at < entries.length) {
          const page = pageFrom(entries, at);
          const records = await this.#packs(room, page);
          if (!Array.isArray(records)) {
            lacks = records;
            break;
          }
          for (const record of records) {
            mustFollow(room, record, from, next);
            yield record;
            next = record.seq + record.count;
          }
          at += page.length;
        }
        if (at >= entries.length) return;
        if (lists === LISTS) throw damagedAt(room, next ?? from, lacks.how);
      }
    } finally {
      for (const hash of held) count(this.#segments, hash, -1);
      count(this.#rooms, room, -1);
    }
  }

  async #entries(room: RoomId, from: number): Promise<Entry[]> {
    const rows = await this.#database.read<EntryRow>(reading(room), ENTRIES, [
      room,
      from,
      this.#readReplica?.shortBytes ?? PAGE_BYTES,
    ]);
    return rows.map(({ seq, count, bytes, hash, stored, sum }) => ({
      seq: Number(seq),
      count: Number(count),
      bytes: Number(bytes),
      hash: hash ?? undefined,
      stored: stored ?? undefined,
      sum: sum ?? undefined,
    }));
  }

  async #packs(room: RoomId, page: readonly Entry[]): Promise<LogRecord[] | Lacks> {
    const elsewhere = page.filter(({ stored }) => stored === undefined);
    const copied = elsewhere.length === 0 ? undefined : await this.#readReplica?.records(room, elsewhere);
    const lacking = copied ? elsewhere.filter(({ seq }) => !copied.has(seq)) : elsewhere;
    const hashes = lacking.flatMap(({ hash }) => (hash === undefined ? [] : [hash]));
    const seqs = lacking.flatMap(({ hash, seq }) => (hash === undefined ? [seq] : []));
    const fetched = new Map<string | number, Uint8Array | Lacks>([
      ...(await this.#segmentBytes(room, hashes)),
      ...(await this.#recordBytes(room, seqs)),
    ]);
    this.#readReplica?.missed(sizeOf(fetched.values()));
    const records: LogRecord[] = [];
    for (const { seq, count, hash, stored = fetched.get(hash ?? seq) ?? {} } of page) {
      const copy = copied?.get(seq);
      if (copy) records.push(copy);
      else if (!(stored instanceof Uint8Array)) return stored;
      else if (hash === undefined) records.push(toRecord(room, seq, count, stored));
      else if (hashOf(stored) !== hash) throw damagedAt(room, seq);
      else records.push({ seq, count, pack: new Uint8Array(stored) });
    }
    return records;
  }

  async #segmentBytes(room: RoomId, hashes: readonly string[]): Promise<[string, Uint8Array | Lacks][]> {
    if (hashes.length === 0) return [];
    const rows = await this.#database.read<{ hash: string; pack: Uint8Array | null; cold: string | null }>(
      reading(room),
      `SELECT encode(hash, 'hex') AS hash, pack, cold FROM weft.segment
       WHERE hash IN (SELECT decode(name, 'hex') FROM unnest($1::text[]) AS name)`,
      [hashes],
    );
    const bytes = await Promise.all(rows.map(({ hash, pack, cold }) => pack ?? this.#coldBytes(cold!, hash)));
    return rows.map(({ hash }, i) => [hash, bytes[i]!]);
  }

  async #coldBytes(name: string, hash: string): Promise<Uint8Array | Lacks> {
    try {
      const none = `the cold store ${this.#cold?.place} has no ${name}; restore it there`;
      return (await this.#cold?.read(name, hash)) ?? { how: none };
    } catch (error) {
      if (error instanceof ColdDamage) return { how: error.message };
      throw error;
    }
  }

  async #recordBytes(room: RoomId, seqs: readonly number[]): Promise<[number, Uint8Array][]> {
    if (seqs.length === 0) return [];
    const rows = await this.#database.read<{ seq: string; pack: Uint8Array }>(
      reading(room),
      'SELECT seq, pack FROM weft.record WHERE room = $1 AND seq = ANY($2::bigint[])',
      [room, seqs],
    );
    return rows.map(({ seq, pack }) => [Number(seq), pack]);
  }
}

/** Throws where a record is not what comes next. */
function mustFollow(room: RoomId, { seq }: LogRecord, from: number, next: number | undefined): void {
  if (next === undefined ? seq <= from : seq === next) return;
  if (next === undefined || seq > next) throw damagedAt(room, next ?? from);
  throw new StoreError('failed', `the log of room ${room} was merged while it was read; read it again`);
}

function sizeOf(packs: Iterable<Uint8Array | Lacks>): number {
  let bytes = 0;
  for (const pack of packs) if (pack instanceof Uint8Array) bytes += pack.length;
  return bytes;
}

/** Entries from one on that are fetched at once. */
function pageFrom(entries: readonly Entry[], at: number): readonly Entry[] {
  let [end, bytes] = [at, 0];
  while (end < entries.length && (end === at || bytes + entries[end]!.bytes <= PAGE_BYTES))
    bytes += entries[end++]!.bytes;
  return entries.slice(at, end);
}

function count<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const left = (counts.get(key) ?? 0) + by;
  if (left === 0) counts.delete(key);
  else counts.set(key, left);
}

function reading(room: RoomId): string {
  return `read the log of room ${room}`;
}
