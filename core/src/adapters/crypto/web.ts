/**
 * Ed25519 of the platform: in browsers, workers and Deno. It costs a page nothing, where the portable one has to be loaded.
 *
 * A key pair is known by both its halves here: the platform makes the public one of a secret only while it makes a pair. The secret
 * of a pair that is made here stays with the platform: a script that gets into a page may sign with it there, and take it nowhere.
 */
import { fromHex, toBase64Url, toHex } from '../../codec/bytes/bytes.js';
import type { KeyHalves, PeerCrypto, PlatformKey, Signer } from '../../ports/crypto.js';
import { isStrictSignature } from './strict.js';

type Subtle = (typeof globalThis.crypto)['subtle'];

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
  const pair = await subtle.generateKey(ED25519, false, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new TypeError('this platform makes no pairs');
  const publicKey = toHex(new Uint8Array(await subtle.exportKey('raw', pair.publicKey)));
  return { publicKey, seed: '', signing: pair.privateKey };
}

function imported(subtle: Subtle, ...halves: readonly [publicKey: string, seed: string]): Promise<PlatformKey> {
  const [x, d] = halves.map((half) => toBase64Url(fromHex(half)));
  return subtle.importKey('jwk', { kty: 'OKP', crv: ED25519, x: x!, d: d! }, ED25519, false, ['sign']);
}

function build(subtle: Subtle): PeerKeys {
  const keys = new Map<string, Promise<PlatformKey>>();

  function publicKeyOf(publicKey: string): Promise<PlatformKey> {
    const kept = keys.get(publicKey);
    if (kept) return kept;
    const key = subtle.importKey('raw', fromHex(publicKey).slice(), ED25519, false, ['verify']);
    if (keys.size >= KEPT_KEYS) keys.clear();
    keys.set(publicKey, key);
    return key;
  }

  return {
    generateKeys: () => newPair(subtle),

    signerOf({ publicKey, seed, signing }): Signer {
      let key = signing && Promise.resolve(signing);
      return {
        publicKey,
        async sign(message) {
          key ??= imported(subtle, publicKey, seed);
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
