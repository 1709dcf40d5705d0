import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, createHost } from '../engine.js';
import { createReplica, createUndo, generateKeys, keepRoom, type KeyPair, type RoomClient } from '../client.js';
import { ownSince } from './direct/own-nodes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { FrailNetwork } from '../testing/frail-network.js';

let host: Host;
let network: FrailNetwork;
const clients: RoomClient[] = [];
beforeEach(() => {
  host = createHost({ store: memoryStore() });
  network = new FrailNetwork(host);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await host.close();
});

async function join(followsPruning: boolean, keys: KeyPair = generateKeys()): Promise<RoomClient> {
  const client = keepRoom({ open: network.open, network, keys, retry: { firstMs: 1, mostMs: 5 }, followsPruning });
  clients.push(client);
  await client.joined;
  return client;
}

/** Nodes of which a newcomer is sent the headers alone. */
async function givenUp(): Promise<number> {
  const { replica } = await join(false);
  return replica.withheld;
}

async function write(client: RoomClient, key: string, ...values: unknown[]): Promise<void> {
  for (const value of values) {
    client.replica.set(key, value);
    await client.push();
  }
}

const prune = (before?: number) =>
  host.submit({ room_id: 'room', command: { PruneHistory: before === undefined ? {} : { before } } });
const stateHash = () => host.withRoom('room', async (room) => room.stateHash);

