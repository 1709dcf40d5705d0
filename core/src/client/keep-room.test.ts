import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, createHost } from '../engine.js';
import { generateKeys, keepRoom, signToken } from '../peer.js';
import type { Store } from '../ports/store.js';
import { FrailNetwork } from '../testing/frail-network.js';
import { ManualClock } from '../testing/manual-clock.js';
import { SILENCE_MS } from './connection/connection.js';
import type { ClientState, KeepOptions, RoomClient } from './room-client.js';

let host: Host;
let network: FrailNetwork;
let clock: ManualClock;

function begin(store: Store = memoryStore()): void {
  host = createHost({ store, onFault: () => undefined });
  network = new FrailNetwork(host);
  clock = new ManualClock(Date.now());
}
beforeEach(() => begin());

type Options = Partial<Omit<KeepOptions, 'open' | 'crypto'>>;
const keep = (options: Options = {}): RoomClient =>
  keepRoom({ open: network.open, keys: generateKeys(), clock, network, retry: { random: () => 0.5 }, ...options });
const isNow = (client: RoomClient, state: ClientState): Promise<void> =>
  expect.poll(() => client.state, { interval: 1 }).toBe(state);
const room = () => host.room('room');
const packs = (): number => network.types.filter((type) => type === 'pack').length;

