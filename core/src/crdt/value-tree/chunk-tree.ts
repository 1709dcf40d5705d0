/**
 * Merkle tree over the chunks of one value, so that a part of a long text or list can be proved. [VR2]
 *
 * Its shape follows from the number of chunks alone: left of each node stands the greatest power of two below their number. A proof of
 * some chunks is therefore no more than the hashes of what was left out, in order.
 */
import { equalBytes } from '../../codec/bytes/bytes.js';
import { DIGEST_BYTES } from '../../codec/sha256/words.js';
import { Tagged } from '../state-leaf.js';

const chunk = new Tagged('weft-chunk-v1');
const chunks = new Tagged('weft-chunks-v1');

export function hashOfChunk(bytes: Uint8Array): Uint8Array {
  chunk.begin().bytes(bytes);
  return chunk.digest();
}

/** Hash over the chunks with these hashes. */
export function rootOfChunks(hashes: readonly Uint8Array[]): Uint8Array {
  return fold(hashes.length, (index) => hashes[index]!, undefined);
}

/** Hashes that, with those of chunks [from, to), make the root. */
export function besideChunks(hashes: readonly Uint8Array[], from: number, to: number): Uint8Array[] {
  const beside: Uint8Array[] = [];
  fold(
    hashes.length,
    (index) => hashes[index]!,
    (start, end, hash) => {
      if (end > from && start < to) return undefined;
      const whole = hash();
      beside.push(whole);
      return whole;
    },
  );
  return beside;
}

/** Whether chunks [from, from + told.length) of `count` have these bytes under the root; `beside` must be used up. */
export function hasChunks(
  root: Uint8Array,
  count: number,
  from: number,
  told: readonly Uint8Array[],
  beside: readonly Uint8Array[],
): boolean {
  const to = from + told.length;
  if (to > count) return false;
  const rest = [...beside];
  let isShort = false;
  const found = fold(
    count,
    (index) => hashOfChunk(told[index - from]!),
    (start, end) => {
      if (end > from && start < to) return undefined;
      const hash = rest.shift();
      isShort ||= hash === undefined;
      return hash ?? NOTHING;
    },
  );
  return !isShort && rest.length === 0 && equalBytes(found, root);
}

const NOTHING = new Uint8Array(DIGEST_BYTES);

/** Answers the hash of a subtree that is not to be looked into; `hash` works it out. */
type Outside = (start: number, end: number, hash: () => Uint8Array) => Uint8Array | undefined;

function fold(count: number, hashOf: (index: number) => Uint8Array, outside: Outside | undefined): Uint8Array {
  if (count === 0) {
    chunks.begin();
    return chunks.digest();
  }
  const within = (start: number, end: number, told: Outside | undefined): Uint8Array => {
    const left = told?.(start, end, () => within(start, end, undefined));
    if (left) return left;
    if (end - start === 1) return hashOf(start);
    const middle = start + 2 ** (Math.ceil(Math.log2(end - start)) - 1);
    const [one, other] = [within(start, middle, told), within(middle, end, told)];
    const message = chunks.begin();
    message.bytes(one);
    message.bytes(other);
    return chunks.digest();
  };
  return within(0, count, outside);
}