describe('[PN6] a copy of a room that has given up what was overwritten', () => {
  it('gives up the same where it follows the room, there and on the disk, and keeps it otherwise', async () => {
    const [follower, keeper] = [await join(true), await join(false)];
    const long = (): string => randomBytes(2000).toString('base64');
    await write(follower, 'k', long(), long(), 'z');
    follower.replica.text('t').insert(0, 'stays');
    await follower.push();
    await expect.poll(() => keeper.replica.get('k')).toBe('z');
    const before = follower.replica.save().length;
    await prune();

    await expect.poll(() => follower.replica.withheld).toBe(2);
    expect(await givenUp()).toBe(2);
    expect([follower.replica.get('k'), `${follower.replica.text('t')}`]).toEqual(['z', 'stays']);
    expect(follower.replica.stateHash).toBe(await stateHash());
    await expect.poll(() => keeper.replica.stateHash).toBe(follower.replica.stateHash);
    expect(keeper.replica.withheld).toBe(0);

    const saved = follower.replica.save();
    expect(before - saved.length).toBeGreaterThan(3500);
    const reopened = await createReplica({ saved, keys: generateKeys() });
    expect([reopened.withheld, reopened.get('k'), reopened.stateHash]).toEqual([2, 'z', await stateHash()]);
  });

  it('goes on writing and is written to', async () => {
    const [one, other] = [await join(true), await join(true)];
    await write(one, 'k', 1, 2, 3);
    await prune();
    await expect.poll(() => [one.replica.withheld, other.replica.withheld]).toEqual([2, 2]);
    await write(one, 'k', 4);
    await write(other, 'other', 1);
    await expect.poll(() => [one.replica.get('other'), other.replica.get('k')]).toEqual([1, 4]);
    await prune();
    await expect.poll(() => [one.replica.withheld, other.replica.withheld]).toEqual([3, 3]);
    expect([one.replica.stateHash, other.replica.stateHash]).toEqual([await stateHash(), await stateHash()]);
  });

  it('hears of it when it comes again, and gives up what it was away for', async () => {
    const client = await join(true);
    await write(client, 'k', 1, 2, 3);
    const saved = client.replica.save();
    client.close();
    await prune();
    const replica = await createReplica({ saved, keys: generateKeys(), followsPruning: true });
    expect(replica.withheld).toBe(0);
    const again = keepRoom({ open: network.open, network, keys: generateKeys(), replica });
    clients.push(again);
    await again.joined;
    await expect.poll(() => replica.withheld).toBe(2);
    expect(replica.get('k')).toBe(3);
  });

  it('keeps what was beaten by a write that no server has taken: it is shown again when that is refused', async () => {
    const keys = generateKeys();
    const client = await join(true, keys);
    await write(client, 'mine', 1, 2);
    await write(client, 'k', 'old', 'held');
    network.goOffline();
    network.cut();
    client.replica.set('k', 'refused');
    const rules = [{ path_glob: 'k', can_write: [] }];
    await host.submit({ room_id: 'room', command: { SetPolicy: { default: 'allow', rules } } });
    await prune();
    network.comeOnline();
    await expect.poll(() => client.replica.get('k')).toBe('held');
    // The newest of `mine` and of `k`, and what the refused write had beaten: `old` goes with the next pruning.
    expect(client.replica.withheld).toBe(1);
    await prune();
    await expect.poll(() => client.replica.withheld).toBe(2);
    expect([client.replica.get('k'), client.replica.get('mine')]).toEqual(['held', 2]);
  });

  it('takes back what was written before it', async () => {
    const client = await join(true);
    const undo = createUndo(client.replica, { keys: ['k'], mergeMs: 0 });
    await write(client, 'k', 1, 2, 3);
    await prune();
    await expect.poll(() => client.replica.withheld).toBe(2);
    undo.undo();
    undo.undo();
    expect(client.replica.get('k')).toBe(1);
    await client.push();
    expect(await host.withRoom('room', async (room) => room.get('k'))).toBe(1);
  });

  it('tells another page what it has written itself, where there is no server, up to what it has given up', async () => {
    const client = await join(true);
    await write(client, 'other', 1);
    await write(client, 'k', 1, 2, 3);
    const { exchange } = client.replica;
    const namesAfter = async (tip?: string) => (await ownSince(exchange, tip, 100))?.tip;
    const newest = await namesAfter();
    expect(newest).toBe(client.replica.why('k')?.node);
    await prune();
    await expect.poll(() => client.replica.withheld).toBe(2);
    expect(await namesAfter()).toBe(client.replica.why('other')?.node);
    expect(await namesAfter(client.replica.why('other')?.node)).toBeUndefined();
    client.replica.set('k', 4);
    expect(await namesAfter(newest)).toBe(client.replica.why('k')?.node);
  });

  it('is sent no more than what is new when it comes again with what it was shown, and all of it otherwise', async () => {
    const first = await join(false);
    await write(first, 'k', 1, 2, 3);
    await prune();
    const client = await join(false);
    expect(client.replica.withheld).toBe(2);
    const { seen } = client;
    const saved = client.replica.save();
    await write(first, 'k', 4);

    const sentTo = async (shown: string | undefined): Promise<readonly unknown[]> => {
      const keys = generateKeys();
      const replica = await createReplica({ saved, keys });
      network.received.length = 0;
      const again = keepRoom({ open: network.open, network, keys, replica, seen: shown });
      clients.push(again);
      await again.joined;
      expect([replica.get('k'), replica.withheld]).toEqual([4, 2]);
      const packs = network.received.filter(({ frame }) => frame.type === 'pack');
      return packs.flatMap(({ frame }) => decodePack(frame['nodes'] as Uint8Array).nodes);
    };
    expect(await sentTo(seen)).toHaveLength(1);
    expect((await sentTo(undefined)).length).toBeGreaterThan(4);
    expect((await sentTo('["docs/**"]')).length).toBeGreaterThan(4);
  });

  it('[HS11] is sent no more than what is new also with a text as token, as long as that shows the same', async () => {
    await host.close();
    host = createHost({
      store: memoryStore(),
      entry: {
        authenticate: (_, { token }) => ({ grant: { caps: ['write:**', ...String(token).split(' ').slice(1)] } }),
      },
    });
    network = new FrailNetwork(host);
    const keys = generateKeys();
    const stay = async (token: string, more: { saved?: Uint8Array; seen?: string | undefined } = {}) => {
      const replica = more.saved && (await createReplica({ saved: more.saved, keys }));
      network.received.length = 0;
      const client = keepRoom({ open: network.open, network, keys, token, replica, seen: more.seen });
      clients.push(client);
      await client.joined;
      const packs = network.received.filter(({ frame }) => frame.type === 'pack');
      return { client, sent: packs.flatMap(({ frame }) => decodePack(frame['nodes'] as Uint8Array).nodes) };
    };
    const writer = await stay('first read:**');
    await write(writer.client, 'hidden/k', 'h');
    await write(writer.client, 'shown/k', 1, 2, 3);
    const { client } = await stay('second read:shown/**');
    expect([client.replica.get('hidden/k'), client.replica.withheld]).toEqual([undefined, 1]);
    const { seen } = client;
    const saved = client.replica.save();
    client.close();
    await write(writer.client, 'shown/k', 4);

    const again = await stay('third read:shown/**', { saved, seen });
    expect([again.sent.length, again.client.replica.get('shown/k')]).toEqual([1, 4]);
    expect(again.client.seen).toBe(seen);
    again.client.close();
    const wider = await stay('fourth read:**', { saved, seen });
    expect(wider.sent.length).toBeGreaterThan(4);
    expect([wider.client.replica.get('hidden/k'), wider.client.replica.get('shown/k')]).toEqual(['h', 4]);
    expect(wider.client.seen).not.toBe(seen);
    wider.client.close();
    const unsaid = await stay('fifth read:shown/**', { saved });
    expect(unsaid.sent.length).toBeGreaterThan(4);
    // What a client has said of itself is no name of a server's.
    const other = await stay('sixth read:shown/**', { saved, seen: '[null,["read:shown/**"]]' });
    expect(other.sent.length).toBeGreaterThan(4);
  });

  describe('up to an earlier position', () => {
    /** A page that has given up the nodes of 1, 2 and 3, of which the room has those of 2 and 3 still. */
    async function further(): Promise<RoomClient> {
      const client = await join(true);
      await write(client, 'k', 1, 2, 3, 4);
      await prune(3);
      await expect.poll(() => client.replica.withheld).toBe(3);
      expect(await givenUp()).toBe(1);
      return client;
    }
    const comeAgain = async (saved: Uint8Array, seen?: string, followsPruning = true): Promise<RoomClient> => {
      const keys = generateKeys();
      const replica = await createReplica({ saved, keys, followsPruning });
      const again = keepRoom({ open: network.open, network, keys, replica, seen });
      clients.push(again);
      await again.joined;
      return again;
    };
    const whatRoomSays = () =>
      host.withRoom('room', async (room) => [room.stateHash, (await room.asOf(4)).get('k'), room.get('k')]);

    it('is agreed with by who has given up more, who writes on and comes again with what it was shown', async () => {
      const client = await further();
      expect(await whatRoomSays()).toEqual([client.replica.stateHash, 3, 4]);
      const { seen } = client;
      const saved = client.replica.save();
      client.close();
      const again = await comeAgain(saved, seen);
      await write(again, 'k', 5);
      const newcomer = await join(false);
      expect([again.replica.withheld, newcomer.replica.withheld]).toEqual([3, 1]);
      expect([newcomer.replica.get('k'), newcomer.replica.stateHash]).toEqual([5, again.replica.stateHash]);
      await prune();
      await expect.poll(() => again.replica.withheld).toBe(4);
      expect(await givenUp()).toBe(4);
      expect(again.replica.stateHash).toBe(await stateHash());
    });

    it('sends what the other lacks to who does not say what it was shown, and that goes with the next pruning', async () => {
      const client = await further();
      const saved = client.replica.save();
      client.close();
      const keeper = await comeAgain(saved, undefined, false);
      expect([keeper.replica.withheld, keeper.replica.get('k')]).toEqual([1, 4]);
      const follower = await comeAgain(saved);
      await expect.poll(() => follower.replica.withheld).toBe(3);
      await write(keeper, 'k', 5);
      await prune();
      await expect.poll(() => [follower.replica.withheld, follower.replica.get('k')]).toEqual([4, 5]);
      expect(follower.replica.stateHash).toBe(await stateHash());
      await expect.poll(() => keeper.replica.stateHash).toBe(follower.replica.stateHash);
    });

    it('and further later: who was away for both gives up as much as the room by then', async () => {
      const client = await join(true);
      await write(client, 'k', 1, 2, 3, 4);
      const saved = client.replica.save();
      client.close();
      await prune(3);
      await prune();
      const again = await comeAgain(saved);
      await expect.poll(() => again.replica.withheld).toBe(3);
      expect(await givenUp()).toBe(3);
      expect([again.replica.get('k'), again.replica.stateHash]).toEqual([4, await stateHash()]);
    });
  });

  it('tells nobody of a change, since none is shown', async () => {
    const client = await join(true);
    await write(client, 'k', 1, 2, 3);
    const heard: unknown[] = [];
    client.replica.observe({ prefix: '' }, (event) => heard.push(event));
    await prune();
    await expect.poll(() => client.replica.withheld).toBe(2);
    expect(heard).toEqual([]);
  });
});
