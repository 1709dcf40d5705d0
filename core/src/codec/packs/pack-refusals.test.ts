import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError, concatBytes, toUtf8 } from '../bytes/bytes.js';
import { crc32, sha256 } from '../bytes/hash.js';
import type { Op } from '../nodes/op.js';
import { PACK_BOUNDS } from './pack.js';
import { decodePack } from './plain-pack.js';

/** Bytes that are put in place of others: each of them in a third of all places, and in the long suite each in each. */
const BYTES = [0, 1, 2, 3, 4, 5, 6, 9, 31, 33, 64, 126, 127, 128, 129, 193, 254, 255];
const STEP = process.env['TESTS_LONG'] ? 1 : 3;

/** A frame with a right checksum around whatever body a test makes up. */
function framed(body: Uint8Array, { version = 1, flags = 0, length = body.length } = {}): Uint8Array {
  const out = new ByteWriter();
  out.byte(0x57);
  out.byte(version);
  out.byte(flags);
  out.varint(length);
  out.bytes(body);
  const content = out.finish();
  out.uint(crc32(content), 4);
  return out.finish();
}

type Part = number | Uint8Array;
const id = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

function bodyOf(parts: readonly Part[]): Uint8Array {
  const out = new ByteWriter();
  for (const part of parts) {
    if (typeof part === 'number') out.varint(part);
    else out.bytes(part);
  }
  return out.finish();
}

const CONSTRUCTORS = ['Array', 'ArrayBuffer', 'Uint8Array', 'Int32Array', 'Uint32Array', 'Float64Array'] as const;
const ALLOCATORS = ['alloc', 'allocUnsafe', 'allocUnsafeSlow'] as const;

/** Allocation counter: bytes for which an action asks by a length, of arrays, of typed ones and of Node's own buffers. */
function askedBy(action: () => void): number {
  let asked = 0;
  for (const name of CONSTRUCTORS) {
    const counted = new Proxy<object>(globalThis[name], {
      construct(target, args: unknown[]) {
        const [length] = args;
        const made = Reflect.construct(target as new () => object, args) as { byteLength?: number };
        if (typeof length === 'number') asked += made.byteLength ?? length * 8;
        return made;
      },
    });
    vi.stubGlobal(name, counted);
  }
  for (const name of ALLOCATORS) {
    const real = Buffer[name].bind(Buffer);
    vi.spyOn(Buffer, name).mockImplementation((size: number) => {
      asked += size;
      return real(size);
    });
  }
  try {
    action();
  } finally {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  }
  return asked;
}

/**
 * The columns of one node that sets `k` to 1, with any part replaced. Columns are given by their length and values, or
 * by their length and runs: the values of these, then the length of each less 1.
 */
function oneNode(changes: Changes = {}, runs: Partial<Record<keyof Changes, number>> = {}): Uint8Array {
  const parts = { ...PLAIN, ...changes };
  const names = Object.keys(parts) as (keyof typeof PLAIN)[];
  return bodyOf(
    names.flatMap((name) => {
      const [count = [], ...rest] = parts[name];
      return COLUMNS.includes(name) ? [count, runs[name] ?? 0, rest].flat() : parts[name];
    }),
  );
}

/** Tables, then columns, each with its length; then contents and seals. */
const PLAIN = {
  nodes: [1] as Part[],
  ops: [1] as Part[],
  identities: [2, id(1), id(2)] as Part[],
  outside: [0] as Part[],
  keys: [1, 1, toUtf8('k')] as Part[],
  /** Room, author, counter, prev. */
  stretches: [1, 0, 1, 0, 0] as Part[],
  stretchOf: [1, 0] as Part[],
  parentCounts: [1, 0] as Part[],
  parents: [0] as Part[],
  walls: [1, 0] as Part[],
  opCounts: [1, 1] as Part[],
  kinds: [1, 0] as Part[],
  opKeys: [1, 0] as Part[],
  elements: [0] as Part[],
  far: [0] as Part[],
  foreignNodes: [0] as Part[],
  foreignOffsets: [0] as Part[],
  sizes: [1, 1] as Part[],
  contents: [1, Uint8Array.of(1)] as Part[],
  seals: [0] as Part[],
};

type Changes = Partial<typeof PLAIN>;
const COLUMNS = Object.keys(PLAIN).slice(6, -2) as (keyof typeof PLAIN)[];

