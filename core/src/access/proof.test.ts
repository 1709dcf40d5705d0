import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { fromHex, toHex } from '../codec/bytes/bytes.js';
import { generateKeys, signProof } from '../peer.js';
import { type ProofClaims, proofMessage } from './proof.js';

const keys = generateKeys();
const claims: ProofClaims = {
  room: 'room-1',
  aud: 'weft.example:7878',
  ts: 1_700_000_000_123,
  nonce: '000102030405060708090a0b0c0d0e0f',
};

/** The layout, built another way. */
function layout(peer: string, { room, aud, ts, nonce }: ProofClaims): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(BigInt(ts));
  const text = Buffer.from(`weft-hello-v1\0${room}\0`);
  return Buffer.concat([text, Buffer.from(peer, 'hex'), time, Buffer.from(nonce, 'hex'), Buffer.from(aud, 'utf8')]);
}

describe('a proof of key', () => {
  it('[PF1] is signed over the documented bytes', async () => {
    const proof = await signProof(claims, keys);
    expect(proof).toEqual({ ts: claims.ts, nonce: claims.nonce, aud: claims.aud, sig: proof.sig });
    expect(toHex(proofMessage(keys.publicKey, claims))).toBe(layout(keys.publicKey, claims).toString('hex'));
    expect(await defaultCrypto.verify(keys.publicKey, layout(keys.publicKey, claims), fromHex(proof.sig))).toBe(true);
  });

  it.each<[string, Partial<ProofClaims>]>([
    ['room', { room: 'room-2' }],
    ['audience', { aud: 'weft.example:7879' }],
    ['time', { ts: claims.ts + 1 }],
    ['nonce', { nonce: 'ff'.repeat(16) }],
  ])('[PF1] does not verify with another %s', async (_, change) => {
    const { sig } = await signProof(claims, keys);
    const changed = proofMessage(keys.publicKey, { ...claims, ...change });
    expect(await defaultCrypto.verify(keys.publicKey, changed, fromHex(sig))).toBe(false);
  });

  it('[PF1] does not verify for another peer', async () => {
    const { sig } = await signProof(claims, keys);
    const other = generateKeys().publicKey;
    expect(await defaultCrypto.verify(other, proofMessage(other, claims), fromHex(sig))).toBe(false);
    expect(await defaultCrypto.verify(keys.publicKey, proofMessage(other, claims), fromHex(sig))).toBe(false);
  });

  it('[PF1] is of now and with a fresh nonce unless told otherwise', async () => {
    const before = Date.now();
    const [one, other] = [
      await signProof({ room: 'r', aud: 'a:1' }, keys),
      await signProof({ room: 'r', aud: 'a:1' }, keys),
    ];
    expect(one.nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(other.nonce).not.toBe(one.nonce);
    expect(one.ts).toBeGreaterThanOrEqual(before);
    expect(one.ts).toBeLessThanOrEqual(Date.now());
  });

  it.each(['', '00', 'ff'.repeat(15), 'ff'.repeat(17), 'zz'.repeat(16)])(
    '[PF1] is not made with the nonce %j',
    async (nonce) => {
      await expect(signProof({ ...claims, nonce }, keys)).rejects.toThrow();
    },
  );
});
