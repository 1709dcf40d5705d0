/** What happens between a frame and its effects: others come, go, lock and revoke. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { fromBase64, toBase64 } from '../codec/bytes/bytes.js';
import { createReplica, generateKeys } from '../peer.js';
import { type Guests, ending, guests, quiet } from '../testing/guests.js';
import type { Frame } from '../wire/frame.js';

const ADMIN = ['room.admin', 'policy.admin'];
const namesIn = (welcome: Frame): unknown[] => (welcome['peers'] as { peer_id: string }[]).map((peer) => peer.peer_id);

async function packOf({ host }: Guests, count = 1): Promise<string> {
  const { genesis } = await host.room('room');
  const replica = await createReplica({ genesis: genesis.pack, keys: generateKeys() });
  for (let i = 0; i < count; i++) replica.set(`k${i}`, i);
  return toBase64((await replica.seal()) ?? new Uint8Array());
}

describe('while a peer says hello', () => {
  it('[HS6] another one does: each knows of the other', async () => {
    for (const names of [
      ['one', 'two'],
      ['two', 'one'],
    ]) {
      const place = guests();
      await place.host.ready();
      const peers = names.map(() => place.connect());
      peers.forEach((peer, i) => peer.send({ type: 'hello', peer_id: names[i], pubkey: generateKeys().publicKey }));
      const known = peers.map(async (peer) => {
        const there = namesIn(await peer.nextOf('welcome'));
        return there.length > 0 ? there : [(await peer.nextOf('peer-joined'))['peer_id']];
      });
      await quiet();
      peers.forEach((peer) => peer.send({ type: 'peer-joined?' }));
      expect(await Promise.all(known)).toEqual([[names[1]], [names[0]]]);
    }
  });

  it('[HS8] another one says it is the same peer: one of them stays', async () => {
    const place = guests();
    const keys = generateKeys();
    const peers = Array.from({ length: 4 }, () => place.connect());
    const ends = peers.map(ending);
    for (const peer of peers) peer.send({ type: 'hello', peer_id: 'phone', pubkey: keys.publicKey });
    await quiet(20);
    expect(ends.filter((end) => end() === undefined)).toHaveLength(1);
    const late = place.connect();
    late.send({ type: 'hello' });
    expect(namesIn(await late.nextOf('welcome'))).toEqual(['phone']);
  });

  it('[HS8] the peer that it goes on as leaves: then it is a new one, and announced', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const place = guests();
      const keys = generateKeys();
      const hello = { type: 'hello', peer_id: 'phone', pubkey: keys.publicKey };
      const [before, other] = [await place.enter(hello), await place.enter()];
      const next = place.connect();
      next.send(hello);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      before.leave();
      await next.nextOf('welcome');
      await quiet(1);
      other.send({ type: 'x' });
      const heard: string[] = [];
      for (let frame = await other.next(); frame.type !== 'error'; frame = await other.next()) heard.push(frame.type);
      expect([[], ['peer-left', 'peer-joined']]).toContainEqual(heard);
    }
  });

  it('[AU5] the room is locked: it does not get in', async () => {
    for (let turns = 0; turns < 60; turns++) {
      const place = guests();
      const [ann, bob] = [generateKeys(), generateKeys()];
      const owner = await place.enter(await place.hello(ann, ADMIN));
      const stranger = place.connect();
      const end = ending(stranger);
      const hello = await place.hello(bob);
      owner.send({ type: 'set-room-key', pubkey: generateKeys().publicKey });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      stranger.send(hello);
      await owner.nextOf('room-locked');
      await stranger.closed;
      expect([turns, end()?.reason]).toEqual([turns, 'auth: room locked']);
    }
  });

  it('[AU6] its tokens are revoked: it does not get in', async () => {
    for (let turns = 0; turns < 40; turns++) {
      const place = guests();
      const bob = generateKeys();
      const owner = await place.enter(await place.hello(generateKeys(), ADMIN));
      const revoked = place.connect();
      const hello = await place.hello(bob, []);
      owner.send({ type: 'revoke-token', peer_pubkey: bob.publicKey, before: 2 ** 40 });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      revoked.send(hello);
      await owner.nextOf('token-revoked');
      expect([turns, (await revoked.closed).reason]).toEqual([turns, 'auth: token revoked']);
    }
  });
});

describe('who leaves while a frame is under way', () => {
  it('[AU5] has locked the room all the same, and strangers must go', async () => {
    const place = guests();
    const owner = await place.enter(await place.hello(generateKeys(), ADMIN));
    const stranger = await place.enter();
    owner.send({ type: 'set-room-key', pubkey: generateKeys().publicKey });
    for (let turn = 0; turn < 30; turn++) await Promise.resolve(); // it is being signed
    owner.leave();
    expect(await stranger.closed).toEqual({ code: 1008, reason: 'auth: room locked' });
  });

  it('[AU6] or had to, has nothing let in that waited for its budget', async () => {
    const place = guests({ limits: { nodesPerSecond: 1, nodesBurst: 1 } });
    const bob = generateKeys();
    const owner = await place.enter(await place.hello(generateKeys(), ADMIN));
    const pusher = await place.enter(await place.hello(bob, []));
    pusher.send({ type: 'pack', nodes: await packOf(place, 5) });
    await quiet();
    owner.send({ type: 'revoke-token', peer_pubkey: bob.publicKey, before: 2 ** 40 });
    expect((await pusher.closed).reason).toBe('auth: token revoked');
    place.clock.advance(60_000);
    await quiet();
    expect((await place.host.room('room')).get('k0')).toBeUndefined();
  });

  it('[AU6] or had to, commands nothing any more', async () => {
    const place = guests({ limits: { framesPerSecond: 1 } });
    const bob = generateKeys();
    const owner = await place.enter(await place.hello(generateKeys(), ADMIN));
    const other = await place.enter(await place.hello(bob, ADMIN));
    for (let i = 0; i < 3; i++) other.send({ type: 'server-info' });
    other.send({ type: 'set-policy', default: 'deny', rules: [] });
    await quiet();
    owner.send({ type: 'revoke-token', peer_pubkey: bob.publicKey, before: 2 ** 40 });
    expect((await other.closed).reason).toBe('auth: token revoked');
    for (let second = 0; second < 20; second++) {
      place.clock.advance(1000);
      await quiet(1);
    }
    const room = await place.host.room('room');
    expect([room.facts.policy, room.facts.revokedBefore(bob.publicKey)]).toEqual([undefined, 2 ** 40]);
  });
});

describe('what the authority writes down', () => {
  it('[FA1] are registers under system keys that name who asked', async () => {
    const place = guests();
    const [ann, key] = [generateKeys(), generateKeys().publicKey];
    const owner = await place.enter(await place.hello(ann, ADMIN));
    const rules = [{ path_glob: 'docs/**', can_write: [key] }];
    owner.send({ type: 'set-room-key', pubkey: key.toUpperCase() });
    owner.send({ type: 'set-policy', default: 'deny', rules });
    owner.send({ type: 'revoke-token', peer_pubkey: key.toUpperCase(), before: 5 });
    await owner.nextOf('token-revoked');
    const room = await place.host.room('room');
    const by = ann.publicKey;
    expect([room.get('\0lock'), room.get('\0policy'), room.get(`\0revoked/${key}`)]).toEqual([
      { key, by },
      { default: 'deny', rules, by },
      { before: 5, by },
    ]);
    expect([room.facts.lock, room.facts.policy, room.facts.revokedBefore(key)]).toEqual([
      ...[key, { default: 'deny', rules }, 5],
    ]);
    owner.send({ type: 'unlock-room' });
    await owner.nextOf('room-unlocked');
    expect([room.get('\0lock'), room.facts.lock]).toEqual([undefined, undefined]);
  });

  it('[AU5] outlives a restart, policies too', async () => {
    const store = memoryStore();
    const key = generateKeys();
    const first = guests({ store });
    const owner = await first.enter(await first.hello(generateKeys(), ADMIN));
    owner.send({ type: 'set-room-key', pubkey: key.publicKey });
    owner.send({ type: 'set-policy', default: 'deny', rules: [] });
    await owner.nextOf('policy-set');
    const second = guests({ store });
    const stranger = second.connect();
    stranger.send({ type: 'hello' });
    expect((await stranger.closed).reason).toBe('auth: room locked');
    const bob = generateKeys();
    const peer = await second.enter(await second.hello(bob, []));
    peer.send({ type: 'pack', nodes: await packOf(second) });
    const { rejected } = await peer.nextOf('pack-ack');
    expect(rejected).toMatchObject([{ reason: 'policy-changed' }]);
  });

  it('[AU5] of two hosts on one store, one locks the room', async () => {
    const store = memoryStore();
    const places = [guests({ store }), guests({ store })];
    const owners = await Promise.all(
      places.map(async (place) => place.enter(await place.hello(generateKeys(), ADMIN))),
    );
    const keys = owners.map(() => generateKeys().publicKey);
    owners.forEach((owner, i) => owner.send({ type: 'set-room-key', pubkey: keys[i] }));
    const answers = await Promise.all(
      owners.map(async (owner) => {
        for (;;) {
          const frame = await owner.next();
          if (frame.type === 'room-locked' || frame.type === 'error') return frame;
        }
      }),
    );
    expect(answers.map(({ type }) => type).sort()).toEqual(['error', 'room-locked']);
    expect(answers.find(({ type }) => type === 'error')).toMatchObject({
      code: 'room-locked',
      msg: 'room already locked',
    });
    const locks = await Promise.all(places.map(async ({ host }) => (await host.room('room')).facts.lock));
    expect(locks[0]).toBe(locks[1]);
  });
});

describe('a frame of one peer', () => {
  it('[ER1] that is nested too deeply harms nobody else', async () => {
    const faults: unknown[] = [];
    const place = guests({ onFault: (error) => void faults.push(error) });
    const peer = await place.enter();
    const others = [await place.enter(), await place.enter({ type: 'hello', caps: { supports_binary: true } })];
    const ends = others.map(ending);
    for (const depth of [61, 70, 120, 5000, 200_000])
      for (const [before, after] of [
        ['{"type":"presence","data":', '}'],
        ['{"type":"webrtc-ice","to":"","candidate":', '}'],
      ])
        peer.sendText(`${before}${'['.repeat(depth)}1${']'.repeat(depth)}${after}`);
    peer.send({ type: 'presence', data: 'end' });
    for (const other of others) {
      let frame = await other.nextOf('presence');
      while (frame['data'] !== 'end') frame = await other.nextOf('presence');
    }
    for (let i = 0; i < 10; i++) expect((await peer.nextOf('error'))['code']).toBe('invalid-json');
    expect([ends.map((end) => end()), faults]).toEqual([[undefined, undefined], []]);
  });

  it('[BF1] in MessagePack reads the same in JSON, wherever in it the bytes are', async () => {
    const place = guests();
    const [text, binary] = [await place.enter(), await place.enter({ type: 'hello', caps: { supports_binary: true } })];
    const { encodeValue } = await import('../codec/bytes/msgpack.js');
    const bytes = Uint8Array.of(1, 2, 3);
    binary.sendText(encodeValue({ type: 'presence', data: [1, [null, bytes], { bytes, list: ['a', bytes] }] }));
    const { data } = await text.nextOf('presence');
    expect(data).toEqual([1, [null, 'AQID'], { bytes: 'AQID', list: ['a', 'AQID'] }]);
    expect(fromBase64('AQID')).toEqual(bytes);
  });

  it('[HS9] asks for history, or subscribes, while answers wait: up to a bound', async () => {
    const place = guests({ limits: { stalledMs: 1e9 } });
    const peer = await place.enter();
    peer.pause();
    peer.send({ type: 'server-info' });
    for (let i = 0; i < 200; i++) peer.send({ type: i % 2 ? 'subscribe' : 'request', patterns: ['docs/**'] });
    await quiet(20);
    peer.resume();
    peer.send({ type: 'end' });
    const codes: unknown[] = [];
    for (let frame = await peer.next(); frame['code'] !== 'unknown-type'; frame = await peer.next())
      codes.push(frame['code'] ?? frame.type);
    // Whoever sees no more by a subscription than before waits for nothing by it.
    expect(codes.filter((code) => code === 'rate-limit').length).toBeGreaterThanOrEqual(200 - 2 * 64 - 1);
    expect(codes.filter((code) => code === 'subscribe-ack').length).toBeLessThanOrEqual(64 + 1);
  });
});
