/** The rooms of a store, with their sizes. What is done with one of them are the words. */
import { type Host, type RoomId, type Store, isReserved } from '@weft/core';
import * as z from 'zod';
import { operation } from './define.js';

export interface ListedRoom {
  readonly room: string;
  readonly nodes: number;
  /** Size of its log. */
  readonly bytes: number;
  /** Reason of the quarantine, if the room is shut. */
  readonly shut?: string;
}

export const roomList = operation({
  name: 'room-list',
  in: z.object({}),
  async run({ host, store }): Promise<readonly ListedRoom[]> {
    const rooms: ListedRoom[] = [];
    for await (const room of store.log.rooms()) if (!isReserved(room)) rooms.push(await measured(room, host, store));
    return rooms;
  },
});

export async function measured(room: RoomId, host: Host, { log }: Store): Promise<ListedRoom> {
  const shut = host.quarantined.get(room)?.reason;
  return { room, nodes: await log.head(room), bytes: await log.size(room), ...(shut === undefined ? {} : { shut }) };
}
