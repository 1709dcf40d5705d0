/**
 * The runtime's own SHA-256, as a string with one character per byte of the digest.
 *
 * An engine makes such a string in less than half the time of a byte array, which it must allocate
 * outside its heap. Node's module is looked up, not imported, so that this file loads in a browser; a
 * runtime that answers with anything but 32 characters is passed over.
 */
import { DIGEST_BYTES } from './words.js';

export type DigestText = (bytes: Uint8Array) => string;

interface NativeCrypto {
  hash?(algorithm: 'sha256', bytes: Uint8Array, encoding: 'binary'): unknown;
}
interface BuiltinModules {
  process?: { getBuiltinModule?(name: 'node:crypto'): NativeCrypto | undefined };
}

export function nativeDigestText(): DigestText | undefined {
  const native = (globalThis as BuiltinModules).process?.getBuiltinModule?.('node:crypto');
  if (!native?.hash) return undefined;
  const hash = native.hash.bind(native);
  const probe = hash('sha256', new Uint8Array(0), 'binary');
  if (typeof probe !== 'string' || probe.length !== DIGEST_BYTES) return undefined;
  return (bytes) => hash('sha256', bytes, 'binary') as string;
}