/** The columns of an op of another kind, in a stretch that had inserted ten elements. */
const after = (changes: Changes): Changes => ({ stretches: [1, 0, 1, 10, 0], ...changes });
const TYPED = after({ kinds: [1, 2], elements: [1, 3], sizes: [1, 2], contents: [2, toUtf8('hi')] });
const ERASED = after({ kinds: [1, 4], elements: [1, 3], sizes: [1, 1], contents: [0] });
const LISTED = after({ kinds: [1, 5], elements: [1, 0], sizes: [3, 2, 1, 1], contents: [2, Uint8Array.of(1, 2)] });
const MOVED = after({ kinds: [1, 8], elements: [2, 3, 0], sizes: [0], contents: [0] });
const FOREIGN = after({
  outside: [1, id(9)],
  kinds: [1, 7],
  elements: [1, 1],
  foreignNodes: [1, 0],
  foreignOffsets: [1, 4],
  sizes: [1, 3],
  contents: [0],
});
const NO_OPS: Changes = { ops: [0], keys: [0], kinds: [0], opKeys: [0], sizes: [0], contents: [0] };
const BLOB: Changes = { kinds: [1, 10], sizes: [0], contents: [32, id(7)] };

const refused = (bytes: Uint8Array, why = /./): void => {
  const decode = (): unknown => decodePack(bytes);
  expect(decode).toThrow(DecodeError);
  expect(decode).toThrow(why);
};

describe('the frame', () => {
  it('[PK1] holds the example that the refusals below change', () => {
    expect(decodePack(framed(oneNode())).nodes).toHaveLength(1);
    expect(decodePack(framed(deflateRawSync(oneNode()), { flags: 1, length: oneNode().length })).nodes).toHaveLength(1);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['another version', framed(oneNode(), { version: 2 }), /unknown pack version/],
    ['unknown flags', framed(oneNode(), { flags: 64 }), /unknown pack flags/],
    ['headers of nodes where none are', framed(oneNode(), { flags: 4 }), /count exceeds the bytes/],
    ['a body of columns that says it is rows', framed(oneNode(), { flags: 2 }), /count exceeds the bytes/],
    [
      'rows that are deflated',
      framed(deflateRawSync(oneNode()), { flags: 3, length: oneNode().length }),
      /unknown pack flags/,
    ],
    ['a body longer than it says', framed(oneNode(), { length: oneNode().length - 1 }), /pack length is wrong/],
    ['a body shorter than it says', framed(oneNode(), { length: oneNode().length + 1 }), /pack length is wrong/],
    [
      'a deflated body longer than it says',
      framed(deflateRawSync(oneNode()), { flags: 1, length: oneNode().length - 1 }),
      /deflated length is wrong/,
    ],
    [
      'a deflated body shorter than it says',
      framed(deflateRawSync(oneNode()), { flags: 1, length: oneNode().length + 1 }),
      /deflated length is wrong/,
    ],
    ['a body that is not deflated', framed(oneNode(), { flags: 1 }), /do not inflate/],
    [
      'a deflated body cut short',
      framed(deflateRawSync(oneNode()).subarray(0, 8), { flags: 1, length: oneNode().length }),
      /do not inflate/,
    ],
    ['a length beyond 64 MiB', framed(oneNode(), { length: PACK_BOUNDS.inflatedBytes + 1 }), /pack exceeds 64 MiB/],
    ['trailing bytes in the body', framed(bodyOf([oneNode(), 0])), /trailing bytes/],
  ])('[PK1] refuses %s', (_, bytes, why) => {
    refused(bytes, why);
  });

  it('[PK1] refuses a body length that is not in its shortest form', () => {
    const out = new ByteWriter();
    out.bytes(Uint8Array.of(0x57, 1, 0, oneNode().length | 0x80, 0));
    out.bytes(oneNode());
    const content = out.finish();
    out.uint(crc32(content), 4);
    refused(out.finish());
  });

  it('[PK3] does not grow with a deflate bomb [fault 6]', () => {
    const bomb = framed(deflateRawSync(new Uint8Array(64 * 1024 * 1024)), { flags: 1, length: 512 });
    expect(askedBy(() => refused(bomb))).toBeLessThan(1024 * 1024);
  });

  it('[PK3] stops inflating at the first byte too many, however much would follow', () => {
    const zeros = deflateRawSync(new Uint8Array(1024 * 1024), { finishFlush: constants.Z_SYNC_FLUSH });
    // No block may be of this kind: a reader that comes so far has inflated everything before it.
    const stream = concatBytes([zeros, Uint8Array.of(0x07)]);
    expect(() => decodePack(framed(stream, { flags: 1, length: 1024 * 1024 }))).toThrow(
      'deflated bytes do not inflate',
    );
    expect(() => decodePack(framed(stream, { flags: 1, length: 512 }))).toThrow('the deflated length is wrong');
  });

  it('[PK3] allocates nothing for a length that the deflated bytes cannot reach [fault 4]', () => {
    const liar = framed(deflateRawSync(oneNode()), { flags: 1, length: PACK_BOUNDS.inflatedBytes });
    expect(askedBy(() => refused(liar))).toBeLessThan(1024 * 1024);
  });
});

