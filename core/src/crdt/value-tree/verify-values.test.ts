import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { DecodeError } from '../../codec/bytes/bytes.js';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { keyOf, mandate, signerOf } from '../../testing/story.js';
import { BlobRef } from '../registers.js';
import { ENTRY_KINDS, placeOf } from './entry-order.js';
import { type Telling, writeEntries } from './entry-proof.js';
import { EntryTree } from './entry-tree.js';
import { type ShownSequence, writePart } from './part-proof.js';
import { type ShownValue, hashOfValue, summaryOf } from './shown-value.js';
import { openValueRoot, signValueRoot } from './value-root.js';
import { type ProvenEntry, type ValueProof, ValueProofs } from './verify-values.js';

type Kind = ProvenEntry['kind'];

const bytes = (value: unknown): ShownValue => ({ form: 'bytes', bytes: encodeValue(value) });
const TEXT = Array.from({ length: 400 }, (_, i) => `line ${i}`).join('\n');
const ITEMS = Array.from({ length: 200 }, (_, i) => i);
const text: ShownSequence = { form: 'text', text: TEXT, spans: [] };
const list: ShownSequence = { form: 'list', items: ITEMS.map((item) => encodeValue(item)) };
const marked: ShownSequence = {
  form: 'text',
  text: 'plain bold',
  spans: [
    { units: 6, marks: [] },
    { units: 4, marks: [['bold', encodeValue(true)]] },
  ],
};
const blob: ShownValue = { form: 'blob', hash: new Uint8Array(32).fill(7) };

const held: readonly (readonly [key: string, kind: Kind, shown: ShownValue])[] = [
  ['a', 'register', bytes(1)],
  ['a', 'text', text],
  ['ab', 'list', list],
  ['b', 'register', blob],
  ['b', 'text', marked],
  ['c', 'register', bytes({ deep: [true] })],
];

const checks = new ValueProofs(defaultCrypto, { room: 'room', authorities: [keyOf('root')] });

/** Proof that tells these entries, by key and kind, in these ways. */
async function proofOf(
  how: Readonly<Record<string, 'whole' | 'summary' | 'hashed'>>,
  part?: { readonly of: ShownSequence; readonly from: number; readonly to: number },
  { by = 'root', room = 'room' } = {},
): Promise<ValueProof> {
  const tree = new EntryTree();
  for (const [key, kind, shown] of held) tree.set(key, ENTRY_KINDS.indexOf(kind), hashOfValue(shown));
  const said = { genesis: '1'.repeat(64), stateHash: '2'.repeat(64), count: held.length, root: tree.root() };
  const told = new Map<number, Telling>();
  for (const node of tree.from(placeOf('', 0))) {
    const { key, kind } = tree.placeOf(node);
    const name = new TextDecoder().decode(key);
    const [, , shown] = held.find((one) => one[0] === name && one[1] === ENTRY_KINDS[kind])!;
    const way = how[`${name} ${ENTRY_KINDS[kind]}`];
    if (way === 'hashed') told.set(node, 'hashed');
    else if (way) told.set(node, way === 'whole' ? { whole: shown } : { summary: summaryOf(shown) });
  }
  const out = new ByteWriter();
  writeEntries(out, tree, told);
  if (part) writePart(out, part.of, part.from, part.to);
  const signed = await signValueRoot({ room, seq: 3, ...said }, signerOf(by));
  return { signed, proof: out.finish() };
}

const ALL = Object.fromEntries(held.map(([key, kind]) => [`${key} ${kind}`, 'whole'] as const));

