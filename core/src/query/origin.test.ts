import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Globs } from '../access/glob.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { toHex } from '../codec/bytes/bytes.js';
import type { WinningKey } from '../crdt/resolution.js';
import type { Room } from '../room/room.js';
import { EDITS, edit, join, open, push } from '../testing/open-rooms.js';
import { Builder } from './builder.js';
import { Catalogue } from './catalogue.js';
import { Origins } from './origin.js';
import { replay } from './replay.js';

const originsOf = (room: Room): Origins => new Origins(room, new Builder(room, new Catalogue(room)));
const latest = { kind: 'latest' } as const;
const at = (seq: number) => ({ kind: 'seq', seq }) as const;

async function winnersAt(room: Room, seq: number): Promise<WinningKey[]> {
  return [...(await room.asOf(seq)).winners()];
}

function readAll(origins: Origins, origin: Parameters<Origins['read']>[0]): WinningKey[] {
  const found: WinningKey[] = [];
  for (let node = 0; node < origin.nodes.length;) {
    const { keys, next } = origins.read(origin, node);
    found.push(...keys);
    node = next;
  }
  return found;
}

const users = (room: Room) => [...room.entries()];
const shown = (keys: readonly WinningKey[]) => keys.map((key) => ({ ...key, bytes: toHex(key.bytes) }));

describe('an origin', () => {
  it('[OR1] holds what stood at its checkpoint, values, winners and what was deleted, whatever came since', async () => {
    const step = fc.record({ by: fc.nat(2), kind: fc.constantFrom(...EDITS), at: fc.nat(1000) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), fc.nat(1000), async (steps, cut) => {
        const store = memoryStore();
        const room = await open(store);
        await room.set('first', 1);
        const replicas = [await join(room), await join(room), await join(room)];
        for (const step of steps) await edit(replicas[step.by]!, room, step);
        for (const replica of replicas) await push(replica, room);
        const seq = 1 + (cut % room.seq);
        const before = users(room);
        const origin = await originsOf(room).promote(at(seq), 'ann');
        expect(shown(readAll(originsOf(room), origin))).toEqual(shown(await winnersAt(room, seq)));
        expect(origin.hash).toBe((await room.asOf(seq)).stateHash);
        expect(users(room)).toEqual(before);
        await room.set('later', 1);
        const again = await open(store);
        expect(await originsOf(again).promote(at(seq), 'bob')).toEqual(origin);
        expect(shown(readAll(originsOf(again), origin))).toEqual(shown(await winnersAt(again, seq)));
      }),
      { numRuns: 7 },
    );
  });

  it('[OR1] is one for each checkpoint, also when it is asked for often and by many', async () => {
    const room = await open(memoryStore());
    const origins = originsOf(room);
    await expect(origins.promote(latest, 'ann')).rejects.toMatchObject({ reason: 'reject.checkpoint_not_found' });
    await room.set('k', 1);
    const seq = room.seq;
    const found = await Promise.all([latest, latest, at(seq), latest].map((moment) => origins.promote(moment, 'ann')));
    expect(new Set(found.map(({ nodes }) => nodes.join())).size).toBe(1);
    expect([room.seq, found[0]!.seq]).toEqual([seq + 1, seq]);
    await room.set('k', 2);
    const next = await origins.promote(latest, 'ann');
    expect([next.seq, next.nodes]).toEqual([seq + 2, [seq + 2]]);
    expect(await origins.promote(at(seq), 'ann')).toEqual(found[0]);
    await expect(origins.promote(at(99), 'ann')).rejects.toMatchObject({ reason: 'reject.checkpoint_not_found' });
  });

  it('[OR1] is a chain of nodes when it is large, and a longer value goes through several of them', async () => {
    const room = await open(memoryStore());
    for (let i = 0; i < 40; i++) await room.set(`k${i}`, `${i}`.repeat(20_000));
    await room.set('long', 'x'.repeat(1_000_000));
    const replica = await join(room);
    for (const pack of room.packs()) await replica.receive(pack);
    replica.text('t').insert(0, 'y'.repeat(900_000));
    replica.text('t').insert(0, 'z'.repeat(900_000));
    await push(replica, room);
    const origins = originsOf(room);
    const seq = room.seq;
    const [origin] = await Promise.all([origins.promote(at(seq), 'ann'), room.set('between', 1)]);
    expect(origin.nodes.length).toBeGreaterThan(6);
    expect(shown(readAll(origins, origin))).toEqual(shown(await winnersAt(room, seq)));
    expect(room.nodes.parentsOf(room.nodes.describe(origin.nodes.at(-1)!).nodeId)).toContain(
      room.nodes.describe(origin.nodes.at(-2)!).nodeId,
    );
  });

  it('[OR1] is not there when its last node is not', async () => {
    const store = memoryStore();
    const room = await open(store);
    for (let i = 0; i < 3; i++) await room.set(`k${i}`, 'v'.repeat(400_000));
    const end = room.seq;
    const append = store.log.append.bind(store.log);
    let left = 2;
    store.log.append = (...given) => (left-- > 0 ? append(...given) : Promise.reject(new Error('the host dies')));
    await expect(originsOf(room).promote(latest, 'ann')).rejects.toThrow('the host dies');
    store.log.append = append;
    const again = await open(store);
    expect([again.seq, originsOf(again).newest]).toEqual([end + 2, undefined]);
    const whole = await originsOf(again).promote(at(end), 'ann');
    expect(shown(readAll(originsOf(again), whole))).toEqual(shown(await winnersAt(again, end)));
  });
});

