import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Globs } from '../../access/glob.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import type { Op } from '../../codec/nodes/op.js';
import { decodePack } from '../../codec/packs/plain-pack.js';
import { generateKeys } from '../../peer.js';
import { type Store, StoreError } from '../../ports/store.js';
import { type Telemetry, silent } from '../../ports/telemetry.js';
import { ManualClock } from '../../testing/manual-clock.js';
import {
  EDITS,
  answersOf,
  edit,
  fill,
  id,
  join,
  open,
  push,
  recordsOf,
  withoutImages,
} from '../../testing/open-rooms.js';
import type { PastView } from '../reading/past.js';
import type { Room, RoomParts } from '../room.js';

const MINUTE = 60_000;
const VALUE = 'x'.repeat(1000);

const edits = fc.array(fc.record({ by: fc.nat(2), kind: fc.constantFrom(...EDITS), at: fc.nat(1000) }), {
  maxLength: 40,
});

/** A room that lets every value go that it may. */
const lean = (store: Store, others: Partial<RoomParts> = {}): Promise<Room> =>
  open(store, { leastDormant: 0, ...others });
/** The room of that log as it is where everything stays in memory. */
const twinOf = (store: Store): Promise<Room> => open(withoutImages(store), { leastDormant: Number.POSITIVE_INFINITY });

const textOf = (op: Op): string => (op.kind === 'set' ? String(decodeValue(op.value)) : op.kind);
const bound = (of: object, name: string | symbol): unknown => {
  const found: unknown = Reflect.get(of, name);
  return typeof found === 'function' ? (found.bind(of) as unknown) : found;
};

/** A store that works until the n-th call of one of its parts, which still does what it is asked for, and fails from then on. */
function endingAt(store: Store, at: string): Store {
  const [name = '', number = '1'] = at.split(' ');
  let left = Number(number);
  const part = (of: object, where: string): unknown =>
    new Proxy(of, {
      get: (real, method) => {
        const call = bound(real, method);
        if (typeof call !== 'function') return call;
        return async (...args: unknown[]) => {
          if (left === 0) throw new Error('the process ends');
          const done: unknown = await (call as (...args: unknown[]) => unknown)(...args);
          if (`${where}.${String(method)}` === name && --left === 0) throw new Error('the process ends');
          return done;
        };
      },
    });
  const { read } = store.log;
  const log = part(store.log, 'log') as Store['log'];
  const reading = new Proxy(log, {
    get: (real, method) => (method === 'read' ? read.bind(store.log) : bound(real, method)),
  });
  return { ...store, log: reading, images: part(store.images, 'images') as Store['images'] };
}

