/** Logs whose packs name their nodes, so that what is read tells each node once. */
import { fromUtf8, toUtf8 } from '../codec/bytes/bytes.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { NodeLog, Segment } from '../ports/store.js';
import { all, same } from './batteries/battery.js';

export function names(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `n${from + i}`).join();
}

export function segment(from: number, count: number): Segment {
  return { count, pack: toUtf8(names(from, count)) };
}

export async function append(log: NodeLog, room: RoomId, ...counts: number[]): Promise<void> {
  let head = await log.head(room);
  for (const count of counts) {
    const appended = await log.append(room, head, segment(head, count));
    same('seq' in appended && appended.seq, head);
    head += count;
  }
}

export async function nodes(log: NodeLog, room: RoomId): Promise<string> {
  return (await all(log.read(room, 0))).map(({ pack }) => fromUtf8(pack)).join();
}

/** Where records and segments begin and how many nodes they have, when each has the bytes that it should. */
export async function shape(log: NodeLog, room: RoomId, from = 0): Promise<string> {
  const records = await all(log.read(room, from));
  for (const { seq, count, pack } of records) same(fromUtf8(pack), names(seq, count));
  return records.map(({ seq, count }) => `${seq}+${count}`).join(' ');
}
