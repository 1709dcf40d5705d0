import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, createHost } from '../engine.js';
import { connectRoom, generateKeys } from '../peer.js';
import type { Store } from '../ports/store.js';
import { altered } from '../testing/altered.js';
import { inProcessSocket } from '../testing/in-process-socket.js';
import { testPeer } from '../testing/test-peer.js';
import { type Encoded, parseFrame } from '../wire/frame.js';
import type { WebSocketLike } from './connection/web-socket.js';
import type { RoomClient } from './room-client.js';

const newHost = (store: Store = memoryStore()): Host => createHost({ store, onFault: () => undefined });
const connect = (host: Host, room = 'room'): Promise<RoomClient> =>
  connectRoom({ socket: inProcessSocket(host, room), keys: generateKeys() });
const changed = (client: RoomClient, key: string): Promise<unknown> =>
  new Promise((resolve) => {
    const stop = client.onChange(() => {
      const value = client.replica.get(key);
      if (value === undefined) return;
      stop();
      resolve(value);
    });
  });

describe('a room client', () => {
  it('[HS5] is connected once the room’s history is merged', async () => {
    const host = newHost();
    for (let i = 0; i < 20; i++)
      await host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key: `${i}`, value: i } } });
    const client = await connect(host);
    expect([...client.replica.entries('n/')]).toHaveLength(20);
    expect(client.replica.frontier).toEqual((await host.room('room')).heads.frontier);
  });

  it('[PK8] pushes what was written, durably, and the others are told', async () => {
    const host = newHost();
    const [one, other] = [await connect(host), await connect(host)];
    const heard = changed(other, 'k');
    one.replica.set('k', 'v');
    expect((await host.room('room')).get('k')).toBeUndefined();
    await one.push();
    expect((await host.room('room')).get('k')).toBe('v');
    expect(await heard).toBe('v');
    await one.push(); // nothing is left to push
    expect((await host.room('room')).seq).toBe(2);
  });

  it('[PK8] follows what the host itself writes, until it stops listening', async () => {
    const host = newHost();
    const client = await connect(host);
    const heard = changed(client, 'n/k');
    let calls = 0;
    const stop = client.onChange(() => calls++);
    await host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key: 'k', value: 1 } } });
    expect([await heard, calls]).toEqual([1, 1]);
    stop();
    const again = changed(client, 'n/l');
    await host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key: 'l', value: 1 } } });
    await again;
    expect(calls).toBe(1);
  });

  it('[PK6] rejects a push of which nodes were refused, and says which and why', async () => {
    const client = await connect(newHost());
    client.replica.set('_topology/x', 1);
    await expect(client.push()).rejects.toMatchObject({
      name: 'Rejection',
      reason: 'push-refused',
      data: [{ id: expect.stringMatching(/^[0-9a-f]{64}$/), reason: 'foreign-system-key' }],
    });
  });

  it('[RE3] pushes what is left of what was refused, and tells that values have changed', async () => {
    const host = newHost();
    const client = await connect(host);
    let calls = 0;
    client.onChange(() => calls++);
    client.replica.set('before', 1);
    client.replica.set('_topology/x', 1);
    client.replica.set('after', 1);
    await expect(client.push()).rejects.toMatchObject({ data: [{ reason: 'foreign-system-key' }] });
    const room = await host.room('room');
    expect([room.get('before'), room.get('after'), room.heads.frontier]).toEqual([1, 1, client.replica.frontier]);
    expect([client.replica.get('_topology/x'), calls]).toEqual([undefined, 1]);
    await client.push();
  });

  it('[ST3] keeps the order of pushes that overlap', async () => {
    const host = newHost();
    const client = await connect(host);
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 3000; i++) client.replica.set('many', i);
      const first = client.push();
      client.replica.set('one', round);
      const second = client.push();
      expect(await Promise.allSettled([first, second])).toEqual([
        { status: 'fulfilled', value: undefined },
        { status: 'fulfilled', value: undefined },
      ]);
    }
    expect((await host.room('room')).get('one')).toBe(4);
  });

  it.each(['~own'])('[HS1] is refused by the room %s with the server’s reason', async (room) => {
    await expect(connect(newHost(), room)).rejects.toMatchObject({ name: 'Rejection', reason: 'room-reserved' });
  });

  it('[HS6] is known by the names it chose', async () => {
    const host = newHost();
    const watcher = testPeer(host, 'room');
    watcher.send({ type: 'hello' });
    await watcher.nextOf('pack');
    const keys = generateKeys();
    const client = await connectRoom({ socket: inProcessSocket(host, 'room'), keys, peerId: 'me', peerType: 'bot' });
    expect(await watcher.next()).toMatchObject({
      type: 'peer-joined',
      pubkey: keys.publicKey,
      peer_id: 'me',
      peer_type: 'bot',
    });
    client.close();
    expect((await watcher.next()).type).toBe('peer-left');
  });
});

