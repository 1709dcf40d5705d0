/** What is on its way when a client ends changes nothing any more. */
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, createHost } from '../engine.js';
import { createReplica, generateKeys, keepRoom } from '../peer.js';
import { altered } from '../testing/altered.js';
import { FrailNetwork } from '../testing/frail-network.js';
import { quiet } from '../testing/guests.js';
import type { KeepOptions, RoomClient } from './room-client.js';

let host: Host;
let network: FrailNetwork;

beforeEach(() => {
  host = createHost({ store: memoryStore() });
  network = new FrailNetwork(host);
});

const keep = (options: Partial<KeepOptions> = {}): RoomClient =>
  keepRoom({ open: network.open, keys: generateKeys(), network, ...options });

async function joined(options?: Partial<KeepOptions>): Promise<RoomClient> {
  const client = keep(options);
  await client.joined;
  return client;
}

async function replicaWithKeys() {
  const keys = generateKeys();
  const { genesis } = await host.room('room');
  return { keys, replica: await createReplica({ genesis: genesis.pack, keys }) };
}

const areOnTheirWay = (frames: number): Promise<void> =>
  expect.poll(() => network.onTheirWay, { interval: 1 }).toBe(frames);

/** What came is being merged, or opened. */
async function begun(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

describe('what is on its way when a client ends', () => {
  it('[CL8] is not merged', async () => {
    const client = await joined();
    const room = await host.room('room');
    network.isHeld = true;
    for (const key of ['a', 'b', 'c']) await room.set(key, 1);
    await areOnTheirWay(3);
    network.release();
    client.close();
    await quiet(20);
    expect(['a', 'b', 'c'].map((key) => client.replica.get(key))).toEqual([undefined, undefined, undefined]);
  });

  it('[CL8] opens no replica', async () => {
    network.isHeld = true;
    const client = keep();
    await areOnTheirWay(2);
    network.release();
    await begun();
    client.close();
    await quiet(20);
    expect(() => client.replica).toThrow('not joined');
    await expect(client.push()).rejects.toThrow('not joined');
  });

  it('[CL8] does not bring it into the room', async () => {
    const own = await replicaWithKeys();
    await (await host.room('room')).set('k', 1);
    network.isHeld = true;
    const client = keep(own);
    await areOnTheirWay(2);
    network.release();
    await begun();
    client.close();
    await expect.poll(() => client.replica.get('k')).toBe(1); // that was being merged
    await quiet();
    expect(client.state).toBe('ended');
  });

  it('[CL8] is no answer any more: what was refused is offered again', async () => {
    const client = await joined();
    const told: unknown[] = [];
    client.onRefused((nodes) => told.push(nodes));
    network.isHeld = true;
    client.replica.set('_topology/x', 1);
    await areOnTheirWay(1);
    network.release();
    client.close();
    await quiet();
    expect([told, client.replica.get('_topology/x'), client.replica.exchange.unconfirmed]).toEqual([[], 1, 1]);
  });

  it('[CL8] is not told of', async () => {
    const [client, other] = [await joined(), await joined()];
    let told = 0;
    client.onPresence(() => told++);
    client.onNotice(() => told++);
    network.isHeld = true;
    other.present('here');
    other.send({ type: 'webrtc-offer', to: 'everybody', sdp: 'x' });
    await areOnTheirWay(2);
    client.close();
    network.release();
    await quiet();
    expect([told, client.presence.size]).toEqual([0, 0]);
  });
});

it('[CL8] a client that has ended does not listen to its replica', async () => {
  const { keys, replica } = await replicaWithKeys();
  let listeners = 0;
  const onWrite: typeof replica.exchange.onWrite = (listener) => {
    const stop = replica.exchange.onWrite(listener);
    listeners++;
    return () => {
      listeners--;
      stop();
    };
  };
  const exchange = altered(replica.exchange, { onWrite });
  const client = await joined({ keys, replica: altered(replica, { exchange }) });
  expect(listeners).toBe(1);
  client.close();
  expect(listeners).toBe(0);
});
