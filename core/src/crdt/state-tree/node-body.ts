/**
 * The bytes that a node of the state tree is the SHA-256 of.
 *
 *   tag 'WST1' (4) ‖ inner map (2) ‖ leaf map (2) ‖ entries of the occupied slots 0 to 15, in this order
 *
 * A map is 16 bits, big-endian; bit n stands for slot n, the child whose path has nibble n here (the
 * high nibble of a byte comes first). A slot is in at most one map. Its entry is
 *
 *   inner node: its hash (32)          leaf: its path (32) ‖ its hash (32)
 *
 * Leaves stand in their parent whole, so a leaf needs neither a hash of its own nor memory for one. The
 * root is always a node, with 0 to 16 children; any other node has at least two leaves below it, and a
 * subtree with a single leaf is that leaf. So the set of paths alone decides the shape.
 */
import { digestInto } from '../../codec/sha256/digest-into.js';

export const SLOTS = 16;
export const MAX_DEPTH = 64;
export const HASH_BYTES = 32;
export const PATH_BYTES = 32;
export const LEAF_BYTES = PATH_BYTES + HASH_BYTES;
export const TAG_BYTES = 4;
export const HEADER_BYTES = TAG_BYTES + 4;
const MAX_BODY_BYTES = HEADER_BYTES + SLOTS * LEAF_BYTES;

/** Scratch in which a body is laid out before it is hashed: for one synchronous call at a time. */
export const body = new Uint8Array(MAX_BODY_BYTES);
export const bodyWords = new Int32Array(body.buffer);
body.set([0x57, 0x53, 0x54, 0x31]);

// A body is its header and 0 to 32 times 32 bytes; a view per call would cost as much as a block of the hash.
const bodies = Array.from({ length: 2 * SLOTS + 1 }, (_, count) => body.subarray(0, HEADER_BYTES + count * HASH_BYTES));

/** Writes the hash of the first `length` bytes of `body`. */
export function hashBody(length: number, out: Uint8Array, at: number): void {
  digestInto(bodies[(length - HEADER_BYTES) / HASH_BYTES] as Uint8Array, out, at);
}

export function writeMaps(inner: number, leaves: number): void {
  body[TAG_BYTES] = inner >>> 8;
  body[TAG_BYTES + 1] = inner;
  body[TAG_BYTES + 2] = leaves >>> 8;
  body[TAG_BYTES + 3] = leaves;
}

/** The nibble that chooses the slot at a depth, of the path that begins at `bytes[at]`. */
export function nibbleAt(bytes: Uint8Array, at: number, depth: number): number {
  const byte = bytes[at + (depth >> 1)] as number;
  return (depth & 1) === 0 ? byte >>> 4 : byte & 15;
}

/** Bytes of the entries of the slots in two maps. */
export function entryBytes(inner: number, leaves: number): number {
  return bitCount(inner) * HASH_BYTES + bitCount(leaves) * LEAF_BYTES;
}

export function bitCount(bits: number): number {
  let pairs = bits - ((bits >>> 1) & 0x5555);
  pairs = (pairs & 0x3333) + ((pairs >>> 2) & 0x3333);
  pairs = (pairs + (pairs >>> 4)) & 0x0f0f;
  return (pairs + (pairs >>> 8)) & 0x1f;
}
