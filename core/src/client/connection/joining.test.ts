import { beforeEach, describe, expect, it } from 'vitest';
import type { KeyPair } from '../../access/keys.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { nodesIn } from '../../codec/packs/pack.js';
import { type Host, createHost } from '../../engine.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import { connectRoom, createReplica, generateKeys, keepRoom } from '../../peer.js';
import type { Store } from '../../ports/store.js';
import { FrailNetwork } from '../../testing/frail-network.js';
import type { Frame } from '../../wire/frame.js';
import type { Replica } from '../replica/replica.js';
import type { ConnectOptions, RoomClient } from '../room-client.js';

let store: Store;
let host: Host;
let network: FrailNetwork;

beforeEach(() => {
  store = memoryStore();
  host = createHost({ store });
  network = new FrailNetwork(host);
});

type Options = Partial<Omit<ConnectOptions, 'socket' | 'crypto'>>;
const connect = (options: Options = {}): Promise<RoomClient> =>
  connectRoom({ socket: network.open(), keys: generateKeys(), ...options });
async function joinedOnce(keys: KeyPair): Promise<RoomClient> {
  const client = await connect({ keys });
  client.close();
  return client;
}
const ofType = (type: string, frames = network.sent): Frame[] =>
  frames.filter(({ frame }) => frame.type === type).map(({ frame }) => frame);
/** Nodes that servers have sent since a number of frames. */
const nodesSince = (from: number, over = network): number =>
  ofType('pack', over.received.slice(from)).reduce((sum, frame) => sum + nodesIn(frame['nodes'] as Uint8Array), 0);
async function write(count: number, into = host): Promise<void> {
  const room = await into.room('room');
  for (let i = 0; i < count; i++) await room.set(`k${room.seq}`, i);
}
/** A host on what the store has now. */
async function restorable(): Promise<Host> {
  const id = parseRoomId('room')!;
  const copy = { ...memoryStore(), authoritySeed: () => store.authoritySeed() };
  for await (const { seq, ...batch } of store.log.read(id, 0)) await copy.log.append(id, seq, batch);
  return createHost({ store: copy });
}
async function expectSame(replica: Replica, of = host): Promise<void> {
  const room = await of.room('room');
  expect([replica.frontier, replica.stateHash]).toEqual([room.heads.frontier, room.stateHash]);
}

describe('a hello', () => {
  it('[CL1] is text, and what follows a welcome is MessagePack, with nodes as bytes', async () => {
    const client = await connect();
    client.replica.set('k', 1);
    await client.push();
    expect(network.sent.map(({ frame, isBinary }) => [frame.type, isBinary])).toEqual([
      ['hello', false],
      ['pack', true],
    ]);
    expect(ofType('pack')[0]?.['nodes']).toBeInstanceOf(Uint8Array);
    expect((await host.room('room')).get('k')).toBe(1);
  });

  it('[CL1] is followed by text where MessagePack is not in force', async () => {
    const caps = { supports_binary: false };
    network.change = (frame) => (frame.type === 'welcome' ? { ...frame, caps } : frame);
    const client = await connect();
    client.replica.set('k', 1);
    await client.push();
    expect(network.sent.map(({ isBinary }) => isBinary)).toEqual([false, false]);
    expect((await host.room('room')).get('k')).toBe(1);
  });

  it('[CL2] names what is held: only what is lacked is sent', async () => {
    await write(300);
    const keys = generateKeys();
    const first = await connect({ keys });
    first.close();
    await write(3);
    for (let i = 0; i < 50; i++) first.replica.set('offline', i);
    const saved = await createReplica({ saved: first.replica.save(), keys });
    for (const replica of [first.replica, saved]) {
      const from = network.received.length;
      const again = await connect({ keys, replica });
      expect(nodesSince(from)).toBe(replica === saved ? 6 : 3);
      expect(again.replica).toBe(replica);
      again.close();
      await write(3);
    }
  });

  it('[CL2] names nothing of a new replica, which the server may not even hold', async () => {
    const { genesis } = await host.room('room');
    const keys = generateKeys();
    const replica = await createReplica({ genesis: genesis.pack, keys });
    replica.set('k', 1);
    const client = await connect({ keys, replica });
    expect(ofType('hello')).toMatchObject([{ frontier: replica.frontier, known: [] }]);
    await client.push();
    await expectSame(replica);
    expect(ofType('reconcile')).toEqual([]);
  });

  it('[CL2] is not followed by nodes whose answer alone was lost', async () => {
    const keys = generateKeys();
    const client = await connect({ keys });
    client.replica.set('k', 1);
    network.isHeld = true;
    const outcome = expect(client.push()).rejects.toMatchObject({ reason: 'disconnected' });
    await expect.poll(async () => (await host.room('room')).get('k')).toBe(1);
    network.cut();
    await outcome;
    network.isHeld = false;
    const again = await connect({ keys, replica: client.replica, autoPush: true });
    await again.push();
    expect(ofType('pack')).toHaveLength(1);
    expect(await client.replica.seal()).toBeUndefined();
  });

  it('[CL2] keeps apart what was written while it was under way', async () => {
    const keys = generateKeys();
    const { replica } = await joinedOnce(keys);
    const connecting = connect({ keys, replica });
    await expect.poll(() => ofType('hello')).toHaveLength(2);
    replica.set('late', 1);
    await (await connecting).push();
    expect((await host.room('room')).get('late')).toBe(1);
  });

  it('[CL3] is answered for good by a server that has another room', async () => {
    const keys = generateKeys();
    const { replica } = await joinedOnce(keys);
    network.host = createHost({ store: memoryStore() });
    await expect(connect({ keys, replica })).rejects.toMatchObject({ reason: 'genesis-mismatch' });
  });
});

