import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Globs } from '../access/glob.js';
import type { Replica } from '../client/replica/replica.js';
import { fromBase64, toBase64, toHex } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { createReplica, generateKeys } from '../peer.js';
import { type Guests, ending, guests, quiet } from '../testing/guests.js';
import type { TestPeer } from '../testing/test-peer.js';

const KEYS = ['docs/a', 'docs/a/b', 'notes/a', 'other'];
const PATTERNS = ['docs/**', 'docs/*', '*/a', 'other', 'nothing'];

interface Reader {
  readonly peer: TestPeer;
  readonly replica: Replica;
  /** Whole nodes and headers, in the order in which they came. */
  readonly packs: { readonly whole: readonly string[]; readonly headers: readonly string[] }[];
  readonly refused: unknown[];
}

async function readerOf(place: Guests, hello: object): Promise<Reader> {
  const peer = place.connect();
  peer.send(hello);
  const genesis = fromBase64(String((await peer.nextOf('welcome'))['genesis']));
  const replica = await createReplica({ genesis, keys: generateKeys() });
  const reader: Reader = { peer, replica, packs: [], refused: [] };
  void (async () => {
    for (;;) {
      const bytes = fromBase64(String((await peer.nextOf('pack'))['nodes']));
      const { nodes } = decodePack(bytes);
      const ids = (isHeader: boolean): string[] =>
        nodes.filter(({ withheld }) => (withheld !== undefined) === isHeader).map(({ id }) => toHex(id));
      reader.packs.push({ whole: ids(false), headers: ids(true) });
      reader.refused.push(...(await replica.receive(bytes)).refused);
    }
  })().catch(() => undefined);
  return reader;
}

async function writer(place: Guests) {
  const room = await place.host.room('room');
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  const peer = await place.enter();
  return async (keys: readonly string[], value: unknown, merges = true): Promise<void> => {
    if (merges) for (const pack of room.packs()) await replica.receive(pack);
    for (const key of keys) replica.set(key, value);
    const nodes = toBase64((await replica.seal()) ?? new Uint8Array());
    replica.confirm();
    peer.send({ type: 'pack', nodes });
    expect((await peer.nextOf('pack-ack'))['rejected']).toEqual([]);
  };
}

const patterns = fc.array(fc.constantFrom(...PATTERNS), { minLength: 1, maxLength: 2 });
const acts = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ write: fc.subarray(KEYS, { minLength: 1, maxLength: 2 }), merges: fc.boolean() }),
    },
    fc.record({ subscribe: patterns }),
    fc.record({ request: fc.boolean() }),
    fc.record({ pause: fc.boolean() }),
  ),
  { maxLength: 20 },
);

describe('what is relayed', () => {
  it('[SB1] [SB2] [SB3] reads as the room does, where the peer subscribes and may read, and nowhere else', async () => {
    await fc.assert(
      fc.asyncProperty(patterns, fc.option(patterns, { nil: undefined }), acts, async (first, readable, plan) => {
        const place = guests();
        const write = await writer(place);
        await write(['docs/a', 'other'], 'before');
        const caps = readable?.map((pattern) => `read:${pattern}`);
        const hello = await place.hello(generateKeys(), caps, { subscribe: first });
        const { peer, replica, packs, refused } = await readerOf(place, hello);
        let subscribed = first;
        for (const [number, act] of plan.entries()) {
          if ('write' in act) await write(act.write, number, act.merges);
          else if ('subscribe' in act) peer.send({ type: 'subscribe', patterns: (subscribed = act.subscribe) });
          else if ('request' in act)
            peer.send({ type: 'request', ...(act.request ? { known: replica.frontier } : {}) });
          else if (act.pause) peer.pause();
          else peer.resume();
        }
        peer.resume();
        await quiet(15);
        // A node that everybody sees brings the headers that were held back.
        const room = await place.host.room('room');
        await room.set('_topology/end', 1);
        for (let i = 0; i < 100 && replica.frontier.join() !== room.heads.frontier.join(); i++) await quiet(15);
        expect(refused).toEqual([]);
        expect(replica.frontier).toEqual(room.heads.frontier);
        const mayRead = (key: string): boolean => !readable || new Globs(readable).matches(key);
        const entries: { id: string; keys: string[] }[] = [];
        for await (const { nodeId, writes } of room.history())
          entries.push({ id: nodeId, keys: writes.map(({ key }) => key) });
        const whole = new Set(packs.flatMap((pack) => pack.whole));
        for (const { id, keys } of entries) {
          const named = keys.filter((key) => KEYS.includes(key));
          if (!named.every(mayRead)) expect(whole.has(id)).toBe(false);
          else if (named.length === 0 || named.some((key) => new Globs(subscribed).matches(key)))
            expect(whole.has(id)).toBe(true);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('[SB1] headers wait for a node that the peer gets, and go with it', async () => {
    const place = guests();
    const write = await writer(place);
    await write(['other'], 'before');
    const reader = await readerOf(place, { type: 'hello', subscribe: ['docs/**'] });
    await quiet();
    const before = reader.packs.length;
    for (let i = 0; i < 10; i++) await write(['other'], i);
    await quiet();
    expect(reader.packs.length).toBe(before);
    await write(['docs/a'], 1);
    await quiet();
    expect(reader.packs.slice(before).map(({ whole, headers }) => [whole.length, headers.length])).toEqual([[1, 10]]);
  });

  it('[LM3] a peer that sees nothing of what is written is not behind', async () => {
    const place = guests();
    const write = await writer(place);
    const { peer, packs } = await readerOf(place, { type: 'hello', subscribe: ['docs/**'] });
    const end = ending(peer);
    for (let i = 0; i < 5; i++) {
      await write(['other'], i);
      place.clock.advance(50_000);
    }
    await write(['docs/a'], 1);
    await quiet();
    place.clock.advance(1e9);
    await quiet();
    expect([end(), packs.at(-1)?.whole.length]).toEqual([undefined, 1]);
  });

  it('[LM3] one that sees it and does not take it is behind after 60 s', async () => {
    const place = guests({ limits: { stalledMs: 1e12 } });
    const write = await writer(place);
    const { peer } = await readerOf(place, { type: 'hello', subscribe: ['docs/**'] });
    await quiet();
    peer.pause();
    for (let i = 0; i < 3; i++) await write(['docs/a'], i);
    place.clock.advance(59_999);
    await quiet();
    const end = ending(peer);
    await quiet();
    expect(end()).toBeUndefined();
    place.clock.advance(1);
    expect(await peer.closed).toEqual({ code: 4001, reason: 'resync required' });
  });

  it('[SB2] a subscription that changes while history is streamed begins a history of its own', async () => {
    const place = guests({ limits: { stalledMs: 1e12 } });
    const room = await place.host.room('room');
    for (let i = 0; i < 4; i++) await room.set(`docs/big${i}`, '.'.repeat(700_000));
    await room.set('other', 1);
    const { peer, packs, replica, refused } = await readerOf(place, { type: 'hello', subscribe: ['docs/**'] });
    peer.pause();
    peer.send({ type: 'subscribe', patterns: ['other'] });
    peer.send({ type: 'subscribe', patterns: ['**'] });
    for (let i = 0; i < 10; i++) {
      await quiet(2);
      await room.set(`docs/more${i}`, i);
      peer.resume();
      if (i < 8) peer.pause();
    }
    await expect.poll(() => replica.get('docs/more9')).toBe(9);
    expect([replica.get('other'), refused]).toEqual([1, []]);
    expect([replica.withheld, packs.length > 4]).toEqual([0, true]);
  });
});
