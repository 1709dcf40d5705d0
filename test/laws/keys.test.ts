/** Keys and values at the edges: names that JavaScript gives a meaning to, forms of Unicode, the greatest sizes. */
import { type Replica, type Room, DecodeError, Rejection, decodePack, encodePack, fromHex } from '@weft/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, join, keysOf, openRoom, reasons, sealed } from './support.js';

const MIB = 1024 * 1024;
const refused = expect.objectContaining({ name: 'Rejection', reason: 'invalid-value' });

/** Pushes what a writer has written; answers the room and the replicas that read its history. */
async function pushed(write: (replica: Replica) => void): Promise<{ room: Room; all: (Replica | Room)[] }> {
  const room = await openRoom();
  const [writer, reader] = [await join(room, 1), await join(room, 2)];
  write(writer);
  expect(reasons(await admit(room, await sealed(writer)))).toEqual([]);
  for (const pack of room.packs()) expect(reasons(await reader.receive(pack))).toEqual([]);
  expect([writer.stateHash, reader.stateHash]).toEqual([room.stateHash, room.stateHash]);
  return { room, all: [writer, reader, room] };
}

const entriesOf = (of: Replica | Room): unknown[] => [...of.entries()];

describe('keys', () => {
  it('[MP4] may be called what every object has: registers, texts and lists [fault 20]', async () => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'prototype', 'toString', 'valueOf'];
    const untouched = await join(await openRoom(), 3);
    for (const name of names) {
      expect(untouched.get(name)).toBeUndefined();
      expect([String(untouched.text(name)), untouched.list(name).toArray()]).toEqual(['', []]);
    }
    const { all } = await pushed((replica) => {
      for (const name of names) {
        replica.set(name, `of ${name}`);
        replica.text(name).insert(0, `text of ${name}`);
        replica.list(name).push(name);
      }
      replica.delete('toString');
    });
    const left = names.filter((name) => name !== 'toString');
    for (const of of all) {
      expect(entriesOf(of)).toEqual(left.map((name) => [name, `of ${name}`]));
      expect(names.map((name) => String(of.text(name)))).toEqual(names.map((name) => `text of ${name}`));
      expect(names.map((name) => [...itemsOf(of, name)])).toEqual(names.map((name) => [name]));
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('[ND5] are not normalised: forms that look alike are apart [fault 20]', async () => {
    const pairs = ['é', 'ﬁ', 'Å', '한'].flatMap((text) => [text.normalize('NFC'), text.normalize('NFD')]);
    const keys = [
      ...new Set([...pairs, '👩‍👩‍👧', '👩👩👧', '\u{10ffff}', '\uffff', '\ufeff', '\ufeffa', 'a', 'a\0', ' ', '\t']),
    ];
    const { all } = await pushed((replica) => keys.forEach((key, number) => replica.set(key, number)));
    // [MP3] The order is that of code units, in which a pair stands before U+FFFF.
    const expected = keys.map((key, number) => [key, number] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    expect(expected.at(-1)?.[0]).toBe('\uffff');
    for (const of of all) expect(entriesOf(of)).toEqual(expected);
  });

  it('[ND5] are the same on replica and server, whatever text they are [fault 20]', async () => {
    const key = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .filter((text) => !/^(\0|_topology\/)/.test(text));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(key, { minLength: 1, maxLength: 10 }), async (keys) => {
        const { all } = await pushed((replica) => keys.forEach((each, number) => replica.set(each, number)));
        const expected = [...keys.entries()]
          .map(([number, each]) => [each, number])
          .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
        for (const of of all) expect(entriesOf(of)).toEqual(expected);
      }),
      { numRuns: 8 },
    );
  });

  it.each([
    ['4,096 bytes of ASCII', 'k'.repeat(4096)],
    ['4,096 bytes in 1,024 pairs', '😀'.repeat(1024)],
    ['4,095 bytes in 1,365 units of three', '한'.repeat(1365)],
  ])('[ND5] may have up to %s', async (_, key) => {
    const { all } = await pushed((replica) => {
      replica.set(key, 1);
      replica.text(key).insert(0, 'text');
      replica.list(key).push('item');
    });
    for (const of of all) expect([of.get(key), String(of.text(key)), itemsOf(of, key)]).toEqual([1, 'text', ['item']]);
  });

  it.each([
    ['nothing', ''],
    ['4,097 bytes', 'k'.repeat(4097)],
    ['4,097 bytes in fewer units', `${'😀'.repeat(1024)}k`],
    ['1 MiB', 'k'.repeat(MIB)],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00a'],
    ['halves in the wrong order', '\ude00\ud83d'],
  ])('[ND5] of %s are refused where they are written, and in a pack', async (_, key) => {
    const room = await openRoom();
    const replica = await join(room, 1);
    const before = [replica.stateHash, replica.frontier];
    expect(() => replica.set(key, 1)).toThrow(refused);
    expect(() => replica.delete(key)).toThrow(refused);
    expect(() => replica.setBlob(key, 'ab'.repeat(32))).toThrow(refused);
    expect(() => replica.text(key).insert(0, 'x')).toThrow(refused);
    expect(() => replica.list(key).push('x')).toThrow(refused);
    await expect(room.set(key, 1)).rejects.toBeInstanceOf(Rejection);
    expect([replica.stateHash, replica.frontier]).toEqual(before);
    expect(await replica.seal()).toBeUndefined();
    const node = {
      id: new Uint8Array(32),
      counter: 0,
      room: fromHex(room.genesis.id),
      author: fromHex(keysOf(1).publicKey),
      parents: [],
      ops: [{ kind: 'delete', key } as const],
    };
    // Either no pack can be made of it, or none that is read.
    expect(() => decodePack(encodePack({ nodes: [node], seals: [] }))).toThrow(DecodeError);
  });
});

