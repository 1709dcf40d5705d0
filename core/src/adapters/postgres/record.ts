/** Rows of a log: a pack and, behind it, a checksum that binds it to its place, so that a damaged row is never read as a pack. */
import { createHash } from 'node:crypto';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { type LogRecord, type Segment, StoreError } from '../../ports/store.js';

export const SUM_BYTES = 8;

/** Records one behind the other from a position on, as columns for one statement: `packs` has the bytes of all. */
export class RecordColumns {
  readonly rooms: RoomId[] = [];
  readonly seqs: number[] = [];
  readonly counts: number[] = [];
  readonly starts: number[] = [];
  readonly lengths: number[] = [];
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;

  add(room: RoomId, from: number, records: readonly Segment[]): void {
    let seq = from;
    for (const { count, pack } of records) {
      this.rooms.push(room);
      this.seqs.push(seq);
      this.counts.push(count);
      this.starts.push(this.#bytes);
      this.lengths.push(pack.length + SUM_BYTES);
      this.#pieces.push(pack, sumOf(room, { seq, count, pack }));
      this.#bytes += pack.length + SUM_BYTES;
      seq += count;
    }
  }

  /** Parameters in the order in which `RECORDS` names them. */
  values(): readonly unknown[] {
    return [this.rooms, this.seqs, this.counts, this.starts, this.lengths, Buffer.concat(this.#pieces)];
  }
}

/** Rows from the parameters of `RecordColumns`, of which `first` is the number of the first. */
export function recordsFrom(first: number): string {
  const [rooms, seqs, counts, starts, lengths, packs] = [0, 1, 2, 3, 4, 5].map((i) => `$${first + i}`);
  const columns = `${rooms}::text[], ${seqs}::bigint[], ${counts}::bigint[], ${starts}::int[], ${lengths}::int[]`;
  return `SELECT n.room, n.seq, n.count, substring(${packs}::bytea FROM n.at + 1 FOR n.length)
    FROM unnest(${columns}) AS n (room, seq, count, at, length)`;
}

/** Record of a row; throws where it is not what was written. */
export function toRecord(room: RoomId, seq: number, count: number, stored: Uint8Array): LogRecord {
  const record = recordOf(room, seq, count, stored);
  if (!record) throw damagedAt(room, seq);
  return record;
}

/** Record of a row; undefined where it is not what was written. */
export function recordOf(room: RoomId, seq: number, count: number, stored: Uint8Array): LogRecord | undefined {
  const end = stored.length - SUM_BYTES;
  const pack = new Uint8Array(stored.subarray(0, Math.max(0, end)));
  const sum = sumOf(room, { seq, count, pack });
  return end < 0 || Buffer.compare(sum, stored.subarray(end)) !== 0 ? undefined : { seq, count, pack };
}

/** Checksum that a row carries, hex; `SUM_OF_PACK` is the database's word for it. */
export function sumIn(stored: Uint8Array): string {
  return Buffer.from(stored.subarray(-SUM_BYTES)).toString('hex');
}

export const SUM_OF_PACK = `encode(substring(pack FROM octet_length(pack) - ${SUM_BYTES - 1}), 'hex')`;

/** `how` says what is wrong and what to do; without it, it is in the database. */
export function damagedAt(room: RoomId, seq: number, how?: string): StoreError {
  const said = how === undefined ? '; restore a backup of the database' : `: ${how}`;
  return new StoreError('damaged', `the log of room ${room} is damaged at ${seq}${said}`);
}

/** Checksum of a record in its place. */
export function sumOf(room: RoomId, { seq, count, pack }: LogRecord): Uint8Array {
  return createHash('sha256').update(`${room} ${seq} ${count} `).update(pack).digest().subarray(0, SUM_BYTES);
}
