import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePack } from '../../codec/packs/plain-pack.js';
import { exchange, join, newRoom, sealed } from '../../testing/replicas.js';
import type { Replica } from '../replica/replica.js';

const itemsOf = (replica: Replica, key = 'l'): unknown[] => replica.list(key).toArray();

/** So many replicas that hold one list of these items. */
async function sharing(count: number, items: readonly unknown[]): Promise<Replica[]> {
  const room = await newRoom();
  const replicas = await Promise.all(Array.from({ length: count }, () => join(room)));
  replicas[0]?.list('l').push(...items);
  await exchange(...replicas);
  return replicas;
}

describe('editing a list', () => {
  it('[LS1] does what an array does: insert, delete and move to where the item stands afterwards', async () => {
    const room = await newRoom();
    const edit = fc.record({ kind: fc.nat(9), at: fc.nat(), to: fc.nat(), count: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 50, size: 'max' }), async (edits) => {
        const list = (await join(room)).list('l');
        const model: unknown[] = [];
        for (const [number, { kind, at, to, count }] of edits.entries()) {
          const position = at % (model.length + 1);
          if (kind < 4 || model.length === 0) {
            const items = Array.from({ length: count }, (_, i) => `${number}/${i}`);
            list.insert(position, ...items);
            model.splice(position, 0, ...items);
          } else if (kind < 6) {
            const some = Math.min(count, model.length - position);
            list.delete(position, some);
            model.splice(position, some);
          } else {
            const [from, target] = [at % model.length, to % model.length];
            list.move(from, target);
            model.splice(target, 0, ...model.splice(from, 1));
          }
          expect([list.toArray(), list.length]).toEqual([model, model.length]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('[ND4] holds any value, and equal ones apart', async () => {
    const items = [1, 1, 'a', null, { deep: [[['x']]] }, new Uint8Array([1, 2]), [], true, 1.5, 'a'];
    const [one, two] = await sharing(2, items);
    expect(itemsOf(one as Replica)).toEqual(items);
    expect(itemsOf(two as Replica)).toEqual(items);
    two?.list('l').delete(1);
    two?.list('l').delete(8);
    expect(itemsOf(two as Replica)).toEqual([...items.slice(0, 1), ...items.slice(2, 9)]);
  });

  it.each<[string, (replica: Replica) => void]>([
    ['an insert behind the end', (replica) => replica.list('l').insert(4, 'x')],
    ['an insert before the start', (replica) => replica.list('l').insert(-1, 'x')],
    ['an insert between positions', (replica) => replica.list('l').insert(0.5, 'x')],
    ['a delete beyond the end', (replica) => replica.list('l').delete(2, 2)],
    ['a delete of nobody', (replica) => replica.list('l').delete(3)],
    ['a delete of less than nothing', (replica) => replica.list('l').delete(3, -1)],
    ['a move from behind the end', (replica) => replica.list('l').move(3, 0)],
    ['a move to behind the end', (replica) => replica.list('l').move(0, 3)],
    ['a move from nowhere', (replica) => replica.list('l').move(Number.NaN, 0)],
    ['a move in another list', (replica) => replica.list('other').move(0, 0)],
  ])('[LS1] refuses %s, and nothing changes', async (_, edit) => {
    const [replica] = (await sharing(1, ['a', 'b', 'c'])) as [Replica];
    const before = replica.frontier;
    expect(() => edit(replica)).toThrow(RangeError);
    expect([itemsOf(replica), replica.frontier, await replica.seal()]).toEqual([['a', 'b', 'c'], before, undefined]);
    replica.list('l').push('d');
    expect(itemsOf(replica)).toEqual(['a', 'b', 'c', 'd']);
  });

  const nested = Array.from({ length: 80 }).reduce<unknown>((inner) => [inner], 1);
  it.each<[string, string, unknown[]]>([
    ['an empty key', '', ['x']],
    ['a key with a lone surrogate', 'k\ud83d', ['x']],
    ['a key beyond 4,096 bytes', 'k'.repeat(4097), ['x']],
    ['a function', 'l', [() => 1]],
    ['a function behind good items', 'l', ['x', 'y', () => 1]],
    ['a value nested too deeply', 'l', ['x', nested]],
    ['a value beyond 1 MiB', 'l', [new Uint8Array(1024 * 1024)]],
  ])('[ND5] refuses %s, and nothing changes', async (_, key, items) => {
    const [replica] = (await sharing(1, ['a'])) as [Replica];
    const before = replica.frontier;
    expect(() => replica.list(key).insert(0, ...items)).toThrow(expect.objectContaining({ reason: 'invalid-value' }));
    expect([itemsOf(replica), replica.frontier, await replica.seal()]).toEqual([['a'], before, undefined]);
    replica.list('l').push('b');
    expect(itemsOf(replica)).toEqual(['a', 'b']);
  });

  it('[LS1] writes nothing for a move to where the item stands, for no items, and for a delete of none', async () => {
    const [replica] = (await sharing(1, ['a', 'b'])) as [Replica];
    replica.list('l').move(1, 1);
    replica.list('l').insert(1);
    replica.list('l').delete(1, 0);
    expect(await replica.seal()).toBeUndefined();
    expect(itemsOf(replica)).toEqual(['a', 'b']);
  });

  it('[LS1] takes as many items at once as a call has arguments', async () => {
    const replica = await join(await newRoom());
    const items = Array.from({ length: 65_536 }, (_, i) => i);
    replica.batch(() => replica.list('l').push(...items));
    expect(replica.list('l').length).toBe(items.length);
  });

  it('[ND6] costs one node per push of many items, small against the items themselves', async () => {
    const [replica] = (await sharing(1, [])) as [Replica];
    for (let i = 0; i < 100; i++) replica.list('l').push(i % 10);
    const pack = (await sealed(replica)) ?? new Uint8Array();
    expect(decodePack(pack).nodes.flatMap(({ ops }) => ops)).toHaveLength(100);
    expect(pack.length).toBeLessThan(500);
  });
});

describe('editing a list together', () => {
  it('[LS1] moves an item that two move to one place, the same everywhere', async () => {
    const replicas = await sharing(3, ['a', 'b', 'c', 'd', 'e']);
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    one.list('l').move(0, 4);
    two.list('l').move(0, 2);
    await exchange(...replicas);
    const [result] = replicas.map((replica) => itemsOf(replica));
    expect([
      ['b', 'c', 'a', 'd', 'e'],
      ['b', 'c', 'd', 'e', 'a'],
    ]).toContainEqual(result);
    expect(replicas.map((replica) => itemsOf(replica))).toEqual([result, result, result]);
    // A later move beats both, also one back to where it was.
    three.list('l').move(result?.indexOf('a') ?? 0, 0);
    await exchange(...replicas);
    for (const replica of replicas) expect(itemsOf(replica)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('[LS1] loses an item that one deletes and another moves, however often and in either order', async () => {
    const replicas = await sharing(2, ['a', 'b', 'c']);
    const [one, two] = replicas as [Replica, Replica];
    one.list('l').delete(1);
    for (const to of [0, 2, 1, 2]) two.list('l').move(itemsOf(two).indexOf('b'), to);
    await exchange(...replicas);
    for (const replica of replicas) expect(itemsOf(replica)).toEqual(['a', 'c']);
    two.list('l').move(0, 1);
    one.list('l').delete(0);
    await exchange(...replicas);
    for (const replica of replicas) expect(itemsOf(replica)).toEqual(['c']);
    for (const replica of replicas) expect(replica.list('l').length).toBe(1);
  });

  it('[LS1] deletes an item where it was moved to, and what was put beside its old and new place stays', async () => {
    const replicas = await sharing(3, ['a', 'b', 'c', 'd']);
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    one.list('l').move(1, 3);
    one.list('l').insert(3, 'before b');
    two.list('l').insert(2, 'behind b');
    three.list('l').delete(1);
    await exchange(...replicas);
    for (const replica of replicas) expect(itemsOf(replica)).toEqual(['a', 'behind b', 'c', 'd', 'before b']);
  });

  it('[SQ4] keeps pushes of several items together', async () => {
    const replicas = await sharing(2, ['first', 'last']);
    const [one, two] = replicas as [Replica, Replica];
    one.list('l').insert(1, 1, 2, 3);
    for (const item of [9, 8, 7]) two.list('l').insert(1, item);
    await exchange(...replicas);
    expect(itemsOf(one)).toEqual(itemsOf(two));
    expect([
      ['first', 1, 2, 3, 7, 8, 9, 'last'],
      ['first', 7, 8, 9, 1, 2, 3, 'last'],
    ]).toContainEqual(itemsOf(one));
  });

  it('[MP4] keeps a register, a text and a list of one key apart', async () => {
    const replicas = await sharing(2, ['item']);
    const [one, two] = replicas as [Replica, Replica];
    one.set('l', 'register');
    two.text('l').insert(0, 'text');
    await exchange(...replicas);
    for (const replica of replicas) {
      expect([replica.get('l'), replica.text('l').toString(), itemsOf(replica)]).toEqual([
        'register',
        'text',
        ['item'],
      ]);
    }
    one.delete('l');
    two.list('l').delete(0);
    await exchange(...replicas);
    for (const replica of replicas) {
      expect([replica.get('l'), replica.text('l').toString(), itemsOf(replica)]).toEqual([undefined, 'text', []]);
    }
  });
});