describe('a proof of values', () => {
  it('[VR5] tells each value as it reads, in the order of keys and kinds', async () => {
    const page = await checks.page(await proofOf(ALL), {});
    expect(page?.at).toMatchObject({ authority: keyOf('root'), room: 'room', seq: 3, count: held.length });
    expect(page?.entries.map(({ shown: _, ...entry }) => entry)).toEqual([
      { key: 'a', kind: 'register', value: 1 },
      { key: 'a', kind: 'text', value: TEXT, length: TEXT.length },
      { key: 'ab', kind: 'list', value: ITEMS, length: ITEMS.length },
      { key: 'b', kind: 'register', value: new BlobRef('07'.repeat(32)) },
      {
        ...{ key: 'b', kind: 'text', value: 'plain bold', length: 10 },
        spans: [
          { text: 'plain ', marks: {} },
          { text: 'bold', marks: { bold: true } },
        ],
      },
      { key: 'c', kind: 'register', value: { deep: [true] } },
    ]);
    expect(page?.entries.map(({ shown }) => shown)).toEqual(held.map(([, , shown]) => shown));
    expect(page?.after).toBeUndefined();
  });

  it('[VR5] tells as far as nothing is left out, and where the next page begins', async () => {
    const some = await proofOf({ 'a register': 'whole', 'a text': 'summary', 'ab list': 'hashed' });
    const page = await checks.page(some, {});
    expect(page?.entries).toEqual([
      { key: 'a', kind: 'register', value: 1, shown: bytes(1) },
      { key: 'a', kind: 'text', length: TEXT.length },
      { key: 'ab', kind: 'list' },
    ]);
    expect(page?.after).toEqual({ key: 'ab', kind: 'list' });
    const behind = { after: { key: 'a', kind: 'register' } } as const;
    expect((await checks.page(some, behind))?.entries.map(({ kind }) => kind)).toEqual(['text', 'list']);
    const rest = await proofOf({
      'ab list': 'hashed',
      'b register': 'whole',
      'b text': 'whole',
      'c register': 'whole',
    });
    expect(await checks.page(rest, {}), 'what stands before it is not told').toBeUndefined();
    const last = await checks.page(rest, { after: { key: 'ab', kind: 'list' } });
    expect([last?.entries.length, last?.after]).toEqual([3, undefined]);
  });

  it('[VR5] tells of a prefix alone, all of it, or that there is nothing', async () => {
    const keysOf = async (prefix: string): Promise<unknown> => {
      const page = await checks.page(await proofOf(ALL), { prefix });
      return [page?.entries.map(({ key, kind }) => `${key} ${kind}`), page?.after];
    };
    expect(await keysOf('a')).toEqual([['a register', 'a text', 'ab list'], undefined]);
    expect(await keysOf('ab')).toEqual([['ab list'], undefined]);
    expect(await keysOf('aa')).toEqual([[], undefined]);
    expect(await keysOf('d')).toEqual([[], undefined]);
  });

  it('[VR5] tells one value, or that a key holds none of that kind', async () => {
    const proof = await proofOf(ALL);
    expect((await checks.value(proof, 'a', 'text'))?.entry).toMatchObject({ key: 'a', kind: 'text', value: TEXT });
    expect((await checks.value(proof, 'c', 'register'))?.entry).toMatchObject({ value: { deep: [true] } });
    for (const [key, kind] of [
      ['a', 'list'],
      ['ab', 'register'],
      ['c', 'list'],
      ['d', 'register'],
    ] as const) {
      const found = await checks.value(proof, key, kind);
      expect([found?.at.room, found?.entry], `${key} ${kind}`).toEqual(['room', undefined]);
    }
  });

  it.each<[string, Kind & ('text' | 'list'), ShownSequence, (from: number, to: number) => unknown]>([
    ['a', 'text', text, (from, to) => TEXT.slice(from, to)],
    ['ab', 'list', list, (from, to) => ITEMS.slice(from, to)],
    ['b', 'text', marked, (from, to) => 'plain bold'.slice(from, to)],
  ])('[VR6] tells any part of %s, a %s, and none that does not lie within it', async (key, kind, of, expected) => {
    const length = of.form === 'list' ? of.items.length : of.text.length;
    const ways = { [`${key} ${kind}`]: 'summary' } as const;
    for (const [from, to] of [
      [0, 0],
      [0, 1],
      [0, length],
      [3, 5],
      [length - 1, length],
      [length, length],
    ] as const) {
      const read = await checks.part(await proofOf(ways, { of, from, to }), { key, kind, from, to });
      expect(read, `${from} to ${to}`).toMatchObject({ length, value: expected(from, to) });
    }
    const proof = await proofOf(ways, { of, from: 0, to: length });
    for (const [from, to] of [
      [-1, 1],
      [3, 2],
      [0, length + 1],
      [length + 1, length + 1],
      [Number.NaN, 1],
    ] as const)
      expect(await checks.part(proof, { key, kind, from, to }), `${from} to ${to}`).toBeUndefined();
    for (const other of [
      { key: 'c', kind },
      { key, kind: kind === 'text' ? 'list' : 'text' },
    ] as const)
      expect(await checks.part(proof, { ...other, from: 0, to: 1 })).toBeUndefined();
  });

  it('[VR6] tells the marks of a part, cut to it', async () => {
    const part = { key: 'b', kind: 'text', from: 4, to: 8 } as const;
    const read = await checks.part(await proofOf({ 'b text': 'summary' }, { of: marked, ...part }), part);
    expect(read?.spans).toEqual([
      { text: 'n ', marks: {} },
      { text: 'bo', marks: { bold: true } },
    ]);
  });

  it('[VR4] is of this room, by who speaks for it, and of nothing else', async () => {
    expect(await checks.page(await proofOf(ALL, undefined, { by: 'stranger' }), {})).toBeUndefined();
    expect(await checks.page(await proofOf(ALL, undefined, { room: 'other' }), {})).toBeUndefined();
    const { signed, proof } = await proofOf(ALL);
    for (const [at, shown] of [signed, proof].entries())
      for (let i = 0; i < shown.length; i += 7) {
        const changed = shown.slice();
        changed[i]! ^= 1;
        const given = at === 0 ? { signed: changed, proof } : { signed, proof: changed };
        expect(await checks.page(given, {}), `byte ${i}`).toBeUndefined();
      }
    const said = {
      room: 'room',
      genesis: '1'.repeat(64),
      stateHash: '2'.repeat(64),
      count: 0,
      root: new Uint8Array(32),
    };
    const certified = { ...signerOf('process'), certificate: await mandate('signer', 'root', 'process') };
    const root = await signValueRoot(said, certified);
    const open = (bytes: Uint8Array) => openValueRoot(bytes, [keyOf('root')], defaultCrypto);
    expect(await open(root)).toMatchObject({ authority: keyOf('process'), seq: undefined });
    for (const version of [0, 1, 3, 4, 255]) await expect(open(root.with(1, version))).rejects.toThrow(DecodeError);
    const longer = Uint8Array.from([...proof, 0]);
    expect(await checks.page({ signed, proof: longer }, {})).toBeUndefined();
  });
});
