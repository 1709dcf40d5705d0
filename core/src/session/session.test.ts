import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64, toBase64 } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { type Host, createHost } from '../engine.js';
import { parseRoomId } from '../codec/bytes/room-id.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Store } from '../ports/store.js';
import { altered } from '../testing/altered.js';
import { testPeer } from '../testing/test-peer.js';

const write = (host: Host, key: string, value: unknown = 1): Promise<unknown> =>
  host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key, value } } });

/** A store whose next append waits for `release` after it is durable. */
function heldStore(): { store: Store; hold(): Promise<void>; release(): void } {
  const store = memoryStore();
  let gate: Promise<void> | undefined;
  let open: (() => void) | undefined;
  let reached: (() => void) | undefined;
  const log = altered(store.log, {
    async append(room, head, batch) {
      const result = await store.log.append(room, head, batch);
      reached?.();
      await gate;
      return result;
    },
  });
  return {
    store: { ...store, log },
    hold() {
      gate = new Promise((resolve) => (open = resolve));
      return new Promise((resolve) => (reached = resolve));
    },
    release() {
      gate = undefined;
      open?.();
    },
  };
}

/** A store of which every append fails. */
function brokenStore(fault: Error): Store {
  const store = memoryStore();
  return { ...store, log: altered(store.log, { append: () => Promise.reject(fault) }) };
}

const signer = defaultCrypto.signer(new Uint8Array(32).fill(7));
const verifySomething = (): Promise<boolean> =>
  defaultCrypto.verify(signer.publicKey, new Uint8Array(), new Uint8Array(64));

/** A pack that sets one key, by a new author. */
async function packFor(welcome: Readonly<Record<string, unknown>>, key = 'k', keys = generateKeys()): Promise<string> {
  const replica = await createReplica({ genesis: fromBase64(String(welcome['genesis'])), keys });
  replica.set(key, 1);
  return toBase64((await replica.seal()) ?? new Uint8Array());
}

describe('joining', () => {
  it('[HS5] misses no node that becomes durable at any moment of the hello', async () => {
    const missed: number[] = [];
    for (let turns = 0; turns < 40; turns++) {
      const held = heldStore();
      const host = createHost({ store: held.store });
      await write(host, 'before');
      const reached = held.hold();
      const writing = write(host, 'meanwhile');
      await reached;
      const peer = testPeer(host, 'room');
      peer.send({ type: 'hello' });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      held.release();
      await writing;
      await write(host, 'after');

      const replica = await createReplica({
        genesis: fromBase64(String((await peer.next())['genesis'])),
        keys: generateKeys(),
      });
      while (replica.get('n/after') === undefined) {
        const { refused } = await replica.receive(fromBase64(String((await peer.nextOf('pack'))['nodes'])));
        if (refused.length > 0) break;
      }
      if (replica.get('n/meanwhile') === undefined) missed.push(turns);
      peer.leave();
    }
    expect(missed).toEqual([]);
  });

  it('[GN3] writes nothing', async () => {
    const store = memoryStore();
    const host = createHost({ store });
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    while ((await peer.nextOf('pack'))['final'] !== true);
    peer.leave();
    await host.close();
    for await (const room of store.log.rooms()) expect(room).toBeUndefined();
  });

  it('[HS6] and leaving are told to those who are there, and nobody who left hears more', async () => {
    const host = createHost({ store: memoryStore() });
    const [one, two] = [testPeer(host, 'room'), testPeer(host, 'room')];
    one.send({ type: 'hello' });
    await one.nextOf('pack');
    two.send({ type: 'hello', peer_id: 'second', peer_type: 'bot' });
    const joined = await one.next();
    expect(joined).toMatchObject({ type: 'peer-joined', peer_id: 'second', peer_type: 'bot', proven: false });
    two.leave();
    expect(await one.next()).toEqual({ ...joined, type: 'peer-left' });
    one.leave();
    const third = testPeer(host, 'room');
    third.send({ type: 'hello' });
    expect((await third.next())['peers']).toEqual([]);
  });

  it('[HS6] a connection that never said hello is not announced when it goes', async () => {
    const host = createHost({ store: memoryStore() });
    const [one, two] = [testPeer(host, 'room'), testPeer(host, 'room')];
    one.send({ type: 'hello' });
    await one.nextOf('pack');
    two.leave();
    await write(host, 'k');
    expect((await one.next()).type).toBe('pack');
  });
});

