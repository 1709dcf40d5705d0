/**
 * Bytes that reconciliation speaks of, made in dialogues from the rules (RC1, RC2, RC6, RC7) rather than by the engine:
 *
 *   { "$ibf": ["$n1"] }            the smallest filter of these ids
 *   { "$root": ["$n1"] }           the root that these heads have
 *   { "$ids": ["$n1"] }            the ids, one after the other
 *   { "$tips": [["$n1", "$n2"]] }  one tip for each chain, of the nodes that it has
 */
import { createHash } from 'node:crypto';
import { fromHex, toBase64 } from '@weft/core';

const CELLS = 80;
const CELL_BYTES = 38;

/** Makes the bytes of a directive as base64; undefined for a value that is none. */
export function reconcileBytes(value: Readonly<Record<string, unknown>>): string | undefined {
  const [[name, of] = []] = Object.entries(value);
  const make = MAKERS[name ?? ''];
  return make && Array.isArray(of) ? toBase64(make(of)) : undefined;
}

const idOf = (name: unknown): Uint8Array => fromHex(String(name));

const MAKERS: Readonly<Record<string, (of: readonly unknown[]) => Uint8Array>> = {
  $ibf: (ids) => filterOf(ids.map(idOf)),
  $root: (ids) =>
    createHash('sha256')
      .update(Buffer.concat(ids.map(String).sort().map(idOf)))
      .digest(),
  $ids: (ids) => Buffer.concat(ids.map(idOf)),
  $tips: (chains) => Buffer.concat(chains.map((chain) => tipOf(Array.isArray(chain) ? chain.map(idOf) : []))),
};

/** Tip of a chain of fewer than 128 nodes. */
function tipOf(chain: readonly Uint8Array[]): Uint8Array {
  const [first, newest] = [chain[0], chain.at(-1)];
  if (!first || !newest) throw new Error('a chain has nodes');
  return Buffer.concat([first.subarray(0, 8), newest.subarray(0, 8), Uint8Array.of(chain.length)]);
}

function filterOf(ids: readonly Uint8Array[]): Uint8Array {
  const cells = Array.from({ length: CELLS }, () => new Uint8Array(CELL_BYTES));
  for (const id of ids) {
    const words = wordsOf(id);
    const entry = Buffer.concat([id, bytesOf(checkOf(words))]);
    for (let quarter = 0; quarter < 4; quarter++) {
      const cell = cells[quarter * (CELLS / 4) + Math.floor((words[quarter]! * (CELLS / 4)) / 2 ** 32)]!;
      const count = (cell[0]! << 8) + cell[1]! + 1;
      cell.set([count >> 8, count & 255]);
      entry.forEach((byte, at) => (cell[2 + at]! ^= byte));
    }
  }
  return Buffer.concat([Uint8Array.of(1, 0), ...cells]);
}

const wordsOf = (id: Uint8Array): number[] => Array.from({ length: 8 }, (_, n) => Buffer.from(id).readUInt32BE(4 * n));

function bytesOf(word: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(word >>> 0);
  return bytes;
}

function checkOf(words: readonly number[]): number {
  let c = 0x2545f491;
  for (const word of words) {
    c = Math.imul(c ^ word, 0x85ebca6b);
    c ^= c >>> 13;
  }
  c = Math.imul(c, 0xc2b2ae35);
  return c ^ (c >>> 16);
}