describe('the columns', () => {
  it.each<[string, Changes, Op]>([
    ['sets a register', {}, { kind: 'set', key: 'k', value: Uint8Array.of(1) }],
    ['deletes one', { kinds: [1, 1], sizes: [0], contents: [0] }, { kind: 'delete', key: 'k' }],
    ['names a blob', BLOB, { kind: 'set-blob', key: 'k', hash: id(7) }],
    ['types on', TYPED, { kind: 'text-insert', key: 'k', anchor: { ref: 9, side: 'right' }, text: 'hi' }],
    ['deletes text', ERASED, { kind: 'text-delete', key: 'k', last: 9, count: 1 }],
    [
      'inserts items',
      LISTED,
      {
        kind: 'list-insert',
        key: 'k',
        anchor: { ref: null, side: 'right' },
        values: [Uint8Array.of(1), Uint8Array.of(2)],
      },
    ],
    ['moves an item', MOVED, { kind: 'list-move', key: 'k', item: 9, anchor: { ref: null, side: 'right' } }],
    [
      'deletes items of another node',
      FOREIGN,
      { kind: 'list-delete', key: 'k', last: { node: id(9), offset: 4 }, count: 3 },
    ],
  ])('[PK2] hold the example that %s, which the refusals below change', (_, changes, op) => {
    expect(decodePack(framed(oneNode(changes))).nodes[0]?.ops).toEqual([op]);
  });

  it.each<[string, Changes, RegExp?]>([
    ['a room beyond its table', { stretches: [1, 2, 1, 0, 0] }],
    ['an author beyond its table', { stretches: [1, 0, 2, 0, 0] }],
    ['a stretch beyond its table', { stretchOf: [1, 1] }],
    ['a key beyond its table', { opKeys: [1, 1] }],
    ['an outside id beyond its table', { stretches: [1, 0, 1, 0, 1] }],
    ['a reference before the first node', { stretches: [1, 0, 1, 0, 2] }],
    ['a far reference before the first node', { parentCounts: [1, 1], parents: [1, 2 ** 40 + 1] }],
    ['a clock before 1970', { walls: [1, 2] }],
    ['a clock beyond its bound', { walls: [1, 1 + 2 * (2 ** 48 + 1)] }],
    ['more ops in the nodes than in the pack', { opCounts: [1, 2] }],
    [
      'fewer ops in the nodes than in the pack',
      { outside: [2, id(8), id(9)], parentCounts: [1, 2], parents: [2, 0, 2], opCounts: [1, 0] },
      /values that no node takes/,
    ],
    ['a node without ops that merges nothing', { ...NO_OPS, opCounts: [1, 0] }, /must merge two heads/],
    ['an op of an unknown kind', { kinds: [1, 12] }, /unknown op/],
    ['an empty key', { keys: [1, 0] }],
    ['a key that is not UTF-8', { keys: [1, 1, Uint8Array.of(0xff)] }],
    ['a key beyond 4,096 bytes', { keys: [1, 4097, new Uint8Array(4097).fill(0x61)] }],
    ['more keys than ops', { keys: [2, 1, toUtf8('k'), 1, toUtf8('l')] }],
    ['more stretches than nodes', { stretches: [2, 0, 1, 0, 0, 0, 1, 0, 0] }],
    ['a value that is not MessagePack', { contents: [1, Uint8Array.of(0xc1)] }],
    ['a value of two items', { sizes: [1, 2], contents: [2, Uint8Array.of(1, 1)] }],
    ['a value cut short', { contents: [1, Uint8Array.of(0xcc)] }],
    ['a value nested too deeply', { sizes: [1, 100], contents: [100, new Uint8Array(100).fill(0x91)] }],
    ['unsorted parents', { outside: [2, id(9), id(8)], parentCounts: [1, 2], parents: [2, 0, 2] }],
    ['a repeated parent', { outside: [1, id(9)], parentCounts: [1, 2], parents: [2, 0, 0] }],
    ['257 parents', { outside: [1, id(9)], parentCounts: [1, 257], parents: [257, new Uint8Array(257)] }],
    ['a seal beyond the nodes', { seals: [1, 1, new Uint8Array(64)] }],
    ['a seal cut short', { seals: [1, 0, new Uint8Array(63)] }],
    ['more seals than nodes', { seals: [2, 0, new Uint8Array(64), 0, new Uint8Array(64)] }],
    ['no seals', { seals: [] }],
    ['a varint that is not in its shortest form', { walls: [1, Uint8Array.of(0x80, 0x00)] }],
    ['a varint beyond 2^53', { walls: [1, Uint8Array.of(...new Uint8Array(7).fill(0xff), 0x7f)] }, /beyond 2\^53/],
    ['a varint of nine bytes', { walls: [1, Uint8Array.of(...new Uint8Array(8).fill(0xff), 1)] }, /varint is too long/],
  ])('[PK3] refuse %s', (_, changes, why) => {
    refused(framed(oneNode(changes)), why);
  });

  it.each(COLUMNS)('[PK3] refuse a column %s that has a value too many, or one too few', (column) => {
    for (const example of [{}, TYPED, FOREIGN]) {
      const [, ...values] = { ...PLAIN, ...example }[column];
      refused(framed(oneNode({ ...example, [column]: [values.length + 1, ...values, 0] })));
      const fewer = { ...example, [column]: [values.length - 1, ...values.slice(1)] };
      if (values.length > 0) refused(framed(oneNode(fewer)));
    }
  });

  it.each<[string, Changes]>([
    ['contents that no op takes', { contents: [2, Uint8Array.of(1, 1)] }],
    ['contents cut short', { sizes: [1, 2] }],
    ['no contents', { contents: [0] }],
    ['text beside the start on its left', { ...TYPED, kinds: [1, 3], elements: [1, 0] }],
    ['items beside the start on its left', { ...LISTED, kinds: [1, 6] }],
    ['a move beside the start on its left', { ...MOVED, kinds: [1, 9] }],
    ['an insertion of no text', { ...TYPED, sizes: [1, 0], contents: [0] }],
    ['an insertion of no items', { ...LISTED, sizes: [1, 0], contents: [0] }],
    ['text that is not UTF-8', { ...TYPED, contents: [2, Uint8Array.of(0xc3, 0x28)] }],
    ['text that ends within a character', { ...TYPED, contents: [2, Uint8Array.of(0x61, 0xc3)] }],
    ['text with half of a pair', { ...TYPED, sizes: [1, 3], contents: [3, Uint8Array.of(0xed, 0xa0, 0x80)] }],
    ['a deletion of nothing', { ...ERASED, sizes: [1, 0] }],
    ['a deletion of no items', { ...FOREIGN, sizes: [1, 0] }],
    ['a deletion from the start', { ...ERASED, elements: [1, 0] }],
    ['a move of the start', { ...MOVED, elements: [2, 0, 0] }],
    ['an element before the first', { ...ERASED, stretches: [1, 0, 1, 0, 0] }],
    ['an element far before the first', { ...ERASED, elements: [1, 2], far: [1, 199] }],
    ['an element beyond 2^53', { ...ERASED, elements: [1, 13], stretches: [1, 0, 1, 2 ** 53 - 1, 0] }],
    ['a foreign element of a node beyond its table', { ...FOREIGN, foreignNodes: [1, 2] }],
    ['a foreign element of a node behind it', { ...FOREIGN, foreignNodes: [1, 1] }],
    ['an item that is not MessagePack', { ...LISTED, contents: [2, Uint8Array.of(1, 0xc1)] }],
    ['an item of two values', { ...LISTED, sizes: [3, 2, 2, 1], contents: [3, Uint8Array.of(1, 2, 3)] }],
    ['an item nested too deeply', { ...LISTED, sizes: [2, 1, 100], contents: [100, new Uint8Array(100).fill(0x91)] }],
    ['a hash cut short', { ...BLOB, contents: [31, new Uint8Array(31)] }],
  ])('[PK3] refuse %s', (_, changes) => {
    refused(framed(oneNode(changes)));
  });

  /** Three nodes of one op each. */
  const THREE: Changes = {
    nodes: [3],
    ops: [3],
    stretchOf: [3, 0, 0, 0],
    parentCounts: [3, 0, 0, 0],
    walls: [3, 0, 0, 0],
    opCounts: [3, 1, 1, 1],
    kinds: [3, 0, 1, 1],
    opKeys: [3, 0, 0, 0],
  };

  it('[PK2] are values one by one, or runs of equal ones: the values, then their lengths less 1', () => {
    const plain = decodePack(framed(oneNode(THREE)));
    expect(plain.nodes.map(({ ops }) => ops.map(({ kind }) => kind))).toEqual([['set'], ['delete'], ['delete']]);
    const asRuns = { ...THREE, stretchOf: [3, 0, 2], walls: [3, 0, 2], kinds: [3, 0, 1, 0, 1] };
    expect(decodePack(framed(oneNode(asRuns, { stretchOf: 1, walls: 1, kinds: 2 })))).toEqual(plain);
    const uneven = { ...THREE, opCounts: [3, 1, 1, 1, 0] };
    expect(decodePack(framed(oneNode(uneven, { opCounts: 2 })))).toEqual(plain);
  });

  it.each<[string, number, Part[]]>([
    ['fewer values than the column has', 1, [3, 0, 1]],
    ['more values than the column has', 1, [3, 0, 3]],
    ['more values than the column has, absurdly', 1, [3, 0, 2 ** 52]],
    ['as many values as the column claims, absurdly', 1, [2 ** 52, 0, 2 ** 52 - 1]],
    ['more runs than values', 4, [3, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['so many runs that nothing follows them', 2 ** 20, [2 ** 21, 0, 2]],
    ['no lengths', 1, [3, 0]],
  ])('[PK3] refuse runs of %s', (_, runs, walls) => {
    const bytes = framed(oneNode({ ...THREE, walls }, { walls: runs }));
    expect(askedBy(() => refused(bytes))).toBeLessThan(1024 * 1024);
  });

  it('[PK3] refuse one run that claims all the nodes there may be, with no room made for them', () => {
    const most = PACK_BOUNDS.nodes;
    const claimed = (): Part[] => [most, 0, most - 1];
    const bytes = framed(
      oneNode(
        { nodes: [most], stretchOf: claimed(), parentCounts: claimed(), walls: claimed(), opCounts: claimed() },
        { stretchOf: 1, parentCounts: 1, walls: 1, opCounts: 1 },
      ),
    );
    expect(askedBy(() => refused(bytes))).toBeLessThan(1024 * 1024);
  });

  it('[ND1] refuse a prev of zeros, which is how a node without prev is written', () => {
    refused(framed(oneNode({ outside: [1, id(0)], stretches: [1, 0, 1, 0, 1] })));
    expect(decodePack(framed(oneNode({ outside: [1, id(9)], stretches: [1, 0, 1, 0, 1] }))).nodes[0]?.prev).toEqual(
      id(9),
    );
  });

  it.each<[string, Changes]>([
    ['nodes', { nodes: [PACK_BOUNDS.nodes] }],
    ['nodes beyond the bound', { nodes: [PACK_BOUNDS.nodes + 1] }],
    ['nodes, absurdly', { nodes: [2 ** 52] }],
    ['ops', { ops: [PACK_BOUNDS.ops] }],
    ['ops beyond the bound', { ops: [PACK_BOUNDS.ops + 1] }],
    ['rooms and authors', { identities: [2 ** 30] }],
    ['ids from outside', { outside: [2 ** 52] }],
    ['keys', { keys: [2 ** 30] }],
    ['stretches', { stretches: [2 ** 30] }],
    ['parents of a node', { parentCounts: [1, 256] }],
    ['parents of a node, absurdly', { parentCounts: [1, 2 ** 52] }],
    ['ops of a node', { opCounts: [1, 2 ** 52] }],
    ['items', { ...LISTED, sizes: [1, 2 ** 52] }],
    ['bytes', { sizes: [1, 2 ** 52] }],
    ['contents', { contents: [2 ** 52] }],
    ['seals', { seals: [2 ** 30] }],
    ...COLUMNS.map((column): [string, Changes] => [`values of column ${column}`, { [column]: [2 ** 52] }]),
  ])('[PK3] refuse a huge count of %s before anything is allocated for it', (_, changes) => {
    const bytes = framed(oneNode(changes));
    expect(askedBy(() => refused(bytes))).toBeLessThan(1024 * 1024);
  });

  it.each([
    ['nodes', PACK_BOUNDS.nodes, 'count 1048577 exceeds the limit 1048576'],
    ['ops', PACK_BOUNDS.ops, 'count 4194305 exceeds the limit 4194304'],
  ] as const)('[PK3] refuse more %s than the bound even when the bytes are there', (what, bound, message) => {
    const room = new Uint8Array((bound + 1) * 5);
    const body = bodyOf([...(what === 'nodes' ? [bound + 1] : [1, bound + 1]), room]);
    expect(() => decodePack(framed(body))).toThrow(message);
  });

  it('[PK3] give a value or one DecodeError for any bytes in a right frame', () => {
    const noise = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(noise, fc.nat(3), (body, flags) => {
        for (const bytes of [
          body,
          framed(body, { flags }),
          framed(deflateRawSync(body), { flags: 1, length: body.length }),
        ]) {
          onlyDecodeError(bytes);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('[PK3] give a value or one DecodeError for a good body with any byte changed', () => {
    const joined: Changes = {
      outside: [2, id(8), id(9)],
      stretches: [1, 0, 1, 10, 1],
      parentCounts: [1, 1],
      parents: [1, 2],
      walls: [1, 9],
      seals: [1, 0, new Uint8Array(64)],
    };
    for (const example of [{}, TYPED, LISTED, MOVED, { ...FOREIGN, foreignNodes: [1, 2] }, BLOB]) {
      const body = oneNode({ ...example, ...joined });
      expect(decodePack(framed(body)).seals).toHaveLength(1);
      for (let at = 0; at < body.length; at++) {
        for (const [number, byte] of BYTES.entries()) {
          if (number % STEP !== at % STEP) continue;
          const changed = body.slice();
          changed[at] = byte;
          onlyDecodeError(framed(changed));
        }
      }
    }
  });

  it('[PK3] cost in proportion to their bytes: a table entry is not paid for again by each op that names it', () => {
    // 1,024 nodes of 250 deletes of one long key: 517 KiB of columns, 1 GiB of canonical bytes.
    const [nodes, each] = [1024, 250];
    const ops = nodes * each;
    const columns = oneNode({
      nodes: [nodes],
      ops: [ops],
      keys: [1, 4096, new Uint8Array(4096).fill(0x61)],
      stretchOf: [nodes, new Uint8Array(nodes)],
      parentCounts: [nodes, new Uint8Array(nodes)],
      walls: [nodes, new Uint8Array(nodes)],
      opCounts: [nodes, ...Array.from({ length: nodes }, () => each)],
      kinds: [ops, new Uint8Array(ops).fill(1)],
      opKeys: [ops, new Uint8Array(ops)],
      sizes: [0],
      contents: [0],
    });
    const bytes = framed(deflateRawSync(columns), { flags: 1, length: columns.length });
    expect(bytes.length).toBeLessThan(8 * 1024);
    expect(() => decodePack(bytes)).toThrow('exceed 256 MiB');
  });
});

function onlyDecodeError(bytes: Uint8Array): void {
  try {
    for (const node of decodePack(bytes).nodes) expect(node.id).toHaveLength(sha256(id(0)).length);
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
  }
}

it('what is asked for by a length is counted', () => {
  expect(askedBy(() => void new Uint8Array(1000))).toBe(1000);
  expect(askedBy(() => void new Array(1000))).toBe(8000);
  expect(askedBy(() => void Array.from({ length: 1000 }, () => 0))).toBe(8000);
  expect(askedBy(() => void inflateRawSync(deflateRawSync(id(0)), { chunkSize: 1000 }))).toBeGreaterThanOrEqual(1000);
});
