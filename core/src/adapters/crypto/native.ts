/**
 * Ed25519 by Node's crypto module. It verifies on the thread pool, where many signatures of one pack
 * use every core; it signs where it is called: a signature takes a third of what the way to the pool
 * and back does.
 *
 * The module is looked up at run time, not imported: the same file loads in a browser, where
 * `nativeCrypto()` answers undefined and the portable implementation is used.
 */
import { fromBase64Url, fromHex, toBase64Url, toHex } from '../../codec/bytes/bytes.js';
import type { Crypto, Signer } from '../../ports/crypto.js';
import { isPublicKey } from './points.js';
import { isStrictSignature } from './strict.js';

interface KeyObject {
  export(options: { format: 'jwk' }): { readonly x: string };
}
/** A JSON Web Key: read eight times as fast as DER, which for a stranger takes longer than the verification. */
interface RawKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}
interface RawPrivateKey extends RawKey {
  readonly d: string;
}
type Done<T> = (error: Error | null, result: T) => void;
interface NativeModule {
  createPrivateKey(
    options: { key: RawPrivateKey; format: 'jwk' } | { key: Uint8Array; format: 'der'; type: 'pkcs8' },
  ): KeyObject;
  createPublicKey(options: { key: RawKey; format: 'jwk' }): KeyObject;
  sign(algorithm: null, message: Uint8Array, key: KeyObject): Uint8Array;
  verify(algorithm: null, message: Uint8Array, key: KeyObject, signature: Uint8Array, done: Done<boolean>): void;
}
interface BuiltinModules {
  process?: { getBuiltinModule?(name: 'node:crypto'): NativeModule | undefined };
}

/** What DER puts before the 32 bytes of a private Ed25519 key. */
const PRIVATE_PREFIX = '302e020100300506032b657004220420';
/** Stands where a JSON Web Key has its public half. Node computes that of a private key from the seed, and reads no other. */
const NO_PUBLIC_HALF = 'A'.repeat(43);
/** Parsed keys are worth keeping, but a stream of strangers must not fill memory. */
const KEPT_KEYS = 4096;

export function nativeCrypto(): Crypto | undefined {
  const native = (globalThis as BuiltinModules).process?.getBuiltinModule?.('node:crypto');
  return native && build(native);
}

function build(native: NativeModule): Crypto {
  const keys = new Map<string, KeyObject>();

  function publicKeyOf(publicKey: string): KeyObject {
    const kept = keys.get(publicKey);
    if (kept) return kept;
    const x = toBase64Url(fromHex(publicKey));
    const key = native.createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    if (keys.size >= KEPT_KEYS) keys.clear();
    keys.set(publicKey, key);
    return key;
  }

  function privateKeyOf(seed: Uint8Array): KeyObject {
    try {
      const raw = { kty: 'OKP', crv: 'Ed25519', d: toBase64Url(seed), x: NO_PUBLIC_HALF } as const;
      return native.createPrivateKey({ key: raw, format: 'jwk' });
    } catch {
      // A Node that compares the halves; this way takes ten times as long.
      const der = fromHex(PRIVATE_PREFIX + toHex(seed));
      return native.createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    }
  }

  function signer(seed: Uint8Array): Signer {
    const key = privateKeyOf(seed);
    return {
      publicKey: toHex(fromBase64Url(key.export({ format: 'jwk' }).x)),
      sign: (message) => Promise.resolve(native.sign(null, message, key)),
    };
  }

  return {
    signer,
    signerOf: ({ seed }) => signer(fromHex(seed)),

    isPublicKey,

    verify(publicKey, message, signature) {
      if (!isStrictSignature(publicKey, signature)) return Promise.resolve(false);
      return new Promise((resolve) => {
        try {
          native.verify(null, message, publicKeyOf(publicKey), signature, (error, valid) => resolve(!error && valid));
        } catch {
          resolve(false); // not a point of the curve
        }
      });
    },
  };
}
