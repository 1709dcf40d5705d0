import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { fromHex, toHex } from '../codec/bytes/bytes.js';
import { generateKeys, signToken } from '../peer.js';
import { type Token, type TokenClaims, littleEndian64, tokenMessage } from './token.js';

const issuer = generateKeys();
const peer = generateKeys().publicKey;
const claims: TokenClaims = {
  room: 'room-1',
  peer,
  expiry: 1_700_000_000,
  caps: ['policy.admin', 'write:docs/**', 'archive.read'],
};

/** The layout, built another way. */
function layout({ room, peer: key, expiry, caps }: TokenClaims): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(BigInt(expiry));
  const sorted = [...caps].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const zero = Buffer.from([0]);
  return Buffer.concat([
    ...[Buffer.from('weft-room-token-v1'), zero, Buffer.from(room), zero, Buffer.from(key, 'hex')],
    ...[time, zero, Buffer.from(sorted.join('\n'))],
  ]);
}

/** What a server does with a token. */
const accepts = ({ sig, issuer: by }: Token, claimed: TokenClaims): Promise<boolean> =>
  defaultCrypto.verify(by, tokenMessage(claimed), fromHex(sig));

describe('a room token', () => {
  it('[TK1] may have any time', () => {
    expect(littleEndian64(0)).toEqual(new Uint8Array(8));
    for (const time of [-1, 0.5, 2 ** 53]) expect(() => littleEndian64(time)).toThrow('is not a time');
  });

  it('[TK1] names the first capability that is none', () => {
    expect(() => tokenMessage({ ...claims, caps: ['good', 'first bad', 'second bad'] })).toThrow('"first bad"');
  });

  it('[TK1] is signed over the documented bytes', async () => {
    const token = await signToken(claims, issuer.seed);
    expect(toHex(tokenMessage(claims))).toBe(layout(claims).toString('hex'));
    expect(await defaultCrypto.verify(issuer.publicKey, layout(claims), fromHex(token.sig))).toBe(true);
    expect(token).toEqual({
      peer_pubkey: peer,
      expiry: claims.expiry,
      caps: ['archive.read', 'policy.admin', 'write:docs/**'],
      sig: token.sig,
      issuer: issuer.publicKey,
    });
  });

  it('[TK1] is laid out so for any claims', () => {
    const cap = fc.stringMatching(/^[\x21-\x7e]{1,12}$/);
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9._~-]{1,20}$/),
        fc.maxSafeNat(),
        fc.array(cap, { maxLength: 6 }),
        (room, expiry, caps) => {
          const some = { room, expiry, caps, peer };
          expect(toHex(tokenMessage(some))).toBe(layout(some).toString('hex'));
        },
      ),
    );
  });

  it('[TK1] says the same whatever the order of its capabilities', async () => {
    const token = await signToken(claims, issuer.seed);
    expect(await signToken({ ...claims, caps: [...claims.caps].reverse() }, issuer.seed)).toEqual(token);
  });

  it.each<[string, Partial<TokenClaims>]>([
    ['room', { room: 'room-2' }],
    ['peer', { peer: generateKeys().publicKey }],
    ['expiry', { expiry: claims.expiry + 1 }],
    ['one capability more', { caps: [...claims.caps, 'room.admin'] }],
    ['one capability less', { caps: claims.caps.slice(1) }],
    ['another capability', { caps: ['policy.admin', 'write:**', 'archive.read'] }],
    ['capabilities run together', { caps: ['policy.adminwrite:docs/**', 'archive.read'] }],
  ])('[TK1] does not verify with another %s', async (_, change) => {
    const token = await signToken(claims, issuer.seed);
    expect(await accepts(token, claims)).toBe(true);
    expect(await accepts(token, { ...claims, ...change })).toBe(false);
    expect(await accepts({ ...token, issuer: generateKeys().publicKey }, claims)).toBe(false);
  });

  it.each(['', 'a b', 'a\nb', 'ä', 'a\u0000'])('[TK1] is not made for the capability %j', async (cap) => {
    await expect(signToken({ ...claims, caps: [cap] }, issuer.seed)).rejects.toThrow('must be printable ASCII');
  });

  it.each([-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    '[TK1] is not made for the time %s',
    async (expiry) => {
      await expect(signToken({ ...claims, expiry }, issuer.seed)).rejects.toThrow('is not a time');
    },
  );

  it.each([0, 1, 31, 33])('[TK1] is not made for a peer key of %i bytes', async (length) => {
    await expect(signToken({ ...claims, peer: 'ab'.repeat(length) }, issuer.seed)).rejects.toThrow();
  });

  it('[TK1] writes times in 64 bits, little-endian', () => {
    expect(toHex(littleEndian64(0x0102030405))).toBe('0504030201000000');
    expect(toHex(littleEndian64(Number.MAX_SAFE_INTEGER))).toBe('ffffffffffff1f00');
  });
});
