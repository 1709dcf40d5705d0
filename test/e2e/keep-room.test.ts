/** Clients that stay in rooms of real servers, on both transports. */
import {
  type ClientState,
  type KeepOptions,
  type KeyPair,
  type RoomClient,
  createHost,
  generateKeys,
  keepRoom,
  signToken,
} from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { ManualClock } from '@weft/core/testing';
import { startServer } from '@weft/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { transportNames } from '../support/transport-names.js';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';

type HostOptions = Parameters<typeof createHost>[0];

describe.each(transportNames)('over %s', (transport) => {
  async function serve(options: HostOptions, listen = '127.0.0.1:0') {
    const host = createHost({ onFault: () => undefined, ...options }); // a store that closes refuses what comes late
    const server = await startServer({ host, transport, listen });
    const { port } = server.address;
    let isOpen = true;
    const stop = async (): Promise<void> => {
      if (!isOpen) return;
      isOpen = false;
      await server.close();
      await host.close();
    };
    onTestFinished(stop);
    return { host, stop, address: `127.0.0.1:${port}` };
  }
  function keep(address: string, options: Partial<Omit<KeepOptions, 'open'>> = {}): RoomClient {
    const open = (): WebSocket => new WebSocket(`ws://${address}/ws/room`);
    const client = keepRoom({ open, keys: generateKeys(), retry: { firstMs: 20, mostMs: 100 }, ...options });
    onTestFinished(() => client.close());
    return client;
  }
  const isNow = (client: RoomClient, state: ClientState): Promise<void> =>
    expect.poll(() => client.state, { timeout: 60_000, interval: 5 }).toBe(state);
  const grant = (keys: KeyPair, admin: KeyPair, expiry: number, caps: readonly string[] = []) =>
    signToken({ room: 'room', peer: keys.publicKey, expiry, caps }, admin.seed);
  const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;

  it('a server that restarts in the middle loses nothing and repeats nothing', async () => {
    const folder = await tempFolder();
    let server = await serve({ store: levelStore(folder) });
    const clients = [keep(server.address), keep(server.address)];
    await Promise.all(clients.map(({ joined }) => joined));
    const written: string[] = [];
    const write = (round: number): void => {
      for (const [who, { replica }] of clients.entries()) {
        const item = `${who}-${round}`;
        replica.list('l').push(item);
        written.push(item);
      }
    };
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 20; i++) {
        write(round * 100 + i);
        if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve));
      }
      const stopped = server.stop();
      write(round * 100 + 50);
      await stopped;
      await Promise.all(clients.map((client) => isNow(client, 'waiting')));
      write(round * 100 + 51);
      server = await serve({ store: levelStore(folder) }, server.address);
    }
    await Promise.all(clients.map((client) => client.push()));
    const room = await server.host.room('room');
    for (const { replica } of clients) {
      await expect.poll(() => replica.frontier).toEqual(room.heads.frontier);
      expect(replica.stateHash).toBe(room.stateHash);
    }
    expect(room.list('l').sort()).toEqual(written.sort());
  });

  it('who connects as the same peer takes over, and the one before does not fight for it', async () => {
    const { address } = await serve({ store: memoryStore() });
    const [keys, watcher] = [generateKeys(), keep(address)];
    await watcher.joined;
    const first = keep(address, { keys, peerId: 'me' });
    await first.joined;
    const second = keep(address, { keys, peerId: 'me' });
    await second.joined;
    expect(await first.closed).toEqual({ code: 1008, reason: 'this peer has connected again' });
    expect([first.state, second.state, watcher.peers.length]).toEqual(['ended', 'joined', 1]);
  });

  it('a hello of its own that comes late takes the place of a client for a moment alone', async () => {
    const { address } = await serve({ store: memoryStore() });
    const watcher = keep(address);
    await watcher.joined;
    const client = keep(address);
    await client.joined;
    await expect.poll(() => watcher.peers.length).toBe(1);
    const { publicKey: pubkey, peerId } = watcher.peers[0]!;
    const late = new WebSocket(`ws://${address}/ws/room`);
    const isOver = new Promise<number>((resolve) => late.on('close', resolve));
    late.on('open', () => late.send(JSON.stringify({ type: 'hello', pubkey, peer_id: peerId })));
    expect(await isOver).toBe(1008); // it has come again
    client.replica.set('title', 'kept');
    await client.push();
    expect([client.state, watcher.peers.length]).toEqual(['joined', 1]);
  });

  it('an expired token ends a client, or is replaced by a new one', async () => {
    const [admin, clock] = [generateKeys(), new ManualClock(Date.now())];
    const { address } = await serve({ store: memoryStore(), adminKey: admin.publicKey, clock });
    const keys = generateKeys();
    const token = await grant(keys, admin, inAnHour());
    const fixed = keep(address, { keys, token });
    const tokens = [token, await grant(keys, admin, inAnHour() + 7200)];
    const renewed = keep(address, { keys, token: () => tokens.shift()! });
    await Promise.all([fixed.joined, renewed.joined]);
    clock.advance(3_700_000);
    expect((await fixed.closed).code).toBe(4002);
    renewed.replica.set('k', 1);
    await renewed.push();
    expect([tokens, renewed.state]).toEqual([[], 'joined']);
  });

  it('[AU9] another token takes the place of one that would expire soon, and the connection goes on', async () => {
    const [admin, clock] = [generateKeys(), new ManualClock(Date.now())];
    const { address } = await serve({ store: memoryStore(), adminKey: admin.publicKey, clock });
    const keys = generateKeys();
    const ends: number[] = [];
    let caps: readonly string[] = [];
    const token = () => {
      ends.push(Math.floor(clock.now() / 1000) + 100);
      return signToken({ room: 'room', peer: keys.publicKey, expiry: ends.at(-1)!, caps: [...caps] }, admin.seed);
    };
    const client = keep(address, { keys, token, clock, room: 'room', audience: address });
    await client.joined;
    const states: string[] = [];
    client.onState((state) => states.push(state));
    const heldUntil = (): unknown => (client.directParts().credential as { expiry: number }).expiry;
    for (const made of [2, 3, 4]) {
      clock.advance(85_000);
      await expect.poll(heldUntil).toBe(ends[made - 1]);
      client.replica.set('k', made);
      await client.push();
    }
    expect([states, ends.length]).toEqual([[], 4]);
    // Other rights show another part of the room, for which it comes again.
    caps = ['read:docs/**'];
    clock.advance(85_000);
    await expect.poll(() => ends.length).toBe(5);
    clock.advance(20_000);
    await expect.poll(() => states).toContain('waiting');
  });

  it('a locked room is left for good, and says why to who comes', async () => {
    const admin = generateKeys();
    const { address } = await serve({ store: memoryStore(), adminKey: admin.publicKey });
    const keys = generateKeys();
    const token = await grant(keys, admin, inAnHour(), ['room.admin', 'policy.admin']);
    const ruler = keep(address, { keys, token, room: 'room', audience: address });
    const guest = keep(address);
    await Promise.all([ruler.joined, guest.joined]);
    await ruler.request({ type: 'set-room-key', pubkey: generateKeys().publicKey });
    expect(await guest.closed).toEqual({ code: 1008, reason: 'auth: room locked' });
    guest.replica.set('k', 1);
    await expect(guest.push()).rejects.toMatchObject({ reason: 'auth', message: 'auth: room locked' });
    await expect(keep(address).joined).rejects.toMatchObject({ reason: 'auth', message: 'auth: room locked' });
    expect(guest.replica.get('k')).toBe(1);
  });

  it('what a policy denies disappears, and the rest stays', async () => {
    const admin = generateKeys();
    const { address, host } = await serve({ store: memoryStore(), adminKey: admin.publicKey });
    const keys = generateKeys();
    const token = await grant(keys, admin, inAnHour(), ['policy.admin']);
    const ruler = keep(address, { keys, token, room: 'room', audience: address });
    const guest = keep(address);
    await Promise.all([ruler.joined, guest.joined]);
    const rules = [{ path_glob: 'private/**', can_write: [] }];
    await ruler.request({ type: 'set-policy', default: 'allow', rules });
    await expect.poll(() => guest.replica.get('\0policy')).toBeDefined();
    const refused: string[] = [];
    guest.onRefused((nodes) => refused.push(...nodes.map(({ reason }) => reason)));
    guest.replica.set('open/a', 1);
    guest.replica.set('private/a', 1);
    guest.replica.set('open/b', 1);
    await expect(guest.push()).rejects.toMatchObject({ reason: 'push-refused' });
    await guest.push();
    const room = await host.room('room');
    expect(refused).toEqual(['policy-denied']);
    expect([guest.replica.get('private/a'), room.get('open/a'), room.get('open/b')]).toEqual([undefined, 1, 1]);
    expect(guest.replica.stateHash).toBe(room.stateHash);
  });

  it('who fell behind comes back and catches up', async () => {
    const { address, host } = await serve({ store: memoryStore(), limits: { outboxBytes: 64 * 1024 } });
    const sockets: WebSocket[] = [];
    const open = (): WebSocket => {
      sockets.push(new WebSocket(`ws://${address}/ws/room`));
      return sockets.at(-1)!;
    };
    const slow = keepRoom({ open, keys: generateKeys(), retry: { firstMs: 20 } });
    onTestFinished(() => slow.close());
    const loud = keep(address);
    await Promise.all([slow.joined, loud.joined]);
    const states: ClientState[] = [];
    slow.onState((state) => states.push(state));
    const closed = new Promise<number>((resolve) => void sockets[0]!.on('close', resolve));
    sockets[0]!.pause();
    const [room, data] = [await host.room('room'), 'x'.repeat(100_000)];
    for (let i = 0; i < 400; i++) {
      loud.present(`${i}${data}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await loud.request({ type: 'server-info' });
    await room.set('news', 1);
    sockets[0]!.resume();
    await expect.poll(() => slow.replica.get('news'), { timeout: 60_000 }).toBe(1);
    await isNow(slow, 'joined');
    expect(states).toEqual(['waiting', 'connecting', 'joined']);
    expect(await closed).toBe(4001);
  });

  it('who sees a part of a room is sent no more of it after a lost connection', async () => {
    const { address, host } = await serve({ store: memoryStore() });
    const room = await host.room('room');
    const fill = async (from: number, to: number): Promise<void> => {
      for (let i = from; i < to; i++) await room.set(i % 3 ? `hidden/${i}` : `seen/${i}`, i);
    };
    await fill(0, 600);
    let received = 0;
    const sockets: WebSocket[] = [];
    const open = (): WebSocket => {
      const socket = new WebSocket(`ws://${address}/ws/room`);
      socket.on('message', (frame: ArrayBuffer | Buffer) => (received += frame.byteLength));
      sockets.push(socket);
      return socket;
    };
    const client = keepRoom({ open, keys: generateKeys(), subscribe: ['seen/**'], retry: { firstMs: 20 } });
    onTestFinished(() => client.close());
    await client.joined;
    const first = received;
    sockets[0]!.terminate();
    await fill(600, 630);
    await expect.poll(() => [...client.replica.entries('seen/')]).toHaveLength(210);
    await isNow(client, 'joined');
    expect([...client.replica.entries('hidden/')]).toEqual([]);
    expect(client.replica.withheld).toBeGreaterThan(400);
    expect(received - first).toBeLessThan(first / 2);
    client.replica.set('seen/mine', 1);
    await client.push();
    expect(room.get('seen/mine')).toBe(1);
  });
});
