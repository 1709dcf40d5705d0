/** Ed25519 in plain JavaScript, for browsers and workers: about a tenth of the speed of Node's own. */
import { Point, getPublicKey, hashes, sign } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import { concatBytes, equalBytes, fromHex, toHex } from '../../codec/bytes/bytes.js';
import type { Crypto, Signer } from '../../ports/crypto.js';
import { isPublicKey } from './points.js';
import { isStrictSignature } from './strict.js';

hashes.sha512 = sha512;

const GROUP_ORDER = Point.CURVE().n;

export const portableCrypto: Crypto = {
  signer,
  signerOf: ({ seed }) => signer(fromHex(seed)),

  isPublicKey,

  verify(publicKey, message, signature) {
    if (!isStrictSignature(publicKey, signature)) return Promise.resolve(false);
    return Promise.resolve(verifyCofactorless(fromHex(publicKey), message, signature));
  },
};

function signer(seed: Uint8Array): Signer {
  const secret = new Uint8Array(seed);
  return {
    publicKey: toHex(getPublicKey(secret)),
    sign: (message) => Promise.resolve(sign(message, secret)),
  };
}

/** The library's own check multiplies by the cofactor, Node's does not; this one follows Node's. [SG3] */
function verifyCofactorless(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const r = signature.subarray(0, 32);
  try {
    const key = Point.fromBytes(publicKey);
    const challenge = littleEndian(sha512(concatBytes([r, publicKey, message]))) % GROUP_ORDER;
    const s = littleEndian(signature.subarray(32));
    const expected = Point.BASE.multiply(s, false).add(key.negate().multiply(challenge, false));
    return equalBytes(expected.toBytes(), r);
  } catch {
    return false; // the key is not a point of the curve
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(new Uint8Array(bytes).reverse())}`);
}
