import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { NODE_BOUNDS } from '../../codec/nodes/canonical-node.js';
import { decodePack } from '../../codec/packs/plain-pack.js';
import type { PackedNode } from '../../codec/packs/packed-node.js';
import { encodeNode } from '../../codec/testing/nodes.js';
import { createHost } from '../../engine.js';
import { createReplica, generateKeys } from '../../peer.js';
import type { Room } from '../../room/room.js';
import type { Replica } from './replica.js';

const newRoom = (): Promise<Room> => createHost({ store: memoryStore() }).room('room');
const join = (room: Room, keys = generateKeys()): Promise<Replica> =>
  createReplica({ genesis: room.genesis.pack, keys });
/** What a replica has written since the last time, taken by the room. */
async function pushed(replica: Replica, room: Room): Promise<readonly PackedNode[]> {
  const pack = await replica.seal();
  if (!pack) return [];
  expect((await room.admit(pack, { from: 'peer' })).refused).toEqual([]);
  replica.confirm();
  return decodePack(pack).nodes;
}
async function pull(replica: Replica, room: Room): Promise<void> {
  for (const pack of room.packs(replica.frontier)) expect((await replica.receive(pack)).refused).toEqual([]);
}
const valuesOf = (replica: Replica): unknown => [
  replica.text('t').toString(),
  replica.list('l').toArray(),
  [...replica.entries()],
];
const same = (room: Room): unknown => [room.text('t'), room.list('l'), [...room.entries()]];

interface Edit {
  readonly kind: number;
  readonly at: number;
  readonly to: number;
  readonly word: string;
}
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.nat(11),
  at: fc.nat(),
  to: fc.nat(),
  word: fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', ' '), minLength: 1, maxLength: 4 }),
});

function apply(replica: Replica, { kind, at, to, word }: Edit): void {
  const [text, list] = [replica.text('t'), replica.list('l')];
  const [length, items] = [text.length, list.length];
  if (kind < 4) text.insert(at % (length + 1), word);
  else if (kind === 4) text.delete(at % (length + 1), Math.min(to % 6, length - (at % (length + 1))));
  else if (kind < 7) list.insert(at % (items + 1), ...[...word].slice(0, to % 4));
  else if (kind === 7) list.delete(at % (items + 1), Math.min(to % 3, items - (at % (items + 1))));
  else if (kind < 10 && items > 0) list.move(at % items, to % items);
  else if (kind === 10) replica.set(`r${at % 3}`, word);
  else replica.delete(`r${at % 3}`);
}

