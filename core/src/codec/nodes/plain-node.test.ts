import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError, concatBytes } from '../bytes/bytes.js';
import { encodeNode } from '../testing/nodes.js';
import { nodeAt } from '../packs/packed-node.js';
import { writeTextHead, writeUint } from '../bytes/msgpack.js';
import { readNode } from './canonical-node.js';
import { identifyBytes } from './node-id.js';
import { NodeTable } from './node-table.js';
import { readPlainNode } from './plain-node.js';

/** Bytes that are put in each place: each of them in some place, and in the long suite each in each. */
const STEP = process.env['TESTS_LONG'] ? 1 : 3;

const room = new Uint8Array(32).fill(1);
const author = new Uint8Array(32).fill(2);
const KEY = 'text';
const first = encodeNode({
  room,
  author,
  parents: [],
  ops: [{ kind: 'text-insert', key: KEY, anchor: { ref: null, side: 'right' }, text: 'a' }],
});

function tableOfOne(): NodeTable {
  const table = new NodeTable();
  readNode(table, first, 0, first.length);
  identifyBytes(table, first, 0, first.length);
  return table;
}

/** Canonical bytes of an edit on the first node, or something near it. */
function edit(kind: number, counter: number, text: string, count: number): Uint8Array {
  const { ids } = tableOfOne();
  const out = new ByteWriter();
  out.bytes(room);
  out.bytes(author);
  out.digest(ids.values, 0);
  for (const byte of [1, 0x90, 0xc0, 0x91, 0x94, kind]) out.byte(byte);
  writeTextHead(out, KEY.length);
  out.ascii(KEY);
  writeUint(out, counter);
  if (kind === 4) writeUint(out, count);
  else {
    const bytes = new TextEncoder().encode(text);
    writeTextHead(out, bytes.length);
    out.bytes(bytes);
  }
  return out.finish();
}

/** What stands in a table after a reading, or why it was refused. */
function readBy(read: (table: NodeTable, bytes: Uint8Array, from: number, to: number) => unknown, bytes: Uint8Array) {
  const table = tableOfOne();
  // In the middle of others, as in a buffer of messages: nothing beyond the end may count.
  const around = concatBytes([new Uint8Array(3).fill(0x61), bytes, new Uint8Array(40).fill(0x61)]);
  const answer = read(table, around, 3, 3 + bytes.length);
  if (answer === false) return undefined;
  identifyBytes(table, around, 3, 3 + bytes.length);
  return { node: nodeAt(table, 1), ops: table.ops, size: table.size, content: table.content.view().slice() };
}

const counters = fc.oneof(fc.nat(300), fc.nat(70_000), fc.nat(2 ** 32 - 1), fc.constantFrom(2 ** 31 - 2, 2 ** 31 - 1));
const texts = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 3 }));
const edits = fc.tuple(fc.integer({ min: 0, max: 6 }), counters, texts, fc.oneof(fc.nat(200), fc.nat(2 ** 31)));

describe('a plain node', () => {
  it('[ND1] is what the general way reads, or is left to it, whatever the edit', () => {
    const read = { plain: 0, left: 0 };
    fc.assert(
      fc.property(edits, (fields) => {
        const bytes = edit(...fields);
        const plain = readBy(readPlainNode, bytes);
        if (plain) expect(plain).toEqual(readBy(readNode, bytes));
        read[plain ? 'plain' : 'left']++;
      }),
      { numRuns: 400 },
    );
    expect(read.plain).toBeGreaterThan(10);
    expect(read.left).toBeGreaterThan(10);
  });

  it('[ND1] is what the general way reads, or is left to it, whatever byte is another', () => {
    for (const bytes of [edit(2, 0, 'b', 0), edit(3, 0x1234, 'bc', 0), edit(4, 0x80, '', 3), edit(4, 0x12345, '', 1)]) {
      let read = 0;
      for (let at = 0; at < bytes.length; at++)
        for (let byte = at % STEP; byte < 256; byte += STEP) {
          const changed = bytes.slice();
          changed[at] = byte;
          const plain = readBy(readPlainNode, changed);
          if (!plain) continue;
          expect(plain).toEqual(readBy(readNode, changed));
          read++;
        }
      expect(read).toBeGreaterThan(bytes.length);
      for (let cut = 0; cut < bytes.length; cut++)
        expect(readBy(readPlainNode, bytes.subarray(0, cut))).toBe(undefined);
    }
  });

  it('[ND1] whose counter is written with more bytes than it takes is left to the general way, which refuses it', () => {
    const shortest = edit(2, 0, 'b', 0);
    const at = shortest.length - 3;
    expect(shortest[at]).toBe(0);
    const counted = (...counter: number[]): Uint8Array =>
      concatBytes([shortest.subarray(0, at), Uint8Array.from(counter), shortest.subarray(at + 1)]);
    for (const right of [[0x7f], [0xcc, 0x80], [0xcd, 1, 0], [0xce, 0, 1, 0, 0]])
      expect(readBy(readPlainNode, counted(...right)), String(right)).toBeDefined();
    for (const wrong of [
      [0xcc, 0x7f],
      [0xcd, 0, 0xff],
      [0xce, 0, 0, 0xff, 0xff],
      [0xce, 0, 0, 0, 0x90],
    ]) {
      expect(readBy(readPlainNode, counted(...wrong)), String(wrong)).toBeUndefined();
      expect(() => readBy(readNode, counted(...wrong)), String(wrong)).toThrow(DecodeError);
    }
  });

  it('[ND1] is none where nothing was read before, and leaves the table alone', () => {
    const table = new NodeTable();
    expect(readPlainNode(table, first, 0, first.length)).toBe(false);
    expect([table.size, table.ops, table.content.length]).toEqual([0, 0, 0]);
    expect(() => readNode(table, first.subarray(0, 90), 0, 90)).toThrow(DecodeError);
  });
});
