/** A client speaks: what can never work is thrown at once, and what fails later is told by name, with what follows. */
import { expect, it, onTestFinished } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { connectRoom, generateKeys, keepRoom } from '../peer.js';
import { Rejection } from '../rejection.js';
import { FrailNetwork } from '../testing/frail-network.js';
import { ManualClock } from '../testing/manual-clock.js';
import type { WebSocketLike } from './connection/web-socket.js';
import type { ClientState, KeepOptions, StateDetail } from './room-client.js';
import { undoableText } from './editing/undoable-text.js';

function begun(options: Partial<Omit<KeepOptions, 'crypto'>> = {}) {
  const network = new FrailNetwork(createHost({ store: memoryStore(), onFault: () => undefined }));
  const clock = new ManualClock(Date.now());
  const told: [ClientState, StateDetail][] = [];
  const client = keepRoom({
    open: network.open,
    keys: generateKeys(),
    clock,
    network,
    retry: { firstMs: 100, random: () => 0.5 },
    ...options,
  });
  onTestFinished(() => client.close());
  client.onState((state, detail) => told.push([state, detail]));
  return { network, clock, told, client };
}

/** A socket that fails before it is open, and says why as Node's does. */
function failing(message: string, url?: string): WebSocketLike {
  const listeners = new Map<string, (event: never) => void>();
  queueMicrotask(() => {
    Reflect.apply(listeners.get('error')!, undefined, [{ message }]);
    listeners.get('close')?.({ code: 1006, reason: '' } as never);
  });
  return {
    ...(url === undefined ? {} : { url }),
    send: () => undefined,
    close: () => undefined,
    addEventListener: (type: string, listener: never) => void listeners.set(type, listener),
  };
}

it('[CL9] bad keys, room ids and addresses are thrown at once', async () => {
  const keys = generateKeys();
  const wrong: [Partial<Omit<KeepOptions, 'crypto'>>, RegExp][] = [
    [{ keys: { publicKey: 'ab', seed: keys.seed } }, /^keys: .*64 hex/],
    [{ keys: { publicKey: generateKeys().publicKey, seed: keys.seed } }, /not that of the seed/],
    [{ keys: undefined as never }, /^keys: /],
    [{ room: 'a/b' }, /"a\/b" is no room id/],
    [{ audience: 'ws://here/' }, /is no host; write it like 127.0.0.1:7878/],
    [{ open: () => failing('', 'ws://127.0.0.1:7880/studio') }, /is no address of a room: write it like ws:/],
    [{ open: () => failing('', 'http://127.0.0.1:7878/ws/plans') }, /is no address of a room/],
    [
      {
        open: () => {
          throw new SyntaxError('Invalid URL: nonsense');
        },
      },
      /Invalid URL: nonsense/,
    ],
  ];
  for (const [options, message] of wrong) expect(() => begun(options)).toThrow(message);
  const socket = failing('', 'ws://127.0.0.1:7878/plans');
  await expect(connectRoom({ socket, keys })).rejects.toMatchObject({ reason: 'bad-address' });
});

it.each([
  ['Unexpected server response: 404', 'no-room-server', /port of the studio is another one/],
  ['connect ECONNREFUSED 127.0.0.1:1', 'unreachable', /ECONNREFUSED.*start one with weft serve/],
  ['', 'unreachable', /no room server can be reached at ws:/],
])('what a socket says (%s) is told as %s', async (said, reason, message) => {
  const { client, told, clock } = begun({ open: () => failing(said, 'ws://127.0.0.1:1/ws/plans') });
  await expect.poll(() => told.length, { interval: 1 }).toBeGreaterThan(0);
  const [state, { error, willRetryAt }] = told[0]!;
  expect([state, willRetryAt]).toEqual(['waiting', clock.now() + 50]);
  expect(error).toMatchObject({ reason, message: expect.stringMatching(message) as string });
  expect(client.lastError).toBe(error);
});

it('[CL5] a refusal of the server is told by its name, also to who waits to join', async () => {
  const { client, told, network } = begun({ room: 'room', audience: 'here' });
  network.change = () => ({ type: 'error', code: 'auth', msg: 'the token has expired' });
  await expect.poll(() => network.opened).toBe(1);
  await expect.poll(() => network.received.length).toBeGreaterThan(0);
  network.cut({ code: 1008, reason: 'auth' });
  await expect(client.joined).rejects.toMatchObject({ reason: 'auth' });
  expect([client.state, client.lastError]).toMatchObject([
    'ended',
    { reason: 'auth', message: 'the token has expired' },
  ]);
  expect(told.at(-1)).toEqual(['ended', { error: client.lastError }]);
});

it('[CL5] without a network it is offline at once, and comes back with it', async () => {
  const { client, network, told } = begun();
  await client.joined;
  expect([client.lastError, client.synced, client.unconfirmed]).toEqual([undefined, true, 0]);
  network.goOffline();
  expect([client.state, client.lastError]).toMatchObject(['waiting', { reason: 'offline' }]);
  client.replica.set('k', 1);
  expect([client.synced, client.unconfirmed]).toEqual([false, 1]);
  await expect.poll(() => told.at(-1)).toEqual(['waiting', { error: client.lastError }]);
  network.comeOnline();
  await client.push();
  expect([client.synced, client.unconfirmed, client.lastError]).toEqual([true, 0, undefined]);
});

it('[CL9] what could never be shown, and a second kind under one key, are refused where they are written', async () => {
  const { client } = begun();
  await client.joined;
  const circle: Record<string, unknown> = {};
  circle['itself'] = circle;
  expect(() => client.present(circle)).toThrow(/does not contain itself/);
  client.present({ cursor: 1 });
  const { replica } = client;
  replica.text('body').insert(0, 'a');
  expect(() => replica.set('body', 1)).toThrow('"body" holds a text: a value needs a key of its own');
  expect(() => replica.list('body').push(1)).toThrow(Rejection);
  replica.set('title', 'x');
  expect(() => replica.text('title').insert(0, 'a')).toThrow('"title" holds a value');
  expect(() => undoableText(replica, 'title').insert(0, 'a')).toThrow('"title" holds a value');
  // Reading is free, and what is empty again may become another kind.
  expect(`${replica.text('title')}`).toBe('');
  replica.text('body').delete(0, 1);
  replica.set('body', 1);
  replica.delete('title');
  replica.list('title').push(1);
  await client.push();
  expect(client.unconfirmed).toBe(0);
});
