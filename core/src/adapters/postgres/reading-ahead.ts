/**
 * Reading ahead: what opening a room asks, of many rooms in one statement: how they stand, their images, and the ends of their logs.
 * It takes the place of a question after the other, each of which waits for the way to the database and back. Of a log, what is long or
 * lies elsewhere is asked for when it is needed. A room whose image is such is not read ahead: that image could be newer than the rest.
 */
import { concatBytes } from '../../codec/bytes/bytes.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { Convoys } from '../../concurrency/convoys.js';
import {
  type Images,
  type LogOrigin,
  type LogRecord,
  type NodeLog,
  type ReadAhead,
  type Remains,
  StoreError,
} from '../../ports/store.js';
import { hashOf } from './cold-objects.js';
import type { Database } from './database.js';
import { recordOf } from './record.js';

/** Rooms of one statement, and entries at the end of each log. */
const [MOST_ROOMS, MOST_ENTRIES] = [16, 256];
/** Bytes of an image, and of the end of a log, that come with it. */
const SHORT_BYTES = 256 * 1024;

const AHEAD = `WITH wanted AS (SELECT * FROM unnest($1::text[]) AS w (room))
  SELECT wanted.room, 'room' AS kind, head AS at, origin_at AS count, origin_room AS name, tombstone AS bytes,
    origin_shared AS "isShared", barred AS "isBarred"
  FROM wanted JOIN weft.room USING (room)
  UNION ALL
  SELECT wanted.room, 'image', piece, NULL, encode(hash, 'hex'), CASE WHEN size <= $2 THEN bytes END, NULL, NULL
  FROM wanted CROSS JOIN LATERAL (
    SELECT piece, hash, bytes, sum(octet_length(bytes)) OVER () AS size FROM weft.image WHERE room = wanted.room) AS image
  WHERE piece = 0 OR size <= $2
  UNION ALL
  SELECT wanted.room, 'entry', seq, count, name, pack, NULL, NULL
  FROM wanted CROSS JOIN LATERAL (
    WITH parts AS (SELECT seq, count, hash FROM weft.part WHERE room = wanted.room ORDER BY seq DESC LIMIT $3),
      entries AS (
        SELECT seq, count, encode(hash, 'hex') AS name, segment.pack FROM parts LEFT JOIN weft.segment USING (hash)
        UNION ALL
        (SELECT seq, count, NULL, pack FROM weft.record
         WHERE room = wanted.room AND seq >= (SELECT coalesce(max(seq + count), 0) FROM parts) ORDER BY seq DESC LIMIT $3))
    SELECT *, sum(octet_length(pack)) OVER (ORDER BY seq DESC) AS size FROM entries) AS entry
  WHERE size <= $2
  ORDER BY room, kind, at`;

interface Row {
  readonly room: RoomId;
  readonly kind: 'room' | 'image' | 'entry';
  readonly at: string;
  readonly count: string | null;
  /** Name of the room that it began in, or hash. */
  readonly name: string | null;
  readonly bytes: Uint8Array | null;
  readonly isShared: boolean | null;
  readonly isBarred: boolean | null;
}

export interface ReadingAheadParts {
  readonly database: Database;
  readonly log: NodeLog;
  readonly images: Images;
  /** Bytes that come with it at most, where more are better read elsewhere. */
  readonly shortBytes?: number | undefined;
}

export class ReadingAhead {
  readonly #parts: ReadingAheadParts;
  readonly #convoys: Convoys<RoomId, ReadAhead | undefined>;

  constructor(parts: ReadingAheadParts) {
    this.#parts = parts;
    this.#convoys = new Convoys({ ask: (rooms) => this.#ask(rooms), most: MOST_ROOMS });
  }

  /** Undefined where the database refuses it: what is wrong is found by whoever asks for one thing after the other. */
  read(room: RoomId): Promise<ReadAhead | undefined> {
    return this.#convoys.ask(room);
  }