/** Counts records that are read for values. */
function counting(): Telemetry & { readonly reads: () => number } {
  let reads = 0;
  const record: Telemetry['record'] = (name, value) => {
    if (name === 'dormant_reads_total') reads += value;
  };
  return { ...silent, record, reads: () => reads };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const shown = (view: PastView): unknown => [
  view.seq,
  view.frontier,
  view.stateHash,
  [...view.entries()],
  [...view.winners()],
  view.text('t'),
  view.list('l'),
  ['r0', 'h0', 'k0', 'none'].map((key) => [view.prove(key), view.why(key), view.winningWrite(key)?.held]),
];

const thirdOf = ({ seq }: Room): number[] =>
  Array.from({ length: seq }, (_, node) => node).filter((node) => node % 3 === 0);
const sightOf = (room: Room) =>
  room.packed.sight({ subscribed: new Globs(['r0', 't']), readable: new Globs(['r*', 't', 'l']) });

/** Nodes of a pack. Which seals it has depends on what the room was read from. */
const nodesOf = (pack: Uint8Array | undefined): unknown => pack && decodePack(pack).nodes;

/** Everything that a room tells of its past. */
async function pastOf(room: Room): Promise<unknown> {
  const { seq } = room;
  const positions = [...new Set([0, 1, seq >> 2, seq >> 1, seq - 1, seq])].filter((at) => at >= 0 && at <= seq);
  const views: unknown[] = [];
  for (const at of positions) views.push(shown(await room.asOf(at)));
  views.push(shown(await room.past.of(thirdOf(room).slice(0, 20))));
  const held = new Uint8Array(seq).map((_, node) => (node % 5 < 2 ? 1 : 0));
  const sight = sightOf(room);
  const kinds: unknown[] = [];
  for (let node = 0; node < seq; node++) kinds.push(room.written.kindsOf(node, (key) => !key.startsWith('k')));
  return {
    views,
    entries: await all(room.history()),
    packs: [
      (await all(room.attestedPacks())).map(nodesOf),
      nodesOf(await room.packed.read(0, seq, {})),
      nodesOf(await room.packed.read(0, seq, { held })),
      nodesOf(await room.packed.read(0, seq, { sight })),
    ],
    parts: room.packed.partsOf(thirdOf(room)),
    copy: await room.packed.copyOf(0, seq, new Map()).then(({ table }) => table.content.finish()),
    kinds,
  };
}

/** What goes up to the next seal that is held, which after a reopening are fewer. */
const sealedOf = (room: Room): Promise<unknown> =>
  Promise.all([
    ...room.forks.map((fork) => room.forkProof(fork)),
    room.packed.select([room.seq >> 1], undefined),
    room.packed.select(thirdOf(room), undefined),
    room.packed.select(thirdOf(room), sightOf(room)),
  ]);

async function tells(room: Room): Promise<unknown> {
  return [await answersOf(room), await pastOf(room)];
}

describe('values that were overwritten', () => {
  it('[DV1] leave memory and change no answer: of a room, its past, its packs, and what comes later', async () => {
    const telemetry = counting();
    await fc.assert(
      fc.asyncProperty(edits, edits, edits, async (first, second, third) => {
        const [store, clock] = [memoryStore(), new ManualClock()];
        let room = await lean(store, { clock, telemetry });
        await room.set('exists', true);
        const keys = generateKeys();
        // Two of them are one author in two places.
        const replicas = [await join(room, keys), await join(room, keys), await join(room)];
        for (const some of [first, second, third]) {
          for (const step of some) await edit(replicas[step.by]!, room, step);
          for (const replica of replicas) await push(replica, room);
          for (let i = 0; i < 3; i++) await room.set('h0', i);
          const view = await room.asOf(room.seq >> 1);
          const before = shown(view);
          const sealed = await sealedOf(room);
          clock.advance(MINUTE);
          await room.compact();
          expect(shown(view)).toEqual(before);
          expect(await sealedOf(room)).toEqual(sealed);
          const twin = await tells(await twinOf(store));
          expect(await tells(room)).toEqual(twin);
          room = await lean(store, { clock, telemetry }); // from its image
          expect(await tells(room)).toEqual(twin);
          expect(await tells(await lean(withoutImages(store), { clock }))).toEqual(twin);
        }
      }),
      { numRuns: 4 },
    );
    expect(telemetry.reads()).toBeGreaterThan(0);
  });

  it('[DV1] are read from the log while the room is written to, compacted and read by others', async () => {
    const [store, clock, telemetry] = [memoryStore(), new ManualClock(), counting()];
    const room = await lean(store, { clock, telemetry });
    for (let round = 0; round < 2; round++) {
      const before = room.seq;
      await fill(room, 500, `${round}`);
      clock.advance(MINUTE);
      const held = new Uint8Array(room.seq).fill(1, 0, 100);
      const [past, , , pack] = await Promise.all([
        room.asOf(before + 300),
        room.compact(),
        fill(room, 100, `beside ${round}`),
        room.packed.read(0, before + 500, { held }),
        room.asOf(before + 450),
      ]);
      const twin = await twinOf(store);
      expect(shown(past)).toEqual(shown(await twin.asOf(before + 300)));
      expect(nodesOf(pack)).toEqual(nodesOf(await twin.packed.read(0, before + 500, { held })));
      expect(await tells(room)).toEqual(await tells(twin));
    }
    expect(telemetry.reads()).toBeGreaterThan(0);
  });

  it('[LM8] do not count against the limit of a room once they have left memory, and are all there', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const limit = { mostBytes: 6_000_000, clock };
    const room = await open(store, limit);
    for (let i = 0; i < 100; i++) await room.set(`k${i % 3}`, `${i} ${'x'.repeat(100_000)}`);
    expect([room.get('k0'), room.seq, room.weight < 4_500_000]).toEqual([expect.stringMatching(/^99 /), 101, true]);
    for (const each of [room, await open(store, limit), await open(withoutImages(store), limit)]) {
      expect(each.weight).toBeLessThan(4_500_000);
      const told = (await all(each.history(1))).map(({ writes }) => String(writes[0]?.value).split(' ')[0]);
      expect(told).toEqual(Array.from({ length: 100 }, (_, i) => String(i)));
      expect((await each.asOf(11)).get('k0')).toMatch(/^9 /);
    }
    const twin = await open(memoryStore(), { ...limit, leastDormant: Number.POSITIVE_INFINITY });
    const write = async (): Promise<void> => {
      for (let i = 0; i < 100; i++) await twin.set(`k${i % 3}`, `${i} ${'x'.repeat(100_000)}`);
    };
    await expect(write()).rejects.toMatchObject({ reason: 'room-full' });
  });

  it('[DV1] are in an image of a version that those who do not know them leave aside', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const room = await lean(store, { clock });
    await room.set('k', 1);
    await room.compact();
    expect((await store.images.get(id))![0]).toBe(1);
    await room.set('k', 2);
    clock.advance(MINUTE);
    await room.compact();
    const image = (await store.images.get(id))!;
    expect(image[0]).toBe(3);
    const again = await lean(store);
    expect([again.get('k'), (await again.asOf(2)).get('k')]).toEqual([2, 1]);
    expect(await store.images.get(id)).toEqual(image); // or it would have been read from the log
  });

  it('[DV1] [PN1] [VE1] are given up and erased like any others, out of the log too', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const room = await lean(store, { clock });
    await room.set('secret', 'canary of a secret');
    const both = [
      { key: 'secret', value: 'canary beside another' },
      { key: 'other', value: 'stays' },
    ];
    await room.transact(() => ({ writes: both, result: undefined }));
    await room.set('secret', 1);
    for (let i = 0; i < 5; i++) await room.set('old', `overwritten ${i}`);
    await room.compact();
    const pruned = await lean(store);
    const view = await pruned.asOf(6);
    expect(view.get('old')).toBe('overwritten 1');
    expect((await pruned.erase('secret', 'me')).nodes).toBe(3);
    await pruned.end();
    const erased = await lean(store);
    const logged = async (): Promise<string> =>
      JSON.stringify(
        (await recordsOf(store)).map(({ pack }) => decodePack(pack).nodes.map(({ ops }) => ops.map(textOf))),
      );
    expect(await logged()).not.toContain('canary');
    expect(await logged()).toContain('overwritten 1');
    expect([erased.get('secret'), erased.get('other')]).toEqual([undefined, 'stays']);
    expect((await erased.prune(erased.seq, 'me')).nodes).toBeGreaterThan(3);
    await erased.end();
    expect(await logged()).not.toContain('overwritten 1');
    const [left, twin] = [await lean(store), await twinOf(store)];
    expect(await answersOf(left)).toEqual(await answersOf(twin));
    expect((await all(left.attestedPacks())).map(nodesOf)).toEqual((await all(twin.attestedPacks())).map(nodesOf));
  });

  it('[DV1] [ST10] [PN1] [VE1] are erased and given up out of a room that is packed, which opens packed again', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const isPacked = async (): Promise<boolean> => (await store.images.get(id))?.[0] === 5;
    const opened = async (): Promise<Room> => {
      const [room, twin] = [await lean(store, { clock }), await twinOf(store)];
      expect(await answersOf(room)).toEqual(await answersOf(twin));
      expect((await all(room.attestedPacks())).map(nodesOf)).toEqual((await all(twin.attestedPacks())).map(nodesOf));
      return room;
    };
    let room = await lean(store, { clock });
    await room.set('secret', 'canary of a secret');
    for (let i = 0; i < 600; i++) await room.set(`k${i % 7}`, `value ${i}.`);
    await room.rest();
    expect(await isPacked()).toBe(true);
    room = await opened();
    expect((await room.erase('secret', 'me')).nodes).toBe(1);
    await room.end();
    room = await opened();
    await room.rest();
    expect(await isPacked()).toBe(true);
    room = await opened();
    expect((await room.prune(500, 'me')).nodes).toBeGreaterThan(400);
    await room.end();
    room = await opened();
    await room.rest();
    expect(await isPacked()).toBe(true);
    room = await opened();
    const told = JSON.stringify((await all(room.history())).map(({ writes }) => writes));
    expect([told.includes('canary'), told.includes('value 3.'), told.includes('value 599.')]).toEqual([
      false,
      false,
      true,
    ]);
    expect([room.get('secret'), room.get('k4')]).toEqual([undefined, 'value 599.']);
  });

  it.each(['images.remove', 'log.merge 1', 'log.merge 2'])(
    '[DV1] [PN1] are given up though the process ends at %s, and the room opens',
    async (at) => {
      const [store, clock] = [memoryStore(), new ManualClock()];
      const room = await lean(store, { clock });
      for (let i = 0; i < 40; i++) await room.set(`k${i % 5}`, `value ${i}`);
      await room.compact();
      for (let i = 0; i < 5; i++) await room.set('late', i);
      const dying = await lean(endingAt(store, at));
      await expect(dying.prune(30, 'me')).rejects.toThrow('the process ends');
      const next = await lean(store);
      expect(next.isDropDue).toBe(true);
      await next.finishDrops();
      await next.end();
      const [left, twin] = [await lean(store), await twinOf(store)];
      expect([left.isDropDue, left.facts.pruned?.state]).toEqual([false, 'done']);
      expect(await answersOf(left)).toEqual(await answersOf(twin));
      expect((await all(left.attestedPacks())).map(nodesOf)).toEqual((await all(twin.attestedPacks())).map(nodesOf));
      expect(JSON.stringify((await all(left.history())).map(({ writes }) => writes))).not.toContain('value 3"');
    },
  );

  it('[DV1] are all in memory again, and stay, where whoever holds the room says so', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const room = await lean(store, { clock });
    for (let i = 0; i < 20; i++) await room.set(`k${i % 3}`, `value ${i}`);
    await room.compact();
    expect(() => room.nodes.entry(1)).toThrow('lies in the log alone');
    await room.keepValues();
    const twin = await twinOf(store);
    const entries = (of: Room): unknown => Array.from({ length: of.seq }, (_, seq) => of.nodes.entry(seq));
    expect(entries(room)).toEqual(entries(twin));
    expect([...room.packs()].map(nodesOf)).toEqual([...twin.packs()].map(nodesOf));
    for (let i = 0; i < 20; i++) await room.set('k0', `later ${i}`);
    clock.advance(MINUTE);
    await room.compact();
    expect(room.nodes.entry(22).writes).toEqual([{ key: 'k0', value: 'later 1' }]);
    expect((await store.images.get(id))![0]).toBe(1);
    expect(await tells(room)).toEqual(await tells(await twinOf(store)));
  });

  it('[DV1] that the disk does not give are an error for who asks, and the room goes on', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    let isBroken = false;
    const read: Store['log']['read'] = (...of) => {
      if (isBroken) throw new StoreError('failed', 'the disk is gone');
      return store.log.read(...of);
    };
    const log = new Proxy(store.log, { get: (real, name) => (name === 'read' ? read : bound(real, name)) });
    const room = await lean({ ...store, log }, { clock });
    await room.set('k', 1);
    await room.set('k', 2);
    await room.compact();
    isBroken = true;
    await expect(room.asOf(2)).rejects.toThrow('the disk is gone');
    await expect(all(room.history())).rejects.toThrow('the disk is gone');
    await expect(room.packed.select([1], undefined)).rejects.toThrow('the disk is gone');
    expect(() => [...room.packs()]).toThrow('lies in the log alone');
    await room.set('k', 3);
    expect(room.get('k')).toBe(3);
    isBroken = false;
    expect((await room.asOf(2)).get('k')).toBe(1);
    expect((await all(room.history(1))).map(({ writes }) => writes[0]?.value)).toEqual([1, 2, 3]);
  });

  it('[DV1] that somebody else has given up meanwhile are refused: the room begins anew', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const room = await lean(store, { clock });
    for (let i = 0; i < 3; i++) await room.set('k', i);
    await room.compact();
    const image = (await store.images.get(id))!;
    const other = await open(store);
    await other.prune(other.seq, 'me');
    await other.end();
    await store.images.put(id, [image]); // by somebody who had not heard of it
    const anew = { reason: 'room-replaced', retryMs: 500 };
    await expect(room.asOf(2)).rejects.toMatchObject(anew);
    expect(await store.images.get(id)).toBeUndefined();
    expect((await all((await lean(store)).history(3))).map(({ writes }) => writes[0]?.value)).toContain(2);
    expect(await store.log.remove(room.id, new Uint8Array(1))).toBe(true);
    await expect(all(room.history())).rejects.toMatchObject(anew);
  });

  it('[PN5] count for what is due to be given up by size', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const room = await lean(store, { clock });
    for (let i = 0; i < 50; i++) await room.set('k', VALUE);
    await room.compact();
    expect(await room.retention.due({ historyBytes: 40_000, historyMs: 0 }, clock.now())).toBe(room.seq);
    expect(await room.retention.due({ historyBytes: 60_000, historyMs: 0 }, clock.now())).toBeUndefined();
  });
});
