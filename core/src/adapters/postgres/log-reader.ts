/**
 * Readers of logs. Each begins with the list of parts and records that make up the log at that moment, then fetches their bytes
 * as they are asked for; no transaction stays open while its caller is busy. So that a merge takes nothing from under a reader,
 * bytes that no log has any more go only when nobody reads them: see `PostgresLog`.
 */
import { createHash } from 'node:crypto';
import type { RoomId } from '../../graph/room-id.js';
import type { LogRecord } from '../../ports/store.js';
import type { Database } from './database.js';
import { damagedAt, toRecord } from './record.js';

/** Part or record of a log. */
interface Entry {
  readonly seq: number;
  readonly count: number;
  readonly bytes: number;
  /** SHA-256 of a segment's bytes, hex; records have none. */
  readonly hash: string | undefined;
  /** Bytes of a short log come with its list. */
  readonly stored: Uint8Array | undefined;
}

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
  SELECT seq, count, bytes, encode(hash, 'hex') AS hash, CASE WHEN upto <= $3 THEN pack END AS stored
  FROM sums ORDER BY seq`;

interface EntryRow {
  readonly seq: string;
  readonly count: string;
  readonly bytes: string;
  readonly hash: string | null;
  readonly stored: Uint8Array | null;
}

export class LogReader {
  readonly #database: Database;
  /** Readers of each room's records, and of each segment by its hash. */
  readonly #rooms = new Map<RoomId, number>();
  readonly #segments = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  isRead(what: { readonly room: RoomId } | { readonly hash: string }): boolean {
    return 'room' in what ? this.#rooms.has(what.room) : this.#segments.has(what.hash);
  }

  async *read(room: RoomId, from: number): AsyncGenerator<LogRecord> {
    // Before its list is asked for: a merge may come in between.
    count(this.#rooms, room, 1);
    const held: string[] = [];
    try {
      const entries = await this.#entries(room, from);
      for (const { hash } of entries) {
        if (hash === undefined) continue;
        count(this.#segments, hash, 1);
        held.push(hash);
      }
      let next: number | undefined;
      for (let at = 0; at < entries.length;) {
        const page = pageFrom(entries, at);
        for (const record of await this.#packs(room, page)) {
          const follows = next === undefined ? record.seq <= from : record.seq === next;
          if (!follows) throw damagedAt(room, next ?? from);
          yield record;
          next = record.seq + record.count;
        }
        at += page.length;
      }
    } finally {
      for (const hash of held) count(this.#segments, hash, -1);
      count(this.#rooms, room, -1);
    }
  }

  async #entries(room: RoomId, from: number): Promise<Entry[]> {
    const rows = await this.#database.read<EntryRow>(reading(room), ENTRIES, [room, from, PAGE_BYTES]);
    return rows.map(({ seq, count, bytes, hash, stored }) => ({
      seq: Number(seq),
      count: Number(count),
      bytes: Number(bytes),
      hash: hash ?? undefined,
      stored: stored ?? undefined,
    }));
  }

  async #packs(room: RoomId, page: readonly Entry[]): Promise<LogRecord[]> {
    const lacking = page.filter(({ stored }) => stored === undefined);
    const hashes = lacking.flatMap(({ hash }) => (hash === undefined ? [] : [hash]));
    const seqs = lacking.flatMap(({ hash, seq }) => (hash === undefined ? [seq] : []));
    const fetched = new Map<string | number, Uint8Array>([
      ...(await this.#segmentBytes(room, hashes)),
      ...(await this.#recordBytes(room, seqs)),
    ]);
    return page.map(({ seq, count, hash, stored = fetched.get(hash ?? seq) }) => {
      if (stored === undefined) throw damagedAt(room, seq);
      if (hash === undefined) return toRecord(room, seq, count, stored);
      if (createHash('sha256').update(stored).digest('hex') !== hash) throw damagedAt(room, seq);
      return { seq, count, pack: new Uint8Array(stored) };
    });
  }

  async #segmentBytes(room: RoomId, hashes: readonly string[]): Promise<[string, Uint8Array][]> {
    if (hashes.length === 0) return [];
    const rows = await this.#database.read<{ hash: string; pack: Uint8Array }>(
      reading(room),
      `SELECT encode(hash, 'hex') AS hash, pack FROM weft.segment
       WHERE hash IN (SELECT decode(name, 'hex') FROM unnest($1::text[]) AS name)`,
      [hashes],
    );
    return rows.map(({ hash, pack }) => [hash, pack]);
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
