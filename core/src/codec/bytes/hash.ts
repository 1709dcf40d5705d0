/**
 * SHA-256: the one hash of Weft, for node ids, blobs and proofs.
 *
 * Two implementations with identical answers: the runtime's own where there is one, and a portable
 * one. Node's module is looked up at run time, not imported, so that this file loads in a browser.
 */
import { portableDigestInto } from '../sha256/digest-into.js';
import { DIGEST_BYTES } from '../sha256/words.js';

export type Digest = (bytes: Uint8Array) => Uint8Array;

interface NativeCrypto {
  hash?(algorithm: 'sha256', bytes: Uint8Array, encoding: 'buffer'): Uint8Array;
}
interface NativeZlib {
  crc32?(bytes: Uint8Array, before: number): number;
}
interface BuiltinModules {
  process?: {
    getBuiltinModule?(name: 'node:crypto'): NativeCrypto | undefined;
    getBuiltinModule?(name: 'node:zlib'): NativeZlib | undefined;
  };
}

export const portableSha256: Digest = (bytes) => {
  const digest = new Uint8Array(DIGEST_BYTES);
  portableDigestInto(bytes, digest, 0);
  return digest;
};

function nativeCrypto(): NativeCrypto | undefined {
  return (globalThis as BuiltinModules).process?.getBuiltinModule?.('node:crypto');
}

export function nativeSha256(): Digest | undefined {
  const native = nativeCrypto();
  if (!native?.hash) return undefined;
  const hash = native.hash.bind(native);
  return (bytes) => hash('sha256', bytes, 'buffer');
}

export const sha256: Digest = nativeSha256() ?? portableSha256;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function portableCrc32(bytes: Uint8Array, before = 0): number {
  let value = before ^ 0xffffffff;
  for (let i = 0; i < bytes.length; i++) value = (value >>> 8) ^ CRC_TABLE[(value ^ bytes[i]!) & 0xff]!;
  return (value ^ 0xffffffff) >>> 0;
}

const nativeCrc32 = (globalThis as BuiltinModules).process?.getBuiltinModule?.('node:zlib')?.crc32;
/** A call out of the engine costs more than fewer bytes. */
const CRC_FROM = 256;

/**
 * CRC-32: finds torn and flipped bytes in a pack. It proves nothing about who wrote it; seals do that. `before`: that of
 * what the bytes go on from.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  return nativeCrc32 && bytes.length >= CRC_FROM ? nativeCrc32(bytes, before) : portableCrc32(bytes, before);
}