describe('a connection', () => {
  it('[PK7] gets no ack and relays nothing before the nodes are durable', async () => {
    const held = heldStore();
    const host = createHost({ store: held.store });
    const [sender, other] = [testPeer(host, 'room'), testPeer(host, 'room')];
    const events: string[] = [];
    sender.send({ type: 'hello' });
    const welcome = await sender.next();
    await sender.nextOf('pack');
    other.send({ type: 'hello' });
    await other.nextOf('pack');
    await sender.nextOf('peer-joined');
    const reached = held.hold();
    sender.send({ type: 'pack', nodes: await packFor(welcome) });
    const acked = sender.next().then(({ type }) => events.push(type));
    const relayed = other.next().then(({ type }) => events.push(type));
    await reached;
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    expect(events).toEqual([]);
    held.release();
    await Promise.all([acked, relayed]);
    expect(events.sort()).toEqual(['pack', 'pack-ack']);
  });

  it('[ER3] whose frame meets a bug is closed with 1011 and no detail; the operator is told all of it', async () => {
    const fault = new Error('sector 17 is gone');
    const faults: unknown[] = [];
    const host = createHost({ store: brokenStore(fault), onFault: (error) => faults.push(error) });
    const [peer, other] = [testPeer(host, 'room'), testPeer(host, 'room')];
    for (const each of [peer, other]) {
      each.send({ type: 'hello' });
      await each.nextOf('pack');
    }
    const late = testPeer(host, 'room');
    late.send({ type: 'hello' });
    peer.send({ type: 'pack', nodes: await packFor(await late.next()) });
    expect(await peer.closed).toEqual({ code: 1011, reason: 'internal error' });
    expect(faults).toEqual([fault]);
    expect((await other.nextOf('peer-left')).type).toBe('peer-left');
  });

  it('[ST3] is answered in the order in which it asked', async () => {
    const host = createHost({ store: memoryStore() });
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    const welcome = await peer.next();
    await peer.nextOf('pack');
    const packs = await Promise.all(['a', 'b'].map((key) => packFor(welcome, key)));
    peer.send({ type: 'pack', nodes: packs[0], req_id: 1 });
    peer.send({ type: 'unknown', req_id: 2 });
    peer.send({ type: 'pack', nodes: packs[1], req_id: 3 });
    expect([await peer.next(), await peer.next(), await peer.next()].map((frame) => frame['req_id'])).toEqual([
      1, 2, 3,
    ]);
  });

  it('[ST3] that is gone may still have its last pack stored, without harm to anyone', async () => {
    const held = heldStore();
    const faults: unknown[] = [];
    const host = createHost({ store: held.store, onFault: (error) => faults.push(error) });
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    const welcome = await peer.next();
    const reached = held.hold();
    peer.send({ type: 'pack', nodes: await packFor(welcome) });
    await reached;
    peer.leave();
    held.release();
    const room = await host.room('room');
    await room.settled();
    expect([room.get('k'), faults]).toEqual([1, []]);
  });

  it('[LM3] whose socket is full when a batch comes keeps none of it from the others', async () => {
    const faults: unknown[] = [];
    const held = heldStore();
    const host = createHost({
      store: held.store,
      onFault: (error) => faults.push(error),
    });
    const [slow, quick] = [testPeer(host, 'room'), testPeer(host, 'room')];
    slow.send({ type: 'hello' });
    const welcome = await slow.next();
    await slow.nextOf('pack');
    quick.send({ type: 'hello' });
    await quick.nextOf('pack');
    await slow.nextOf('peer-joined');
    slow.pause();
    await write(host, 'fills the socket');
    await quick.nextOf('pack');
    const room = await host.room('room');
    const packs = await Promise.all(['a', 'b', 'c'].map((key) => packFor(welcome, key)));
    const reached = held.hold();
    const first = room.admit(fromBase64(packs[0] ?? ''), { from: 'peer 0' });
    await reached;
    const rest = packs.slice(1).map((pack) => room.admit(fromBase64(pack), { from: 'peer' }));
    // Their seals are being checked; so many checks after them are done later.
    for (let check = 0; check < 50; check++) await verifySomething();
    held.release();
    await Promise.all([first, ...rest]);
    expect(faults).toEqual([]);
    for (let part = 0; part < 3; part++) expect((await quick.nextOf('pack'))['from']).toMatch(/^peer/);
    slow.resume();
    await slow.nextOf('pack'); // what filled the socket
    expect(decodePack(fromBase64(String((await slow.nextOf('pack'))['nodes']))).nodes.length).toBeGreaterThan(1);
  });

  it('[PK8] that lags is told by whom a pack is, where it is by one', async () => {
    const host = createHost({ store: memoryStore() });
    const [slow, quick] = [testPeer(host, 'room'), testPeer(host, 'room')];
    slow.send({ type: 'hello' });
    const welcome = await slow.next();
    await slow.nextOf('pack');
    quick.send({ type: 'hello' });
    await quick.nextOf('pack');
    const [ann, bob] = [generateKeys(), generateKeys()];
    for (const authors of [[ann], [ann, bob]]) {
      slow.pause();
      await write(host, `fills the socket ${authors.length}`);
      for (const keys of authors) {
        quick.send({ type: 'pack', nodes: await packFor(welcome, `by ${authors.length}`, keys) });
        await quick.nextOf('pack-ack');
      }
      slow.resume();
      expect((await slow.nextOf('pack'))['from']).toBe('server');
      expect((await slow.nextOf('pack'))['from']).toBe(authors.length === 1 ? ann.publicKey : 'server');
    }
  });

  it('[PK8] whose socket throws does not keep a pack from the others', async () => {
    const host = createHost({ store: memoryStore(), onFault: () => undefined });
    const roomId = parseRoomId('room');
    if (!roomId) throw new Error('not a room id');
    const caughtUp = new Promise<void>((resolve) => {
      const broken = host.connect(roomId, {
        send(frame) {
          const text = String(frame);
          if (text.includes('"final":true')) resolve();
          else if (text.startsWith('{"type":"pack"')) throw new Error('the socket is gone');
          return true;
        },
        close: () => undefined,
      });
      broken.receive(JSON.stringify({ type: 'hello' }));
    });
    await caughtUp;
    const peer = testPeer(host, 'room');
    peer.send({ type: 'hello' });
    await peer.nextOf('pack');
    await write(host, 'k');
    expect((await peer.nextOf('pack'))['from']).toBe('server');
  });
});
