import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { nodesIn } from '../../codec/packs/pack.js';
import { type Host, createHost } from '../../engine.js';
import { createReplica, generateKeys, keepRoom } from '../../peer.js';
import type { RefusedNode } from '../../room/admission/judgement.js';
import { FrailNetwork } from '../../testing/frail-network.js';
import type { RoomClient } from '../room-client.js';

let host: Host;
let network: FrailNetwork;

beforeEach(() => {
  host = createHost({ store: memoryStore(), onFault: () => undefined });
  network = new FrailNetwork(host);
});

async function joined(): Promise<RoomClient> {
  const client = keepRoom({ open: network.open, keys: generateKeys(), network });
  await client.joined;
  return client;
}
const sizes = (): number[] =>
  network.sent.filter(({ frame }) => frame.type === 'pack').map(({ frame }) => nodesIn(frame['nodes'] as Uint8Array));
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
async function expectSame({ replica }: RoomClient): Promise<void> {
  const room = await host.room('room');
  expect([replica.frontier, replica.stateHash]).toEqual([room.heads.frontier, room.stateHash]);
}

describe('what is typed', () => {
  it('[CL4] goes out at once, until 16 messages are unanswered: then it waits, and goes together', async () => {
    const client = await joined();
    network.isHeld = true;
    for (let i = 0; i < 40; i++) {
      client.replica.set('k', i);
      await expect.poll(() => sizes().length, { interval: 1 }).toBe(Math.min(i + 1, 16));
    }
    expect(sizes()).toEqual(Array(16).fill(1));
    network.isHeld = false;
    network.cut();
    network.comeOnline();
    await client.push();
    expect(sizes().slice(16)).toEqual([40]); // nobody knows what of it has arrived
    await expectSame(client);
  });

  it('[CL4] is durable when a push resolves, whatever is typed meanwhile', async () => {
    const client = await joined();
    const room = await host.room('room');
    for (let i = 0; i < 30; i++) {
      client.replica.set('k', i);
      const pushed = client.push();
      client.replica.set('k', -1);
      client.replica.set('later', i);
      await pushed;
      expect([i, -1]).toContain(room.get('k'));
      expect(room.nodes.lacks(client.replica.frontier).length).toBeLessThan(2);
    }
    await client.push();
    await expectSame(client);
  });

  it('[CL4] offline goes out in messages of at most 1,024 nodes, and about a mebibyte', async () => {
    const { genesis } = await host.room('room');
    const keys = generateKeys();
    const replica = await createReplica({ genesis: genesis.pack, keys });
    for (let i = 0; i < 5000; i++) replica.set('k', i);
    for (let i = 0; i < 5; i++) replica.set('long', 'x'.repeat(400_000));
    const client = keepRoom({ open: network.open, keys, network, replica });
    await client.push();
    expect(sizes()).toEqual([1024, 1024, 1024, 1024, 904 + 2, 2, 1]);
    await expectSame(client);
  });
});

describe('nodes that the server refuses', () => {
  it('[CL4] [RE3] are given up and told of, and what was written meanwhile is sent anew', async () => {
    const client = await joined();
    const told: RefusedNode[] = [];
    let changes = 0;
    client.onRefused((nodes) => told.push(...nodes));
    client.onChange(() => changes++);
    client.replica.set('before', 1);
    await turn();
    client.replica.set('_topology/x', 1);
    await Promise.resolve();
    for (let i = 0; i < 50; i++) {
      client.replica.set(`k${i}`, i);
      if (i % 3 === 0) await Promise.resolve();
    }
    await expect(client.push()).rejects.toMatchObject({
      reason: 'push-refused',
      data: [{ reason: 'foreign-system-key' }],
    });
    await client.push();
    await expectSame(client);
    expect(told.map(({ reason }) => reason)).toEqual(['foreign-system-key']);
    expect([client.replica.get('_topology/x'), [...client.replica.entries('k')].length, changes]).toEqual([
      undefined,
      50,
      1,
    ]);
  });

  it('[CL4] are the matter of those pushes that were waiting for them', async () => {
    const client = await joined();
    client.replica.set('fine', 1);
    const fine = client.push();
    await turn();
    client.replica.set('_topology/x', 1);
    const refused = expect(client.push()).rejects.toMatchObject({ reason: 'push-refused' });
    await Promise.all([fine, refused]);
    client.replica.set('again', 1);
    await client.push();
    await expectSame(client);
  });
});
