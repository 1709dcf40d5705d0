/**
 * Ids shortened to eight bytes under a key: HalfSipHash-2-4 with 64 bits, over the id as eight words. [RC5]
 *
 * Who does not know the key cannot choose ids that collide, and ids are chosen before a key is drawn. About 0.1 µs each.
 */
import type { NodeTable } from '../codec/nodes/node-table.js';
import { DIGEST_WORDS } from '../codec/sha256/words.js';

export type SketchKey = readonly [number, number];

export function newKey(): SketchKey {
  const [first, second] = globalThis.crypto.getRandomValues(new Int32Array(2));
  return [first!, second!];
}

/** Two words for each of the first `count` ids. */
export function shortIds(table: NodeTable, count: number, key: SketchKey): Int32Array {
  const short = new Int32Array(count * 2);
  const state = new Int32Array(4);
  for (let id = 0; id < count; id++) {
    begin(state, key);
    const words = table.idWords(id);
    const at = table.idAt(id);
    for (let word = 0; word < DIGEST_WORDS; word++) absorb(state, words[at + word]!);
    absorb(state, (DIGEST_WORDS * 4) << 24);
    state[2]! ^= 0xee;
    mix(state, 4);
    short[id * 2] = state[1]! ^ state[3]!;
    state[1]! ^= 0xdd;
    mix(state, 4);
    short[id * 2 + 1] = state[1]! ^ state[3]!;
  }
  return short;
}

function begin(state: Int32Array, [first, second]: SketchKey): void {
  state[0] = first;
  state[1] = second ^ 0xee;
  state[2] = first ^ 0x6c796765;
  state[3] = second ^ 0x74656462;
}

function absorb(state: Int32Array, word: number): void {
  state[3]! ^= word;
  mix(state, 2);
  state[0]! ^= word;
}

function mix(state: Int32Array, rounds: number): void {
  let v0 = state[0]!;
  let v1 = state[1]!;
  let v2 = state[2]!;
  let v3 = state[3]!;
  for (let round = 0; round < rounds; round++) {
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
  }
  state[0] = v0;
  state[1] = v1;
  state[2] = v2;
  state[3] = v3;
}
