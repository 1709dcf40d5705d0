/**
 * The Ed25519 inputs that implementations are known to judge differently are refused before any of
 * them is asked: S not below the group order, coordinates not below the field prime, and public keys
 * of small order. What is left, all cofactorless verifiers judge alike. [SG3]
 */
import { toHex } from '../../codec/bytes.js';

const ORDER = fromHexLiteral('1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed');
const PRIME = fromHexLiteral('7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed');

/** The y coordinates of the eight points of small order, little-endian as they stand in a key. */
const SMALL_ORDER_Y = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

export function isStrictSignature(publicKey: string, signature: Uint8Array): boolean {
  if (!/^[0-9a-f]{64}$/.test(publicKey) || signature.length !== 64) return false;
  const y = clearSign(publicKey);
  if (SMALL_ORDER_Y.has(y) || littleEndian(y) >= PRIME) return false;
  const [r, s] = [toHex(signature.subarray(0, 32)), toHex(signature.subarray(32))];
  return littleEndian(clearSign(r)) < PRIME && littleEndian(s) < ORDER;
}

function clearSign(point: string): string {
  const top = Number.parseInt(point.slice(62), 16) & 0x7f;
  return point.slice(0, 62) + top.toString(16).padStart(2, '0');
}

function littleEndian(text: string): bigint {
  const pairs = text.match(/../g) ?? [];
  return fromHexLiteral(pairs.reverse().join(''));
}

function fromHexLiteral(digits: string): bigint {
  return BigInt(`0x${digits}`);
}