  async #ask(rooms: readonly RoomId[]): Promise<ReadonlyMap<RoomId, ReadAhead | undefined>> {
    const { database, shortBytes = SHORT_BYTES } = this.#parts;
    const doing = rooms.length === 1 ? `open room ${rooms[0]!}` : 'open rooms';
    try {
      const rows = await database.read<Row>(doing, AHEAD, [rooms, shortBytes, MOST_ENTRIES]);
      const byRoom = new Map<RoomId, Row[]>(rooms.map((room) => [room, []]));
      for (const row of rows) byRoom.get(row.room)?.push(row);
      return new Map([...byRoom].map(([room, found]) => [room, this.#aheadOf(room, found)]));
    } catch (error) {
      // One room may be what is wrong with all.
      if (error instanceof StoreError && (error.fault === 'failed' || error.fault === 'damaged')) return new Map();
      throw error;
    }
  }

  #aheadOf(room: RoomId, rows: readonly Row[]): ReadAhead | undefined {
    const { log, images } = this.#parts;
    const standing = rows.find(({ kind }) => kind === 'room');
    const head = Number(standing?.at ?? 0);
    const image = imageIn(rows.filter(({ kind }) => kind === 'image'));
    if (!image) return undefined;
    const tail = tailIn(
      room,
      rows.filter(({ kind }) => kind === 'entry'),
      head,
    );
    return {
      log: {
        head: (asked) => (asked === room ? Promise.resolve(head) : log.head(asked)),
        origin: (asked) => (asked === room ? Promise.resolve(originIn(standing)) : log.origin(asked)),
        remains: (asked) => (asked === room ? Promise.resolve(remainsIn(standing)) : log.remains(asked)),
        read: (asked, from) =>
          asked === room && from >= (tail[0]?.seq ?? head) ? recordsFrom(tail, from) : log.read(asked, from),
      },
      images: {
        get: (asked) => (asked === room ? Promise.resolve(image.bytes) : images.get(asked)),
        remove: (asked) => images.remove(asked),
      },
    };
  }
}

function originIn(standing: Row | undefined): LogOrigin | undefined {
  if (!standing?.name) return undefined;
  return { room: standing.name as RoomId, at: Number(standing.count), isShared: standing.isShared === true };
}

function remainsIn(standing: Row | undefined): Remains | undefined {
  if (!standing?.bytes) return undefined;
  return { tombstone: new Uint8Array(standing.bytes), isBarred: standing.isBarred === true };
}

/** Image of a room, or that there is none; undefined where it does not come with the rest. */
function imageIn(pieces: readonly Row[]): { readonly bytes: Uint8Array | undefined } | undefined {
  const [first] = pieces;
  if (!first) return { bytes: undefined };
  if (pieces.some(({ bytes }) => bytes === null)) return undefined;
  const bytes = concatBytes(pieces.map(({ bytes }) => bytes!));
  return { bytes: hashOf(bytes) === first.name ? bytes : undefined };
}

/** Records at the end of a log, which follow each other up to its head. */
function tailIn(room: RoomId, entries: readonly Row[], head: number): readonly LogRecord[] {
  const tail: LogRecord[] = [];
  for (const { at, count, name, bytes } of entries.toReversed()) {
    const record = bytes && entryOf(room, { seq: Number(at), count: Number(count), pack: bytes }, name);
    if (!record || record.seq + record.count !== (tail[0]?.seq ?? head)) break;
    tail.unshift(record);
  }
  return tail;
}

/** Undefined where it is not what was written. */
function entryOf(room: RoomId, { seq, count, pack }: LogRecord, hash: string | null): LogRecord | undefined {
  if (hash === null) return recordOf(room, seq, count, pack);
  return hashOf(pack) === hash ? { seq, count, pack: new Uint8Array(pack) } : undefined;
}

async function* recordsFrom(tail: readonly LogRecord[], from: number): AsyncGenerator<LogRecord> {
  for (const record of tail) if (record.seq + record.count > from) yield record;
}
