/** The rooms of a store, with their sizes. What is done with one of them are the words. */
import { type RoomId, type Shut, type Store, isReserved } from '@weft/core';
import * as z from 'zod';
import { storeOperation } from './define.js';

export interface ListedRoom {
  readonly room: string;
  readonly nodes: number;
  /** Size of its log. */
  readonly bytes: number;
  /** Reason of the quarantine, if the room is shut. */
  readonly shut?: string;
}

export const roomList = storeOperation({
  name: 'room-list',
  in: z.object({}),
  async run({ quarantined, store }): Promise<readonly ListedRoom[]> {
    const rooms: ListedRoom[] = [];
    const shut = await quarantined();
    for await (const room of store.log.rooms()) if (!isReserved(room)) rooms.push(await measured(room, shut, store));
    return rooms;
  },
});

export async function measured(
  room: RoomId,
  quarantined: ReadonlyMap<RoomId, Shut>,
  { log }: Store,
): Promise<ListedRoom> {
  const shut = quarantined.get(room)?.reason;
  return { room, nodes: await log.head(room), bytes: await log.size(room), ...(shut === undefined ? {} : { shut }) };
}
