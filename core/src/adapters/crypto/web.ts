/**
 * Ed25519 of the platform: in browsers, workers and Deno. It costs a page nothing, where the portable one has to be loaded.
 *
 * A key pair is known by both its halves here: the platform makes the public one of a secret only while it makes a pair.
 */
import { fromBase64Url, fromHex, toBase64Url, toHex } from '../../codec/bytes/bytes.js';
import type { KeyHalves, PeerCrypto, Signer } from '../../ports/crypto.js';
import { isStrictSignature } from './strict.js';

type Subtle = (typeof globalThis.crypto)['subtle'];
type Key = Awaited<ReturnType<Subtle['importKey']>>;

const ED25519 = 'Ed25519';
/** Imported keys are worth keeping, but a stream of strangers must not fill memory. */
const KEPT_KEYS = 1024;

/** What a peer needs where nothing is known in advance about the runtime. */
export interface PeerKeys extends PeerCrypto {
  generateKeys(): Promise<KeyHalves>;
}

/** Undefined where the platform has no Ed25519, or no secure context to use it in. */
export async function webCrypto(): Promise<PeerKeys | undefined> {
  const { subtle } = globalThis.crypto;
  try {
    await newPair(subtle);
    return build(subtle);
  } catch {
    return undefined;
  }
}

async function newPair(subtle: Subtle): Promise<KeyHalves> {
  const pair = await subtle.generateKey(ED25519, true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new TypeError('this platform makes no pairs');
  const { x, d } = await subtle.exportKey('jwk', pair.privateKey);
  return { publicKey: toHex(fromBase64Url(x ?? '')), seed: toHex(fromBase64Url(d ?? '')) };
}

function build(subtle: Subtle): PeerKeys {
  const keys = new Map<string, Promise<Key>>();

  function publicKeyOf(publicKey: string): Promise<Key> {
    const kept = keys.get(publicKey);
    if (kept) return kept;
    const key = subtle.importKey('raw', fromHex(publicKey).slice(), ED25519, false, ['verify']);
    if (keys.size >= KEPT_KEYS) keys.clear();
    keys.set(publicKey, key);
    return key;
  }

  return {
    generateKeys: () => newPair(subtle),

    signerOf({ publicKey, seed }): Signer {
      const [x, d] = [publicKey, seed].map((half) => toBase64Url(fromHex(half)));
      const jwk = { kty: 'OKP', crv: ED25519, x: x!, d: d! };
      let key: Promise<Key> | undefined;
      return {
        publicKey,
        async sign(message) {
          key ??= subtle.importKey('jwk', jwk, ED25519, false, ['sign']);
          return new Uint8Array(await subtle.sign(ED25519, await key, message.slice()));
        },
      };
    },

    async verify(publicKey, message, signature) {
      if (!isStrictSignature(publicKey, signature)) return false;
      try {
        return await subtle.verify(ED25519, await publicKeyOf(publicKey), signature.slice(), message.slice());
      } catch {
        return false; // not a point of the curve
      }
    },
  };
}
