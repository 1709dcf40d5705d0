/**
 * The Ed25519 inputs that implementations are known to judge differently are refused before any of
 * them is asked: S not below the group order, coordinates not below the field prime, and public keys
 * and R of small order (Node 24 refuses such an R, Node 20 and 22 do not). What is left, all
 * cofactorless verifiers judge alike. [SG3]
 */
import { fromHex, toHex } from '../../codec/bytes/bytes.js';

// Little-endian, as they stand in keys and signatures.
const ORDER = fromHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');
const PRIME = fromHex('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f');

/** The y coordinates of the eight points of small order. */
const SMALL_ORDER_Y = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

/** The topmost bit of a point is the sign of x, not part of y. */
const Y_BITS = 0x7f;

export function isStrictKey(publicKey: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(publicKey) || SMALL_ORDER_Y.has(clearSign(publicKey))) return false;
  return isBelow(fromHex(publicKey), 0, Y_BITS, PRIME);
}

export function isStrictSignature(publicKey: string, signature: Uint8Array): boolean {
  if (signature.length !== 64 || !isStrictKey(publicKey)) return false;
  if (SMALL_ORDER_Y.has(clearSign(toHex(signature.subarray(0, 32))))) return false;
  return isBelow(signature, 0, Y_BITS, PRIME) && isBelow(signature, 32, 0xff, ORDER);
}

function clearSign(point: string): string {
  const top = Number.parseInt(point.slice(62), 16) & Y_BITS;
  return point.slice(0, 62) + top.toString(16).padStart(2, '0');
}

/** Whether the 32 bytes at a place are a number below the bound; of the highest byte, only these bits count. */
function isBelow(bytes: Uint8Array, at: number, bits: number, bound: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) {
    const byte = bytes[at + i]! & (i === 31 ? bits : 0xff);
    if (byte !== bound[i]) return byte < bound[i]!;
  }
  return false;
}
