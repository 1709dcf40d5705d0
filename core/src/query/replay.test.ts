import { describe, expect, it } from 'vitest';
import { Globs } from '../access/glob.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { generateKeys } from '../peer.js';
import type { Room } from '../room/room.js';
import { fill, join, open, push } from '../testing/open-rooms.js';
import { Builder } from './builder.js';
import { Catalogue } from './catalogue.js';
import { Origins } from './origin.js';
import { type ReplayRequest, replay } from './replay.js';

const originsOf = (room: Room) => new Origins(room, new Builder(room, new Catalogue(room)));

const of = (room: Room, request: Partial<ReplayRequest>, readable?: Globs) =>
  replay(room, originsOf(room), { keyPrefix: '', ...request }, readable);

describe('a replay', () => {
  it('[RP1] gives nodes in the order of the log, in pages that hold whatever comes meanwhile [fault 42]', async () => {
    const store = memoryStore();
    const room = await open(store);
    await fill(room, 30);
    const end = room.seq;
    const whole = await of(room, { limit: 1000 });
    expect(whole.items.map(({ seq }) => seq)).toEqual(Array.from({ length: end }, (_, seq) => seq));
    expect(whole.next).toBeNull();
    const ids: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 100; page++) {
      const { items, next } = await of(room, { limit: 7, cursor });
      ids.push(...items.map(({ nodeId }) => nodeId));
      await room.set('k', page);
      if (ids.length >= end || next === null) break;
      cursor = next;
    }
    expect(ids.slice(0, end)).toEqual(whole.items.map(({ nodeId }) => nodeId));
    await room.compact();
    const again = await open(store);
    expect((await of(again, { limit: end })).items).toEqual(whole.items);
    expect([(await of(room, { limit: 0 })).limit, (await of(room, { limit: 9999 })).limit]).toEqual([1, 1000]);
    for (const bad of ['', 'x', 'seq:-1', 'seq:01', `seq:${room.seq + 1}`])
      await expect(of(room, { cursor: bad })).rejects.toMatchObject({ reason: 'reject.invalid_payload' });
    expect((await of(room, { cursor: `seq:${room.seq}` })).items).toEqual([]);
  });

  it('[RP1] gives what is under a prefix, from a lamport on', async () => {
    const room = await open(memoryStore());
    for (const key of ['docs/a', 'other', 'docs/b', 'other']) await room.set(key, key);
    const { items } = await of(room, { keyPrefix: 'docs/' });
    expect(items.map(({ seq, lamport, touchedKeys }) => [seq, lamport, touchedKeys])).toEqual([
      [1, 2, ['docs/a']],
      [3, 4, ['docs/b']],
    ]);
    expect((await of(room, { keyPrefix: 'docs/', fromLamport: 3 })).items.map(({ seq }) => seq)).toEqual([3]);
    expect((await of(room, { fromLamport: 4 })).items.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it('[RP2] gives ops of every kind, decoded [fault 42]', async () => {
    const room = await open(memoryStore());
    const keys = generateKeys();
    const author = await join(room, keys);
    author.set('k', { deep: [1] });
    author.delete('k');
    author.setBlob('b', 'ab'.repeat(32));
    author.text('t').insert(0, 'text');
    author.text('t').delete(1, 2);
    author.list('l').insert(0, 'one');
    author.list('l').insert(1, 'two');
    author.list('l').move(1, 0);
    author.list('l').delete(0);
    await push(author, room);
    const other = await join(room);
    for (const pack of room.packs()) await other.receive(pack);
    other.text('t').insert(1, 'x');
    await push(other, room);
    const { items } = await of(room, { cursor: 'seq:1' });
    const node = items[3]!.nodeId;
    expect(items.map(({ ops }) => ops)).toEqual([
      [{ kind: 'set', key: 'k', value: { deep: [1] } }],
      [{ kind: 'delete', key: 'k' }],
      [{ kind: 'set-blob', key: 'b', hash: 'ab'.repeat(32) }],
      [{ kind: 'text-insert', key: 't', anchor: { ref: null, side: 'right' }, text: 'text' }],
      [{ kind: 'text-delete', key: 't', last: 2, count: 2 }],
      [{ kind: 'list-insert', key: 'l', anchor: { ref: null, side: 'right' }, values: ['one'] }],
      [{ kind: 'list-insert', key: 'l', anchor: { ref: 4, side: 'right' }, values: ['two'] }],
      [{ kind: 'list-move', key: 'l', item: 5, anchor: { ref: 4, side: 'left' } }],
      [{ kind: 'list-delete', key: 'l', last: 5, count: 1 }],
      [
        {
          kind: 'text-insert',
          key: 't',
          anchor: { ref: { node, offset: 1 }, side: 'left' },
          text: 'x',
        },
      ],
    ]);
    expect([items[0]!.author, typeof items[0]!.wallMs]).toEqual([keys.publicKey, 'number']);
  });

  it('[RP2] leaves out ops that no answer holds, and ends a page before it is too long', async () => {
    const room = await open(memoryStore());
    for (let i = 0; i < 3; i++) await room.set(`k${i}`, 'x'.repeat(500_000));
    await room.set('large', '\0'.repeat(400_000)); // six characters of JSON for each
    await room.set('small', 1);
    const first = await of(room, { keyPrefix: 'k' });
    expect([first.items.length, first.next]).toEqual([2, 'seq:3']);
    const { items } = await of(room, { cursor: 'seq:4' });
    expect(items.map(({ ops, touchedKeys }) => [ops?.length, touchedKeys])).toEqual([
      [undefined, ['large']],
      [1, ['small']],
    ]);
  });

  it('[RP3] gives only nodes of which every key may be read', async () => {
    const room = await open(memoryStore());
    await room.set('docs/a', 1);
    await room.set('secret', 1);
    await room.transact(() => ({
      writes: [
        { key: 'docs/b', value: 1 },
        { key: 'secret', value: 2 },
      ],
      result: undefined,
    }));
    const readable = new Globs(['docs/**']);
    expect((await of(room, {}, readable)).items.map(({ seq }) => seq)).toEqual([0, 1]);
    expect((await of(room, { keyPrefix: 'docs/' }, readable)).items.map(({ seq }) => seq)).toEqual([1]);
    expect((await of(room, { keyPrefix: 'secret' }, readable)).items).toEqual([]);
  });
});
