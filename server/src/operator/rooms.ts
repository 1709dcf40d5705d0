/**
 * Operations on rooms: list, inspect, compact, quarantine, resume. Nothing here shows the values in a room, only keys.
 */
import { type Host, type RoomId, type Store, isReserved } from '@weft/core';
import * as z from 'zod';
import { OperatorError, operation } from './define.js';
import { AnyRoom, mustExist } from './room-id.js';

const OneRoom = z.object({ room: AnyRoom });

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

export const roomInspect = operation({
  name: 'room-inspect',
  in: OneRoom,
  async run({ host, store }, { room }) {
    await mustExist(room, store);
    const [forks, blobs] = [await all(store.log.forks(room)), await all(store.blobs.linked(room))];
    const { origin, bytes, shut } = { origin: await store.log.origin(room), ...(await measured(room, host, store)) };
    const about = { room, bytes, shut, origin, forks, blobs: blobs.length };
    if (shut !== undefined) return { ...about, nodes: await store.log.head(room) };
    return host.withRoom(room, async ({ seq, stateHash, heads, constitution, facts }) => ({
      ...about,
      nodes: seq,
      state_hash: stateHash,
      heads: heads.frontier,
      parent: constitution.lineage?.parent_room_id,
      is_locked: facts.lock !== undefined,
    }));
  },
});

export const roomCompact = operation({
  name: 'room-compact',
  in: OneRoom,
  async run({ host, store }, { room }) {
    await mustExist(room, store);
    const { seq, hash, bytesBefore, bytesAfter } = await host.withRoom(room, (opened) => opened.compact());
    return { room, nodes: seq, snapshot_hash: hash, bytes_before: bytesBefore, bytes_after: bytesAfter };
  },
});

export const roomQuarantine = operation({
  name: 'room-quarantine',
  in: OneRoom.extend({ reason: z.string() }),
  async run({ host, store }, { room, reason }) {
    await host.quarantine(room, reason);
    // A room without nodes may be meant, or its name misspelt: the answer shows that there are none.
    return { room, reason, nodes: await store.log.head(room) };
  },
});

export const roomResume = operation({
  name: 'room-resume',
  in: OneRoom,
  async run({ host }, { room }) {
    if (!(await host.resume(room))) throw new OperatorError(`room ${room} is not shut`);
    return { room };
  },
});

async function measured(room: RoomId, host: Host, { log }: Store): Promise<ListedRoom> {
  const shut = host.quarantined.get(room)?.reason;
  return { room, nodes: await log.head(room), bytes: await log.size(room), ...(shut === undefined ? {} : { shut }) };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