describe('a server that has lost nodes', () => {
  it('[CL3] is sent those of this author again, and sends not much more than what it was not told of', async () => {
    await write(1000);
    const keys = generateKeys();
    const client = await connect({ keys });
    const before = await restorable();
    for (let i = 0; i < 5; i++) client.replica.set(`own${i}`, i);
    await client.push();
    client.close();
    client.replica.set('offline', 1);

    network.host = before;
    await write(2, before);
    const from = network.received.length;
    const again = await connect({ keys, replica: client.replica });
    expect(ofType('reconcile').at(-1)).toBeDefined();
    expect(nodesSince(from)).toBeLessThan(64);
    await again.push();
    await expectSame(client.replica, before);
    expect([...client.replica.entries('own')]).toHaveLength(5);
  });

  it('[CL3] refuses what stands on lost nodes of others: nobody here has their seals', async () => {
    await write(10);
    const before = await restorable();
    await write(1);
    const keys = generateKeys();
    const client = await connect({ keys });
    client.close();
    network.host = before;
    const again = await connect({ keys, replica: client.replica });
    client.replica.set('k', 1);
    await expect(again.push()).rejects.toMatchObject({ reason: 'push-refused', data: [{ reason: 'missing-parent' }] });
    expect(client.replica.get('k')).toBe(1);
  });
});

describe('a part of a room', () => {
  const partly = (keys: KeyPair, more: Options = {}): Promise<RoomClient> =>
    connect({ keys, subscribe: ['seen/**'], ...more });
  async function scatter(): Promise<void> {
    const room = await host.room('room');
    for (let i = 0; i < 40; i++) await room.set(i % 2 ? `seen/${i}` : `hidden/${i}`, i);
  }

  it('[CL2] [SB1] opened again asks for all that it may see: it may be more than before', async () => {
    await scatter();
    const keys = generateKeys();
    const client = await partly(keys);
    expect([client.replica.withheld > 0, [...client.replica.entries('hidden/')]]).toEqual([true, []]);
    client.close();
    const whole = await connect({ keys, replica: client.replica });
    expect([client.replica.withheld, [...client.replica.entries('hidden/')].length]).toEqual([0, 20]);
    await expectSame(whole.replica);
  });

  it('[CL2] [SB2] comes back as it was chosen, by a kept client', async () => {
    await scatter();
    const frail = new FrailNetwork(host);
    const retry = { firstMs: 0 };
    const client = keepRoom({ open: frail.open, keys: generateKeys(), network: frail, retry, subscribe: ['seen/**'] });
    await client.joined;
    const seen = client.replica.entries('seen/');
    expect([...seen]).toHaveLength(20);
    const room = await host.room('room');
    const nodes = (): number => nodesSince(0, frail);
    const before = nodes();
    frail.cut();
    await room.set('hidden/x', 1);
    await room.set('seen/x', 1);
    await expect.poll(() => client.replica.get('seen/x')).toBe(1);
    expect(nodes() - before).toBeLessThan(10);
    frail.cut();
    await client.subscribe(['hidden/**']);
    await expect.poll(() => [...client.replica.entries('hidden/')]).toHaveLength(21);
    await client.subscribe();
    await expect.poll(() => client.replica.withheld).toBe(0);
    await expectSame(client.replica);
    client.close();
  });
});