describe('values', () => {
  it('[ND4] are the same on replica and server, __proto__ inside them included, and change no prototype', async () => {
    const values: readonly unknown[] = [
      ...[null, true, 0, -1, 2 ** 31, 2 ** 53 - 1, 1.5, '', 'ü😀', [], {}, [[[]]], new Uint8Array([0, 255])],
      ...[
        Number.MAX_VALUE,
        Number.MIN_VALUE,
        -(2 ** 31) - 1,
        { a: { b: [{ c: null }] } },
        { constructor: { prototype: 1 } },
      ],
      ...[JSON.parse('{"__proto__":{"polluted":1}}'), JSON.parse('{"a":[{"__proto__":{"polluted":1}}]}')],
    ];
    const { all } = await pushed((replica) => {
      values.forEach((value, number) => replica.set(`k${number}`, value));
      replica.list('l').push(...values);
    });
    const [writer, ...others] = all as [Replica, Replica, Room];
    for (const of of others) {
      for (const number of values.keys()) expect(of.get(`k${number}`)).toEqual(writer.get(`k${number}`));
      expect(itemsOf(of, 'l')).toEqual(itemsOf(writer, 'l'));
    }
    const plain = values.slice(0, -2);
    expect(plain.map((_, number) => writer.get(`k${number}`))).toEqual(plain);
    expect(itemsOf(writer, 'l').slice(0, plain.length)).toEqual(plain);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('[ND5] may fill a node of 1 MiB, and not more [fault 33]', async () => {
    const { all } = await pushed((replica) => {
      replica.set('bytes', new Uint8Array(MIB - 512).fill(7));
      replica.set('text', 'x'.repeat(MIB - 512));
      replica.list('l').push('y'.repeat(MIB - 16_384));
      expect(() => replica.set('more', new Uint8Array(MIB))).toThrow(refused);
      expect(() => replica.set('more', 'x'.repeat(MIB))).toThrow(refused);
      expect(() => replica.list('l').push('y'.repeat(MIB))).toThrow(refused);
    });
    for (const of of all) {
      expect([of.get('text'), of.get('more')]).toEqual(['x'.repeat(MIB - 512), undefined]);
      expect((of.get('bytes') as Uint8Array).length).toBe(MIB - 512);
      expect(itemsOf(of, 'l')).toEqual(['y'.repeat(MIB - 16_384)]);
    }
  });

  it('[ND5] of a text may be longer than a node: it becomes several [fault 33]', async () => {
    const long = 'ä😀'.repeat(MIB / 4);
    const { all } = await pushed((replica) => replica.text('t').insert(0, long));
    for (const of of all) expect(String(of.text('t')) === long).toBe(true);
  });
});

function itemsOf(of: Replica | Room, key: string): unknown[] {
  const list = of.list(key);
  return Array.isArray(list) ? list : list.toArray();
}