describe('a gap', () => {
  it('[RE1] in what the server relays is never passed over in silence: the client recovers or says so', async () => {
    const host = newHost();
    const socket = inProcessSocket(host, 'room');
    let lost = 0;
    const lossy: WebSocketLike = {
      send: (data) => socket.send(data),
      close: (code, reason) => socket.close(code, reason),
      addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: never) => void) {
        if (type !== 'message') return Reflect.apply(socket.addEventListener, socket, [type, listener]);
        socket.addEventListener('message', (event) => {
          const frame = parseFrame(event.data as Encoded);
          const isRelayed = frame?.type === 'pack' && frame['final'] === undefined;
          if (!isRelayed || lost++ > 0) Reflect.apply(listener, undefined, [event]);
        });
      },
    };
    const client = await connectRoom({ socket: lossy, keys: generateKeys() });
    for (const key of ['lost', 'later'])
      await host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key, value: 1 } } });
    await Promise.race([client.closed, changed(client, 'n/lost')]);
    expect(lost).toBeGreaterThan(1);
  });
});

describe('a lost connection', () => {
  /** A host whose appends never answer, and a promise of the first of them. */
  function stuckHost(): { host: Host; asked: Promise<void> } {
    const store = memoryStore();
    const { log } = store;
    let ask: (() => void) | undefined;
    const asked = new Promise<void>((resolve) => (ask = resolve));
    const append = (): Promise<never> => {
      ask?.();
      return new Promise(() => undefined);
    };
    return { host: newHost({ ...store, log: altered(log, { append }) }), asked };
  }

  it('[PK7] rejects the push that waits for its ack, and leaves the replica readable and writable', async () => {
    const { host, asked } = stuckHost();
    const client = await connect(host);
    client.replica.set('k', 1);
    const outcome = expect(client.push()).rejects.toMatchObject({ name: 'Rejection', reason: 'disconnected' });
    await asked;
    client.close();
    await outcome;
    expect(await client.closed).toEqual({ code: 1000, reason: 'bye' });
    client.replica.set('l', 2);
    expect([client.replica.get('k'), client.replica.get('l')]).toEqual([1, 2]);
  });

  it('[PK7] rejects a push that comes after it', async () => {
    const client = await connect(newHost());
    client.close();
    await client.closed;
    client.replica.set('k', 1);
    await expect(client.push()).rejects.toMatchObject({ reason: 'disconnected' });
  });

  it('[PK7] keeps what was not acked for another push: nothing is given up by a push that failed', async () => {
    const { host, asked } = stuckHost();
    const client = await connect(host);
    client.replica.set('k', 1);
    const failed = expect(client.push()).rejects.toMatchObject({ reason: 'disconnected' });
    await asked;
    client.close();
    await failed;
    expect(await client.replica.seal()).toBeDefined();
  });

  it('[HS2] while joining rejects the connect', async () => {
    const host = newHost({ ...memoryStore(), open: () => new Promise(() => undefined) });
    const socket = inProcessSocket(host, 'room');
    const connecting = connectRoom({ socket, keys: generateKeys() });
    const outcome = expect(connecting).rejects.toMatchObject({ reason: 'disconnected' });
    socket.close(1006, 'gone');
    await outcome;
  });
});
