/** The platform's Ed25519 gives the answers of the others; Node has that of the platform too. */
import { describe, expect, it, vi } from 'vitest';
import { fromHex, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { portableCrypto } from './portable.js';
import { type PeerKeys, webCrypto } from './web.js';

const message = toUtf8('what is signed');

async function platform(): Promise<PeerKeys> {
  const crypto = await webCrypto();
  if (!crypto) throw new Error('this runtime has no Ed25519, and nothing was compared');
  return crypto;
}

const changed = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));

describe('the platform’s Ed25519', () => {
  it('[SG2] makes pairs whose secret nobody can read, also when it comes from where it was stored, and another one each time', async () => {
    const crypto = await platform();
    const [one, other] = [await crypto.generateKeys(), await crypto.generateKeys()];
    expect(one.publicKey).not.toBe(other.publicKey);
    for (const { publicKey, seed, signing } of [one, other]) {
      expect(seed).toBe('');
      await expect(globalThis.crypto.subtle.exportKey('jwk', signing!)).rejects.toThrow('not extractable');
      const stored = structuredClone({ publicKey, seed, signing });
      expect(await portableCrypto.verify(publicKey, message, await crypto.signerOf(stored).sign(message))).toBe(true);
    }
  });

  it('[SG2] signs with a pair that was made elsewhere as the portable one does', async () => {
    const crypto = await platform();
    for (let i = 0; i < 10; i++) {
      const seed = globalThis.crypto.getRandomValues(new Uint8Array(32));
      const keys = { publicKey: portableCrypto.signer(seed).publicKey, seed: toHex(seed) };
      const signer = crypto.signerOf(keys);
      expect(signer.publicKey).toBe(keys.publicKey);
      for (const text of [message, message.subarray(0, i)])
        expect(toHex(await signer.sign(text))).toBe(toHex(await portableCrypto.signerOf(keys).sign(text)));
    }
  });

  it('[SG1] verifies what is right, and refuses whatever has one bit changed', async () => {
    const crypto = await platform();
    const keys = await crypto.generateKeys();
    const signature = await crypto.signerOf(keys).sign(message);
    expect(await crypto.verify(keys.publicKey, message, signature)).toBe(true);
    for (let at = 0; at < 64; at++)
      expect(await crypto.verify(keys.publicKey, message, changed(signature, at))).toBe(false);
    for (let at = 0; at < 14; at++)
      expect(await crypto.verify(keys.publicKey, changed(message, at), signature)).toBe(false);
    for (let at = 0; at < 32; at++) {
      const other = toHex(changed(fromHex(keys.publicKey), at));
      expect(await crypto.verify(other, message, signature)).toBe(false);
    }
  });

  it('[SG3] answers for what is no key and no signature', async () => {
    const crypto = await platform();
    const { publicKey } = await crypto.generateKeys();
    for (const key of ['', 'xyz', '00'.repeat(32), 'ff'.repeat(32), publicKey.slice(2)])
      for (const length of [0, 63, 64, 65])
        expect(await crypto.verify(key, message, new Uint8Array(length))).toBe(false);
  });

  it('[SG1] is not there where a page may not use it', async () => {
    for (const subtle of [undefined, { generateKey: () => Promise.reject(new Error('NotSupportedError')) }]) {
      vi.stubGlobal('crypto', { subtle });
      expect(await webCrypto()).toBeUndefined();
    }
    vi.unstubAllGlobals();
  });
});
