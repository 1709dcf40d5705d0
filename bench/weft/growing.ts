// Work of one kind at a size, in process and with a store in memory; what was made of it is held until `end`.
import { type Host, createHost, createReplica, generateKeys, parseRoomId } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { mustHold } from '../measuring/harness.js';

export interface Grown {
  /** Processor time of the whole process: other work of the machine is not in it. */
  readonly ms: number;
  end(): Promise<void>;
}

const ROOM = 'bench';
const PACK_NODES = 1000;
const WRITES = 20;
const MUCH = { hostConnections: 1e9 };

/** Registers, a node each, in packs of a thousand that a peer pushes. */
export async function writeNodes(nodes: number): Promise<Grown> {
  const host = createHost({ store: memoryStore() });
  const room = await host.room(ROOM);
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  let ms = 0;
  for (let from = 0; from < nodes; from += PACK_NODES) {
    for (let i = from; i < Math.min(nodes, from + PACK_NODES); i++) replica.set(`key/${i}`, i);
    const pack = await replica.sealedMessage();
    mustHold(pack !== undefined, 'nothing was written');
    const took = await spent(() => room.admit(pack!, { from: 'peer' }));
    const { refused } = took.result;
    ms += took.ms;
    mustHold(refused.length === 0, 'a node was refused');
  }
  mustHold(room.get(`key/${nodes - 1}`) === nodes - 1, 'the last value is not there');
  return { ms, end: () => host.close() };
}

/** Rooms that are opened, and written to once. */
export async function openRooms(rooms: number): Promise<Grown> {
  const host = createHost({ store: memoryStore() });
  const { ms } = await spent(async () => {
    for (let i = 0; i < rooms; i++) await write(host, `room${i}`, i);
  });
  return { ms, end: () => host.close() };
}

/** Writes that each reach so many peers of one room. */
export async function deliver(peers: number): Promise<Grown> {
  const { host, heard } = await crowd(peers);
  const before = heard();
  const { ms } = await spent(async () => {
    for (let i = 0; i < WRITES; i++) await write(host, ROOM, i);
    await until(() => heard() >= before + WRITES * peers);
  });
  return { ms, end: () => host.close() };
}

/** Peers that enter one room: each is told of all who come after it. */
export async function enterRoom(peers: number): Promise<Grown> {
  const { ms, result } = await spent(() => crowd(peers));
  return { ms, end: () => result.host.close() };
}

async function crowd(peers: number): Promise<{ readonly host: Host; readonly heard: () => number }> {
  const host = createHost({ store: memoryStore(), limits: MUCH });
  await host.room(ROOM);
  let frames = 0;
  const socket = {
    send: (frame: string | Uint8Array): boolean => {
      if (String(frame).startsWith('{"type":"pack"')) frames++;
      return true;
    },
    close: (): void => undefined,
  };
  for (let i = 0; i < peers; i++) {
    host.connect(parseRoomId(ROOM)!, socket).receive('{"type":"hello"}');
    await until(() => frames > i);
  }
  return { host, heard: () => frames };
}

async function write(host: Host, room_id: string, value: number): Promise<void> {
  await host.submit({ room_id, command: { MapSet: { namespace: 'n', key: 'k', value } } });
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!holds()) {
    mustHold(performance.now() < end, 'not everything has come');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Processor time of what is done, in milliseconds. */
export async function spent<T>(action: () => Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const before = process.cpuUsage();
  const result = await action();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, result };
}