describe('a replay after a promotion', () => {
  it('[RP4] starts from the origin, and goes on behind its checkpoint', async () => {
    const room = await open(memoryStore());
    const replica = await join(room);
    replica.set('a/k', { deep: [1] });
    replica.setBlob('a/b', 'ab'.repeat(32));
    replica.text('a/t').insert(0, 'text');
    replica.list('b/l').push(1, 'two');
    replica.set('b/gone', 1);
    replica.delete('b/gone');
    await push(replica, room);
    const seq = room.seq;
    await room.set('a/k', 2);
    const origins = originsOf(room);
    const origin = await origins.promote(at(seq), 'ann');
    await room.set('c', 3);
    const all = { keyPrefix: '', limit: 100 };
    const start = await replay(room, origins, all, undefined);
    const about = { seq, hash: origin.hash };
    const anchor = { ref: null, side: 'right' };
    const ops = [
      { kind: 'set-blob', key: 'a/b', hash: 'ab'.repeat(32) },
      { kind: 'set', key: 'a/k', value: { deep: [1] } },
      { kind: 'text-insert', key: 'a/t', anchor, text: 'text' },
      { kind: 'delete', key: 'b/gone' },
      { kind: 'list-insert', key: 'b/l', anchor, values: [1, 'two'] },
    ];
    expect(start.items).toEqual([
      { ...room.nodes.describe(seq + 1), origin: about, touchedKeys: ops.map(({ key }) => key), ops },
    ]);
    const rest = await replay(room, origins, { ...all, cursor: start.next! }, undefined);
    expect(rest.items.map((item) => [item.seq, item.touchedKeys[0]])).toEqual([
      [seq, 'a/k'],
      [seq + 1, '\0query/origin-part'],
      [seq + 2, 'c'],
    ]);
    expect(rest.next).toBeNull();
    const some = await replay(room, origins, { keyPrefix: 'b/' }, undefined);
    expect(some.items.map((item) => item.ops)).toEqual([ops.slice(3)]);
    expect(await replay(room, origins, { keyPrefix: 'none/' }, undefined)).toMatchObject({
      items: [],
      next: `seq:${seq}`,
    });
  });

  it('[RP4] reads the whole log from a lamport on, and for who may not read everything', async () => {
    const room = await open(memoryStore());
    await room.set('a', 'v'.repeat(400_000));
    await room.set('b', 'v'.repeat(400_000));
    const origins = originsOf(room);
    await origins.promote(latest, 'ann');
    const whole = await replay(room, origins, { keyPrefix: '', fromLamport: 0 }, undefined);
    expect(whole.items.map((item) => [item.seq, item.origin])).toEqual([0, 1, 2].map((seq) => [seq, undefined]));
    const readable = new Globs(['a']);
    const part = await replay(room, origins, { keyPrefix: '' }, readable);
    expect(part.items.map((item) => item.touchedKeys[0])).toEqual(['\0genesis', 'a']);
    const cursor = 'origin:4.1';
    expect((await replay(room, origins, { keyPrefix: '', cursor }, undefined)).items).toHaveLength(1);
    await expect(replay(room, origins, { keyPrefix: '', cursor }, readable)).rejects.toThrow('cursor');
  });

  it('[RP4] goes through a long origin page by page, also when there is a newer one', async () => {
    const room = await open(memoryStore());
    const keys = Array.from({ length: 60 }, (_, i) => `k${String(i).padStart(2, '0')}`);
    for (const key of keys) await room.set(key, 'v'.repeat(40_000));
    const origins = originsOf(room);
    const origin = await origins.promote(latest, 'ann');
    const found: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 50; page++) {
      const { items, next } = await replay(room, origins, { keyPrefix: 'k', limit: 1, cursor }, undefined);
      found.push(...items.flatMap((item) => (item.origin ? item.touchedKeys : [])));
      await room.set('other', page);
      await origins.promote(latest, 'ann');
      if (next === null || next === `seq:${origin.seq}`) break;
      cursor = next;
    }
    expect(found).toEqual(keys);
    for (const bad of ['origin:1.1', `origin:${origin.nodes.at(-1)!}.99`, 'origin:x'])
      await expect(replay(room, origins, { keyPrefix: '', cursor: bad }, undefined)).rejects.toThrow('cursor');
  });
});