describe('edits in a batch', () => {
  it('[RE1] give what they give one by one, here, on the server and for others, with fewer nodes', async () => {
    const step = fc.record({ edits: fc.array(edit, { maxLength: 12 }), exchange: fc.boolean(), looks: fc.boolean() });
    let nodes = 0;
    let batchedNodes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8, size: 'max' }), async (steps) => {
        const [room, batchedRoom] = [await newRoom(), await newRoom()];
        const [plain, batched, other] = [await join(room), await join(batchedRoom), await join(batchedRoom)];
        for (const { edits, exchange, looks } of steps) {
          for (const one of edits) apply(plain, one);
          batched.batch(() => {
            for (const one of edits) {
              apply(batched, one);
              if (looks) valuesOf(batched);
            }
            expect([batched.text('t').length, batched.list('l').length]).toEqual([
              plain.text('t').length,
              plain.list('l').length,
            ]);
          });
          expect(valuesOf(batched)).toEqual(valuesOf(plain));
          if (!exchange) continue;
          nodes += (await pushed(plain, room)).length;
          batchedNodes += (await pushed(batched, batchedRoom)).length;
          await pull(other, batchedRoom);
          expect([same(batchedRoom), valuesOf(other)]).toEqual([valuesOf(plain), valuesOf(plain)]);
          // A room that nobody has written to does not hold its genesis yet.
          if (batchedRoom.seq === 0) continue;
          expect([other.stateHash, batchedRoom.stateHash]).toEqual([batched.stateHash, batched.stateHash]);
        }
      }),
      { numRuns: process.env['TESTS_LONG'] ? 60 : 30 },
    );
    expect(batchedNodes).toBeGreaterThan(0);
    expect(batchedNodes).toBeLessThan(nodes * 0.8);
  });

  it('[RE1] of several who write at once give one state', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const replicas = await Promise.all([join(room, keys), join(room, keys), join(room)]);
    const edits = fc.sample(fc.array(edit, { minLength: 10, maxLength: 10 }), { seed: 5, numRuns: 30 });
    for (const [round, each] of edits.entries()) {
      const replica = replicas[round % 3] as Replica;
      replica.batch(() => each.forEach((one) => apply(replica, one)));
      if (round % 5 < 4) continue;
      for (const one of replicas) await pushed(one, room);
      for (const one of replicas) await pull(one, room);
      for (const one of replicas) expect([valuesOf(one), one.stateHash]).toEqual([same(room), room.stateHash]);
    }
    expect(room.text('t').length).toBeGreaterThan(50);
  });

  it('[ND6] share one node, also those of a batch within a batch', async () => {
    const room = await newRoom();
    const replica = await join(room);
    replica.batch(() => {
      for (const unit of 'typed') replica.text('t').insert(replica.text('t').length, unit);
      replica.batch(() => replica.list('l').push(1, 2, 3));
      replica.set('r', 1);
      replica.delete('q');
      replica.setBlob('b', 'ab'.repeat(32));
      replica.text('t').delete(1, 2);
      replica.list('l').delete(0);
    });
    replica.set('alone', 1);
    const [node, ...others] = await pushed(replica, room);
    expect(node?.ops.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 5 }, () => 'text-insert'),
      ...Array.from({ length: 3 }, () => 'list-insert'),
      ...['set', 'delete', 'set-blob', 'text-delete', 'list-delete'],
    ]);
    expect(others.map(({ ops }) => ops.map(({ key }) => key))).toEqual([['alone']]);
    expect([room.text('t'), room.list('l')]).toEqual(['ted', [2, 3]]);
  });

  it('[ND6] write nothing when there are none', async () => {
    const replica = await join(await newRoom());
    const before = replica.frontier;
    replica.batch(() => undefined);
    replica.batch(() => replica.text('t').insert(0, ''));
    expect([replica.frontier, await replica.seal()]).toEqual([before, undefined]);
  });

  it.each<[string, (replica: Replica) => unknown, unknown]>([
    ['a text', (replica) => replica.text('t').toString(), 'abc'],
    ['the length of a text', (replica) => replica.text('t').length, 3],
    ['a list', (replica) => replica.list('l').toArray(), ['x', 'y']],
    ['the length of a list', (replica) => replica.list('l').length, 2],
    ['a register', (replica) => replica.get('r'), 'value'],
    ['the registers', (replica) => [...replica.entries('r')], [['r', 'value']]],
    ['where a register comes from', (replica) => replica.why('r')?.lamport, 2],
    ['where a unit comes from', (replica) => replica.why('t', { in: 'text', at: 2 })?.lamport, 2],
    ['a proof', (replica) => replica.prove('r').value, Uint8Array.of(0xa5, ...Buffer.from('value'))],
    ['the conflicts', (replica) => replica.conflicts, []],
  ])('[RE1] are seen inside by whoever reads %s', async (_, read, expected) => {
    const room = await newRoom();
    const replica = await join(room);
    replica.batch(() => {
      replica.text('t').insert(0, 'abc');
      replica.list('l').push('x', 'y');
      replica.set('r', 'value');
      expect(read(replica)).toEqual(expected);
      replica.set('after', 1);
      expect(read(replica)).toEqual(expected);
    });
    expect((await pushed(replica, room)).length).toBeLessThanOrEqual(2);
    expect([room.get('r'), room.get('after'), room.text('t'), room.list('l')]).toEqual(['value', 1, 'abc', ['x', 'y']]);
  });

  it('[RE1] are seen inside by whoever asks for the heads or the state hash, which move on each time', async () => {
    const replica = await join(await newRoom());
    const seen: string[] = [`${replica.frontier.join()} ${replica.stateHash}`];
    replica.batch(() => {
      for (const unit of 'abc') {
        replica.text('t').insert(0, unit);
        seen.push(`${replica.stateHash} ${replica.frontier.join()}`);
      }
    });
    expect(new Set(seen.flatMap((both) => both.split(' '))).size).toBe(8);
    expect(replica.frontier).toHaveLength(1);
  });

  it('[RE1] are kept up to where the batch threw, and editing goes on', async () => {
    const room = await newRoom();
    const replica = await join(room);
    expect(() =>
      replica.batch(() => {
        replica.text('t').insert(0, 'kept');
        replica.list('l').push(1);
        throw new Error('a bug of the caller');
      }),
    ).toThrow('a bug of the caller');
    expect([replica.text('t').toString(), replica.list('l').toArray()]).toEqual(['kept', [1]]);
    expect(await pushed(replica, room)).toHaveLength(1);
    replica.text('t').insert(4, ' on');
    // That was no batch any more.
    replica.text('t').insert(7, '!');
    expect([(await pushed(replica, room)).length, room.text('t'), room.list('l')]).toEqual([2, 'kept on!', [1]]);
  });

  const nested = Array.from({ length: 80 }).reduce<unknown>((inner) => [inner], 1);
  it.each<[string, (replica: Replica) => void]>([
    ['an empty key', (replica) => replica.set('', 1)],
    ['a key with a lone surrogate', (replica) => replica.set('a\ud800', 1)],
    ['a key beyond 4,096 bytes', (replica) => replica.delete('k'.repeat(4097))],
    ['a function', (replica) => replica.set('k', () => 1)],
    ['a value nested too deeply', (replica) => replica.set('k', nested)],
    ['a value beyond 1 MiB', (replica) => replica.set('k', new Uint8Array(1024 * 1024))],
    ['a hash of 33 bytes', (replica) => replica.setBlob('k', 'ab'.repeat(33))],
    ['a hash that is none', (replica) => replica.setBlob('k', 'xy')],
    ['half of a pair', (replica) => replica.text('t').insert(0, '\ud83d')],
    ['an item beyond 1 MiB', (replica) => replica.list('l').push('y', new Uint8Array(1024 * 1024))],
    ['a text behind the end', (replica) => replica.text('t').insert(9, 'a')],
    ['a move behind the end', (replica) => replica.list('l').move(0, 9)],
  ])('[ND5] lose nothing when one of them is refused: %s', async (_, refused) => {
    const room = await newRoom();
    const replica = await join(room);
    replica.batch(() => {
      replica.text('t').insert(0, 'before');
      replica.list('l').push('x');
      replica.set('r', 1);
      expect(() => refused(replica)).toThrow();
      replica.text('t').insert(6, ' after');
      replica.list('l').push('z');
      replica.set('s', 2);
    });
    const expected = [
      'before after',
      ['x', 'z'],
      [
        ['r', 1],
        ['s', 2],
      ],
    ];
    expect(valuesOf(replica)).toEqual(expected);
    await pushed(replica, room);
    expect(same(room)).toEqual(expected);
  });

  it.each<[string, (replica: Replica) => void, number]>([
    [
      'long texts',
      (replica) => {
        for (let i = 0; i < 12; i++) replica.text('t').insert(i * 1000, '€'.repeat(60_000));
      },
      3,
    ],
    [
      'long keys',
      (replica) => {
        for (let i = 0; i < 200; i++) replica.text('k'.repeat(4096)).insert(i, 'x');
      },
      3,
    ],
    [
      'many small ops',
      (replica) => {
        for (let i = 0; i < 10_000; i++) replica.text('t').insert(i >> 1, 'x');
      },
      4,
    ],
    [
      'large values',
      (replica) => {
        for (let i = 0; i < 20; i++) replica.set(`r${i}`, 'x'.repeat(90_000));
        replica.set('great', 'x'.repeat(1_040_000));
        replica.set('small', 1);
      },
      8,
    ],
    [
      'large items',
      (replica) => {
        for (let i = 0; i < 20; i++) replica.list('l').push('x'.repeat(90_000), i);
        replica.list('l').push('x'.repeat(1_036_000), 'small');
      },
      8,
    ],
    [
      'deletes of many pieces',
      (replica) => {
        for (let i = 0; i < 3000; i++) replica.text('t').insert(0, 'xy');
        for (let i = 0; i < 3000; i++) replica.text('t').delete(i, 1);
      },
      4,
    ],
  ])('[ND5] that are too heavy for one node become several, which every replica takes: %s', async (_, edits, least) => {
    const room = await newRoom();
    const [replica, plain, other] = [await join(room), await join(await newRoom()), await join(room)];
    replica.batch(() => edits(replica));
    edits(plain);
    expect(valuesOf(replica)).toEqual(valuesOf(plain));
    const nodes = await pushed(replica, room);
    expect(nodes.length).toBeGreaterThanOrEqual(least);
    expect(nodes.length).toBeLessThan(60);
    for (const node of nodes) expect(encodeNode(node).length).toBeLessThanOrEqual(NODE_BOUNDS.bytes);
    await pull(other, room);
    expect([valuesOf(other), other.stateHash]).toEqual([valuesOf(replica), replica.stateHash]);
  });

  it('[LS1] move items, also such as were inserted or moved in the same batch', async () => {
    const room = await newRoom();
    const [replica, other] = [await join(room), await join(room)];
    replica.list('l').push('a', 'b', 'c');
    replica.batch(() => {
      const list = replica.list('l');
      list.push('d');
      list.move(3, 0);
      list.move(0, 2);
      list.insert(1, 'e');
      list.move(1, 4);
      list.delete(0);
      list.move(2, 0);
      list.delete(1);
    });
    const model = ['a', 'b', 'c', 'd'];
    model.splice(0, 0, ...model.splice(3, 1));
    model.splice(2, 0, ...model.splice(0, 1));
    model.splice(1, 0, 'e');
    model.splice(4, 0, ...model.splice(1, 1));
    model.splice(0, 1);
    model.splice(0, 0, ...model.splice(2, 1));
    model.splice(1, 1);
    await pushed(replica, room);
    await pull(other, room);
    expect([replica.list('l').toArray(), room.list('l'), other.list('l').toArray()]).toEqual([model, model, model]);
  });

  it('[TX1] do not separate the halves of a pair that was typed in the same batch', async () => {
    const replica = await join(await newRoom());
    replica.batch(() => {
      const text = replica.text('t');
      text.insert(0, 'a😀b');
      expect(() => text.insert(2, 'x')).toThrow(RangeError);
      expect(() => text.delete(2, 1)).toThrow(RangeError);
      expect(() => text.delete(0, 2)).toThrow(RangeError);
      text.insert(3, '𝄞');
      expect(() => text.insert(4, 'x')).toThrow(RangeError);
      text.delete(1, 2);
    });
    expect(replica.text('t').toString()).toBe('a𝄞b');
  });
});