describe('a kept room', () => {
  it('[CL4] sends what is written by itself, in one message for each turn', async () => {
    const client = keep();
    await client.joined;
    const text = client.replica.text('t');
    for (const unit of 'typed') text.insert(text.length, unit);
    await client.push();
    expect([(await room()).text('t'), packs()]).toEqual(['typed', 1]);
    text.insert(5, '!');
    await expect.poll(async () => (await room()).text('t')).toBe('typed!');
    expect(packs()).toBe(2);
  });

  it('[CL4] is silent when told so, until a push', async () => {
    const client = keep({ autoPush: false });
    await client.joined;
    client.replica.set('k', 1);
    network.cut();
    clock.advance(1000);
    await isNow(client, 'joined');
    expect(packs()).toBe(0);
    await client.push();
    expect((await room()).get('k')).toBe(1);
  });

  it('[CL5] comes back when the connection is lost, with the same replica, and sends what was not answered', async () => {
    const client = keep();
    const states: ClientState[] = [];
    client.onState((state) => states.push(state));
    await client.joined;
    const { replica } = client;
    replica.set('before', 1);
    const first = client.push();
    network.cut();
    replica.set('offline', 1);
    const second = client.push();
    await (await room()).set('theirs', 1);
    expect(client.state).toBe('waiting');
    clock.advance(249);
    expect(network.opened).toBe(1);
    clock.advance(1);
    await Promise.all([first, second]);
    expect([replica.get('theirs'), (await room()).get('before'), (await room()).get('offline')]).toEqual([1, 1, 1]);
    expect(client.replica).toBe(replica);
    expect(states).toEqual(['joined', 'waiting', 'connecting', 'joined']);
  });

  it('[CL5] waits for twice as long each time, up to a bound, and anew when all was well for a while', async () => {
    const client = keep({ retry: { firstMs: 100, mostMs: 1000, random: () => 0.5 } });
    await client.joined;
    for (const ms of [50, 100, 200, 400, 500, 500]) {
      network.cut();
      const { opened } = network;
      clock.advance(ms - 1);
      expect(network.opened).toBe(opened);
      clock.advance(1);
      expect(network.opened).toBe(opened + 1);
    }
    await isNow(client, 'joined');
    clock.advance(5000);
    network.cut();
    clock.advance(50);
    await isNow(client, 'joined');
  });

  it('[CL5] [HS10] comes back within the time that its server has told, until it is at one that tells none', async () => {
    const client = keep();
    network.change = (frame) => (frame.type === 'welcome' ? { ...frame, retry_spread_ms: 8000 } : frame);
    await client.joined;
    network.change = (frame) => frame;
    for (const ms of [4000, 250]) {
      network.cut();
      const { opened } = network;
      clock.advance(ms - 1);
      expect(network.opened).toBe(opened);
      clock.advance(1);
      await isNow(client, 'joined');
      clock.advance(5000); // all is well for a while
    }
  });

  it.each([
    ['the server restarts; come back in 1234 ms', 1234],
    ['the server restarts; come back in 9999999 ms', 250],
    ['come back in 7 ms, or later', 250],
    ['', 250],
  ])('[CL5] closed with 1012 and %j comes back after %i ms', async (reason, ms) => {
    const client = keep();
    await client.joined;
    network.cut({ code: 1012, reason });
    clock.advance(ms - 1);
    expect([client.state, network.opened]).toEqual(['waiting', 1]);
    clock.advance(1);
    await isNow(client, 'joined');
  });

  it('[CL5] waits for a network where there is none, and tries at once when there is', async () => {
    network.isOnline = false;
    const client = keep();
    await client.joined;
    network.cut();
    clock.advance(1_000_000);
    expect([client.state, network.opened]).toEqual(['waiting', 1]);
    network.comeOnline();
    await isNow(client, 'joined');
    network.cut(); // now with a timer
    network.comeOnline();
    await isNow(client, 'joined');
    clock.advance(1_000_000);
    expect([network.opened, network.listeners]).toEqual([3, 1]); // it listens for the network to go
  });

  it('[CL5] takes a server that does not answer for gone', async () => {
    const client = keep();
    await client.joined;
    network.isHeld = true;
    client.replica.set('k', 1);
    const pushed = client.push();
    await expect.poll(packs).toBe(1);
    clock.advance(SILENCE_MS);
    expect(client.state).toBe('waiting');
    network.isHeld = false;
    clock.advance(1000);
    await pushed;
  });

  it('[CL5] does not mind silence when nothing is asked', async () => {
    const client = keep();
    await client.joined;
    client.replica.set('k', 1);
    await client.push();
    clock.advance(100 * SILENCE_MS);
    expect([client.state, network.opened]).toEqual(['joined', 1]);
  });

  describe('with a heartbeat', () => {
    const asked = (): number => network.types.filter((type) => type === 'server-info').length;
    const joined = async (options: Options = {}): Promise<RoomClient> => {
      const client = keep({ heartbeat: {}, ...options });
      await client.joined;
      return client;
    };

    it('[CL10] asks after 10 s of silence, and is content with the answer', async () => {
      const client = await joined();
      for (let round = 1; round <= 3; round++) {
        clock.advance(9999);
        expect(asked()).toBe(round - 1);
        clock.advance(1);
        expect(asked()).toBe(round);
        await expect.poll(() => client.heardAt, { interval: 1 }).toBe(clock.now());
        await new Promise((resolve) => setTimeout(resolve));
      }
      clock.advance(3000);
      expect([client.state, network.opened]).toEqual(['joined', 1]);
      client.close();
      expect([clock.timers, network.listeners]).toEqual([0, 0]);
    });

    it('[CL10] leaves a connection on which nothing comes, 3 s later', async () => {
      const client = await joined();
      network.isHeld = true;
      clock.advance(10_000);
      clock.advance(2999);
      expect(client.state).toBe('joined');
      clock.advance(1);
      expect(client.state).toBe('waiting');
      expect(client.lastError).toMatchObject({ reason: 'unreachable' });
      network.isHeld = false;
      clock.advance(1000);
      await isNow(client, 'joined');
    });

    it('[CL10] asks nothing while others are heard', async () => {
      const client = await joined();
      for (let i = 0; i < 5; i++) {
        clock.advance(6000);
        await (await room()).set('k', i);
        await expect.poll(() => client.replica.get('k'), { interval: 1 }).toBe(i);
      }
      expect(asked()).toBe(0);
    });

    it('[CL10] asks nothing for a page that nobody sees, and at once when somebody does, or when there is a network again', async () => {
      const shown = new Set<() => void>();
      let isShown = false;
      const page: KeepOptions['network'] = {
        isOnline: true,
        onOnline: (listener) => network.onOnline(listener),
        get isShown() {
          return isShown;
        },
        onShown: (listener) => (shown.add(listener), () => void shown.delete(listener)),
      };
      const client = await joined({ network: page });
      clock.advance(100_000);
      expect(asked()).toBe(0);
      isShown = true;
      network.isHeld = true;
      for (const listener of shown) listener();
      expect(asked()).toBe(1);
      clock.advance(3000);
      expect(client.state).toBe('waiting');
      network.isHeld = false;
      clock.advance(1000);
      await isNow(client, 'joined');
      expect([network.listeners, shown.size]).toEqual([1, 1]);
      network.comeOnline();
      expect(asked()).toBe(2);
      client.close();
      expect([network.listeners, shown.size]).toEqual([0, 0]);
    });
  });

  it.each([
    [1001, 'waiting'],
    [1006, 'waiting'],
    [1008, 'ended'],
    [1009, 'waiting'],
    [1011, 'waiting'],
    [1012, 'waiting'],
    [4001, 'waiting'],
    [4002, 'ended'],
    [4008, 'waiting'],
  ] as const)('[CL5] closed with %i is %s', async (code, state) => {
    const client = keep();
    await client.joined;
    network.cut({ code, reason: 'why' });
    expect(client.state).toBe(state);
    client.close();
    expect(await client.closed).toEqual(state === 'ended' ? { code, reason: 'why' } : { code: 1000, reason: 'bye' });
  });

  it.each([
    [undefined, 'waiting'],
    ['me', 'ended'],
  ] as const)('[CL5] whose place was taken is, with the name %s, %s', async (peerId, state) => {
    const client = keep(peerId === undefined ? {} : { peerId });
    await client.joined;
    network.cut({ code: 1008, reason: 'this peer has connected again' });
    expect(client.state).toBe(state);
    client.close();
  });

  it('[CL5] [AU3] asks for a new token for each attempt', async () => {
    const keys = generateKeys();
    const admin = generateKeys();
    host = createHost({ store: memoryStore(), adminKey: admin.publicKey });
    network.host = host;
    const seconds = Math.floor(clock.now() / 1000);
    const expiries = [seconds - 10, seconds + 600];
    const token = () =>
      signToken({ room: 'room', peer: keys.publicKey, expiry: expiries.shift()!, caps: [] }, admin.seed);
    const client = keep({ keys, token });
    await isNow(client, 'waiting');
    clock.advance(1000);
    await client.joined;
    const ended = keep({
      keys,
      token: await signToken({ room: 'room', peer: keys.publicKey, expiry: 1, caps: [] }, admin.seed),
    });
    await expect(ended.joined).rejects.toMatchObject({ reason: 'auth', message: 'auth: token has expired' });
    const failing = keep({ keys, token: () => Promise.reject(new Error('the network is gone')) });
    await isNow(failing, 'waiting');
    failing.close();
  });

  it('[CL5] comes again when its hello came too late, not with one that was refused', async () => {
    network.change = () => ({ type: 'error', code: 'expected-hello', msg: 'late' });
    const client = keep();
    await expect.poll(() => network.received).toHaveLength(2);
    network.cut({ code: 1008, reason: 'late' });
    expect(client.state).toBe('waiting');
    network.change = () => ({ type: 'error', code: 'auth', msg: 'auth: no' });
    clock.advance(1000);
    await expect.poll(() => network.received).toHaveLength(4);
    network.cut({ code: 1008, reason: 'no' });
    await expect(client.joined).rejects.toMatchObject({ reason: 'auth', message: 'auth: no' });
  });

  it('[CL5] ends where no socket can be made, and comes again when nodes cannot be merged', async () => {
    const open = () => {
      throw new SyntaxError('no such address');
    };
    expect(() => keepRoom({ open, keys: generateKeys(), clock, network })).toThrow('no such address');
    const client = keep();
    await client.joined;
    network.change = (frame) => (frame.type === 'pack' ? { ...frame, nodes: new Uint8Array(9) } : frame);
    await (await room()).set('k', 1);
    await isNow(client, 'waiting');
    network.change = (frame) => frame;
    clock.advance(1000);
    await isNow(client, 'joined');
    expect(client.replica.get('k')).toBe(1);
    client.close();
  });

  it('[CL5] [HS8] goes on as the peer that it was, and gives way to itself elsewhere', async () => {
    const watcher = keep();
    await watcher.joined;
    const [keys, seen] = [generateKeys(), new Array<readonly string[]>()];
    watcher.onPeers((peers) => seen.push(peers.map(({ peerId }) => peerId)));
    const client = keep({ keys, peerId: 'me' });
    await client.joined;
    const elsewhere = keep({ keys, peerId: 'me' });
    await Promise.all([elsewhere.joined, client.closed]);
    expect([client.state, elsewhere.state]).toEqual(['ended', 'joined']);
    expect(seen).toEqual([['me']]);
    elsewhere.close();
    await expect.poll(() => seen).toEqual([['me'], []]);
  });

  it('[CL8] ends once, and leaves nothing behind', async () => {
    const client = keep();
    await client.joined;
    network.isHeld = true;
    client.replica.set('k', 1);
    const outcomes = Promise.allSettled([
      client.push(),
      client.request({ type: 'request' }),
      client.getBlob('00'.repeat(32)),
    ]);
    await expect.poll(packs).toBe(1);
    client.close();
    client.close();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'Rejection', reason: 'disconnected' } });
    await expect(client.push()).rejects.toMatchObject({ reason: 'disconnected' });
    await expect(client.request({ type: 'request' })).rejects.toMatchObject({ reason: 'disconnected' });
    expect([client.state, client.peers, network.listeners, clock.timers]).toEqual(['ended', [], 0, 0]);
    const { length } = network.sent;
    client.replica.set('l', 1);
    client.present(1);
    await Promise.resolve();
    expect(network.sent).toHaveLength(length);
    expect(client.replica.get('l')).toBe(1);
  });

  it('[CL8] can be ended at any time', async () => {
    const early = keep();
    early.close();
    await expect(early.joined).rejects.toMatchObject({ reason: 'disconnected' });
    const waiting = keep();
    await waiting.joined;
    network.cut();
    waiting.close();
    clock.advance(1_000_000);
    expect([waiting.state, clock.timers, network.listeners]).toEqual(['ended', 0, 0]);
  });
});
