/** Thread of a room, by its id alone: FNV-1a. Rooms of the host itself are all in the first one. */
import { type RoomId, isReserved } from '@weft/core';

export function threadOf(room: RoomId, threads: number): number {
  if (isReserved(room)) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < room.length; at++) hash = Math.imul(hash ^ room.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % threads;
}
