import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from './byte-writer.js';
import { DecodeError, concatBytes, toUtf8 } from './bytes.js';
import { crc32, sha256 } from './hash.js';
import { PACK_BOUNDS, decodePack } from './pack.js';

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

/** The columns of one node that sets `k` to 1, with any part replaced. */
function oneNode(changes: Partial<typeof PLAIN> = {}): Uint8Array {
  return bodyOf(Object.values({ ...PLAIN, ...changes }).flat());
}

const PLAIN = {
  nodes: [1] as Part[],
  ops: [1] as Part[],
  rooms: [1, id(1)] as Part[],
  authors: [1, id(2)] as Part[],
  outside: [0] as Part[],
  keys: [1, 1, toUtf8('k')] as Part[],
  chains: [0, 0] as Part[],
  prevs: [0] as Part[],
  parents: [0] as Part[],
  walls: [0] as Part[],
  opCounts: [1] as Part[],
  opKeys: [0] as Part[],
  opLengths: [1] as Part[],
  values: [Uint8Array.of(1)] as Part[],
  seals: [0] as Part[],
};

const refused = (bytes: Uint8Array): void => expect(() => decodePack(bytes)).toThrow(DecodeError);

describe('the frame', () => {
  it('[PK1] holds the example that the refusals below change', () => {
    expect(decodePack(framed(oneNode())).nodes).toHaveLength(1);
    expect(decodePack(framed(deflateRawSync(oneNode()), { flags: 1, length: oneNode().length })).nodes).toHaveLength(1);
  });

  it.each([
    ['another version', framed(oneNode(), { version: 2 })],
    ['unknown flags', framed(oneNode(), { flags: 2 })],
    ['both flags', framed(deflateRawSync(oneNode()), { flags: 3, length: oneNode().length })],
    ['a body longer than it says', framed(oneNode(), { length: oneNode().length - 1 })],
    ['a body shorter than it says', framed(oneNode(), { length: oneNode().length + 1 })],
    [
      'a deflated body longer than it says',
      framed(deflateRawSync(oneNode()), { flags: 1, length: oneNode().length - 1 }),
    ],
    [
      'a deflated body shorter than it says',
      framed(deflateRawSync(oneNode()), { flags: 1, length: oneNode().length + 1 }),
    ],
    ['a body that is not deflated', framed(oneNode(), { flags: 1 })],
    [
      'a deflated body cut short',
      framed(deflateRawSync(oneNode()).subarray(0, 8), { flags: 1, length: oneNode().length }),
    ],
    ['a length beyond 64 MiB', framed(oneNode(), { length: PACK_BOUNDS.inflatedBytes + 1 })],
    ['trailing bytes in the body', framed(bodyOf([oneNode(), 0]))],
  ])('[PK1] refuses %s', (_, bytes) => {
    refused(bytes);
  });

  it('[PK1] refuses a body length that is not in its shortest form', () => {
    const out = new ByteWriter();
    out.bytes(Uint8Array.of(0x57, 1, 0, oneNode().length | 0x80, 0));
    out.bytes(oneNode());
    const content = out.finish();
    out.uint(crc32(content), 4);
    refused(out.finish());
  });

  it('[PK3] does not grow with a deflate bomb', () => {
    const bomb = framed(deflateRawSync(new Uint8Array(64 * 1024 * 1024)), { flags: 1, length: 512 });
    const before = process.memoryUsage().arrayBuffers;
    refused(bomb);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });

  it('[PK3] stops inflating at the first byte too many, however much would follow', () => {
    const zeros = deflateRawSync(new Uint8Array(1024 * 1024), { finishFlush: constants.Z_SYNC_FLUSH });
    // No block may be of this kind: a reader that comes so far has inflated everything before it.
    const stream = concatBytes([zeros, Uint8Array.of(0x07)]);
    expect(() => decodePack(framed(stream, { flags: 1, length: 1024 * 1024 }))).toThrow('pack does not inflate');
    expect(() => decodePack(framed(stream, { flags: 1, length: 512 }))).toThrow('pack length is wrong');
  });

  it('[PK3] allocates nothing for a length that the deflated bytes cannot reach', () => {
    const liar = framed(deflateRawSync(oneNode()), { flags: 1, length: PACK_BOUNDS.inflatedBytes });
    const before = process.memoryUsage().arrayBuffers;
    refused(liar);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('the columns', () => {
  it.each<[string, Partial<typeof PLAIN>]>([
    ['a room beyond its table', { chains: [1, 0] }],
    ['an author beyond its table', { chains: [0, 1] }],
    ['a key beyond its table', { opKeys: [1] }],
    ['an outside id beyond its table', { prevs: [2] }],
    ['a reference before the first node', { prevs: [3] }],
    ['a far reference before the first node', { parents: [1, 2 ** 40 + 1] }],
    ['a chain that starts with its latest node', { prevs: [1] }],
    ['a clock before 1970', { walls: [2] }],
    ['a clock beyond its bound', { walls: [1 + 2 * (2 ** 48 + 1)] }],
    ['more ops in the nodes than in the pack', { opCounts: [2] }],
    ['fewer ops in the nodes than in the pack', { opCounts: [0] }],
    ['an empty key', { keys: [1, 0] }],
    ['a key that is not UTF-8', { keys: [1, 1, Uint8Array.of(0xff)] }],
    ['a key beyond 4,096 bytes', { keys: [1, 4097, new Uint8Array(4097).fill(0x61)] }],
    ['more keys than ops', { keys: [2, 1, toUtf8('k'), 1, toUtf8('l')] }],
    ['a value that is not MessagePack', { values: [Uint8Array.of(0xc1)] }],
    ['a value of two items', { opLengths: [2], values: [Uint8Array.of(1, 1)] }],
    ['a value cut short', { values: [Uint8Array.of(0xcc)] }],
    ['a value nested too deeply', { opLengths: [100], values: [new Uint8Array(100).fill(0x91)] }],
    ['unsorted parents', { outside: [2, id(9), id(8)], parents: [2, 0, 2] }],
    ['a repeated parent', { outside: [1, id(9)], parents: [2, 0, 0] }],
    ['257 parents', { outside: [1, id(9)], parents: [257, new Uint8Array(257)] }],
    ['a seal beyond the nodes', { seals: [1, 1, new Uint8Array(64)] }],
    ['a seal cut short', { seals: [1, 0, new Uint8Array(63)] }],
    ['more seals than nodes', { seals: [2, 0, new Uint8Array(64), 0, new Uint8Array(64)] }],
    ['no seals column', { seals: [] }],
    ['a varint that is not in its shortest form', { prevs: [Uint8Array.of(0x80, 0x00)] }],
    ['a varint beyond 2^53', { prevs: [new Uint8Array(8).fill(0xff), new Uint8Array(8).fill(0xff), 0] }],
  ])('[PK3] refuse %s', (_, changes) => {
    refused(framed(oneNode(changes)));
  });

  it('[ND1] refuse a prev of zeros, which is how a node without prev is written', () => {
    refused(framed(oneNode({ outside: [1, id(0)], prevs: [2] })));
  });

  it.each<[string, Partial<typeof PLAIN>]>([
    ['nodes', { nodes: [PACK_BOUNDS.nodes] }],
    ['nodes beyond the bound', { nodes: [PACK_BOUNDS.nodes + 1] }],
    ['nodes, absurdly', { nodes: [2 ** 52] }],
    ['ops', { ops: [PACK_BOUNDS.ops] }],
    ['ops beyond the bound', { ops: [PACK_BOUNDS.ops + 1] }],
    ['rooms', { rooms: [2 ** 30] }],
    ['authors', { authors: [2 ** 30] }],
    ['ids from outside', { outside: [2 ** 52] }],
    ['keys', { keys: [2 ** 30] }],
    ['parents', { parents: [256] }],
    ['seals', { seals: [2 ** 30] }],
  ])('[PK3] refuse a huge count of %s before anything is allocated for it', (_, changes) => {
    const bytes = framed(oneNode(changes));
    const before = process.memoryUsage();
    refused(bytes);
    const after = process.memoryUsage();
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(4 * 1024 * 1024);
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
      { numRuns: 2000 },
    );
  });

  it('[PK3] give a value or one DecodeError for a good body with any byte changed', () => {
    const body = oneNode({
      outside: [2, id(8), id(9)],
      prevs: [2],
      parents: [1, 2],
      walls: [9],
      seals: [1, 0, new Uint8Array(64)],
    });
    expect(decodePack(framed(body)).seals).toHaveLength(1);
    for (let at = 0; at < body.length; at++) {
      for (const byte of [0, 1, 2, 3, 4, 5, 6, 9, 31, 33, 64, 126, 127, 128, 129, 193, 254, 255]) {
        const changed = body.slice();
        changed[at] = byte;
        onlyDecodeError(framed(changed));
      }
    }
  });

  it('[PK3] cost in proportion to their bytes: a table entry is not paid for again by each op that names it', () => {
    // 1,024 nodes of 250 deletes of one long key: 517 KiB of columns, 1 GiB of canonical bytes.
    const [nodes, each] = [1024, 250];
    const ops = nodes * each;
    const columns = bodyOf([
      ...[nodes, ops, 1, id(1), 1, id(2), 0, 1, 4096, new Uint8Array(4096).fill(0x61)],
      new Uint8Array(nodes * 2),
      ...[0, new Uint8Array(nodes - 1).fill(1)],
      new Uint8Array(nodes * 2),
      ...Array.from({ length: nodes }, () => each),
      new Uint8Array(ops * 2),
      0,
    ]);
    const bytes = framed(deflateRawSync(columns), { flags: 1, length: columns.length });
    expect(bytes.length).toBeLessThan(8 * 1024);
    refused(bytes);
  });
});

function onlyDecodeError(bytes: Uint8Array): void {
  try {
    for (const node of decodePack(bytes).nodes) expect(node.id).toHaveLength(sha256(id(0)).length);
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
  }
}
