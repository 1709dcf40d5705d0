import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { toBase64 } from '../codec/bytes/bytes.js';
import { type Host, createHost } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { createReplica, generateKeys } from '../peer.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';
import type { Frame } from '../wire/frame.js';
import type { Limits } from '../wire/limits.js';

const IDLE = 5 * 60_000;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Entered {
  readonly peer: TestPeer;
  readonly welcome: Frame;
}

async function enter(host: Host, hello: object = {}): Promise<Entered> {
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello', ...hello });
  const welcome = await peer.nextOf('welcome');
  while ((await peer.nextOf('pack'))['final'] !== true);
  return { peer, welcome };
}

function begin(limits: Partial<Limits> = {}) {
  const clock = new ManualClock();
  let rooms = 0;
  const faults: unknown[] = [];
  const host = createHost({
    store: memoryStore(),
    clock,
    limits,
    telemetry: { record: (metric, by) => void (rooms += metric === 'rooms' ? by : 0) },
    onFault: (fault) => faults.push(fault),
  });
  const set = (key: string, value: unknown): Promise<unknown> =>
    host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key, value } } });
  /** Nobody says anything for long enough. */
  const silence = async (): Promise<void> => {
    for (let sweep = 0; sweep < 7; sweep++) {
      await turn();
      clock.advance(IDLE / 5);
      await turn();
    }
  };
  return { host, clock, set, silence, faults, rooms: () => rooms };
}

describe('a room whose peers are silent', () => {
  it('[GN5] leaves memory, and is back for all of them when somebody writes', async () => {
    const { host, set, silence, rooms, faults } = begin();
    await set('k', 1);
    const [ann, bob] = [await enter(host), await enter(host)];
    await silence();
    expect(rooms()).toBe(0);
    await set('k', 2);
    expect(rooms()).toBe(1);
    for (const { peer } of [ann, bob]) expect((await peer.nextOf('pack'))['from']).toBe('server');
    expect(faults).toEqual([]);
  });

  it('[GN5] is the same room, also where nothing was ever written: what a peer pushes comes to the others', async () => {
    const { host, silence, rooms } = begin();
    const [ann, bob] = [await enter(host), await enter(host)];
    const genesis = (await host.withRoom('room', (room) => Promise.resolve(room))).genesis.pack;
    for (let round = 0; round < 3; round++) {
      await silence();
      expect(rooms()).toBe(0);
      const replica = await createReplica({ genesis, keys: generateKeys() });
      replica.set('round', round);
      ann.peer.send({ type: 'pack', nodes: toBase64((await replica.sealedMessage())!), req_id: round });
      expect(await ann.peer.nextOf('pack-ack')).toMatchObject({ accepted_count: 1, req_id: round });
      expect((await bob.peer.nextOf('pack'))['from']).toBe(`anon:${String(ann.welcome['session_id'])}`);
    }
    const { welcome } = await enter(host);
    expect([welcome['genesis'], welcome['canonical_seq']]).toEqual([toBase64(genesis), 4]);
  });

  it('[GN5] [LM2] forgives nobody what was sent: a budget that is not full again is the same afterwards', async () => {
    const { host, clock, silence, rooms } = begin({ nodesPerSecond: 0.001, nodesBurst: 2 });
    const { peer, welcome } = await enter(host);
    const genesis = Buffer.from(String(welcome['genesis']), 'base64');
    const replica = await createReplica({ genesis, keys: generateKeys() });
    const push = async (value: number): Promise<void> => {
      replica.set('k', value);
      peer.send({ type: 'pack', nodes: toBase64((await replica.sealedMessage())!), req_id: value });
    };
    const pushed = async (): Promise<unknown> => (await peer.nextOf('pack-ack'))['req_id'];
    for (const value of [1, 2]) {
      await push(value);
      expect(await pushed()).toBe(value);
    }
    await silence();
    expect(rooms()).toBe(0);
    await push(3);
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(rooms()).toBe(0); // it waits for its budget, and the room for it
    clock.advance(1_000_000);
    expect(await pushed()).toBe(3);
  });

  it('[GN5] is shown to who enters with everybody who is in it, and they hear of it', async () => {
    const { host, silence } = begin();
    const ann = await enter(host);
    await silence();
    const bob = await enter(host);
    expect(bob.welcome['peers']).toMatchObject([{ session_id: ann.welcome['session_id'] }]);
    expect((await ann.peer.nextOf('peer-joined'))['session_id']).toBe(bob.welcome['session_id']);
  });

  it('[GN5] need not be there for its peers to hear that one has left', async () => {
    const { host, silence, rooms } = begin();
    const [ann, bob] = [await enter(host), await enter(host)];
    await silence();
    ann.peer.leave();
    expect((await bob.peer.nextOf('peer-left'))['session_id']).toBe(ann.welcome['session_id']);
    expect(rooms()).toBe(0);
    const { welcome } = await enter(host);
    expect(welcome['peers']).toMatchObject([{ session_id: bob.welcome['session_id'] }]);
  });

  it('[GN5] that is shut sends them away', async () => {
    const { host, silence } = begin();
    const { peer } = await enter(host);
    await silence();
    await host.quarantine('room' as RoomId, 'a test');
    expect((await peer.closed).code).toBe(1011);
  });

  it('[GN5] stays for what would be lost: presence, nodes that wait, a part of the keys, a tick', async () => {
    const keepers: ((host: Host, entered: Entered) => unknown)[] = [
      (_, { peer }) => peer.send({ type: 'presence', data: 'here' }),
      async (_, { peer, welcome }) => {
        const genesis = Buffer.from(String(welcome['genesis']), 'base64');
        const replica = await createReplica({ genesis, keys: generateKeys() });
        replica.set('k', 1);
        peer.send({ type: 'pack', nodes: toBase64(replica.message()!) });
      },
      (_, { peer }) => peer.send({ type: 'subscribe', patterns: ['n/**'] }),
      (host) => host.submit({ room_id: 'room', command: { StartTick: { tick_interval_ms: IDLE } } }),
    ];
    const stayed: number[] = [];
    for (const keep of keepers) {
      const { host, silence, rooms } = begin();
      await keep(host, await enter(host));
      await silence();
      stayed.push(rooms());
    }
    expect(stayed).toEqual(keepers.map(() => 1));
  });
});
