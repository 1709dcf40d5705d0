import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { generateKeys, signToken } from '../../peer.js';
import { type DirectParts, isDescriptionBy, readsWholeUntil, signDescription } from './word.js';

const [ann, ben, admin] = [generateKeys(), generateKeys(), generateKeys()];
const room = 'a'.repeat(64);
const parts: DirectParts = {
  keys: ann,
  crypto: defaultCrypto,
  credential: undefined,
  shown: undefined,
  onShow: () => () => undefined,
  hear: () => undefined,
};

describe('a description of a direct connection', () => {
  const about = { room, to: ben.publicKey, sdp: 'v=0 answer', offer: 'v=0 offer' };

  it('is of who has signed it, for its reader, room and offer alone', async () => {
    const signature = await signDescription(parts, about);
    expect(await isDescriptionBy(parts, ann.publicKey, about, signature)).toBe(true);
    expect(await isDescriptionBy(parts, ben.publicKey, about, signature)).toBe(false);
    for (const other of [{ room: 'b'.repeat(64) }, { to: ann.publicKey }, { sdp: 'v=0 mine' }, { offer: 'v=0 old' }])
      expect(await isDescriptionBy(parts, ann.publicKey, { ...about, ...other }, signature)).toBe(false);
    for (const nonsense of [undefined, '', '0'.repeat(128), 7, signature.toUpperCase()])
      expect(await isDescriptionBy(parts, ann.publicKey, about, nonsense)).toBe(false);
  });
});

describe('a token that is shown to another page', () => {
  const expiry = 2_000_000_000;
  const issuers = new Set([admin.publicKey]);
  const until = (shown: unknown, key = ben.publicKey, of = 'pad') => readsWholeUntil(parts, of, key, shown, issuers);
  const token = (caps: readonly string[], seed = admin.seed) =>
    signToken({ room: 'pad', peer: ben.publicKey, expiry, caps }, seed);

  it('lets its holder read the whole room until it expires, or does not', async () => {
    for (const caps of [[], ['read:**'], ['read-only'], ['read:**', 'write:notes/**'], ['room.admin']])
      expect(await until(await token(caps))).toBe(expiry * 1000);
    for (const caps of [['read:notes/**'], ['write:**'], ['read-only', 'read:notes/**']])
      expect(await until(await token(caps))).toBeUndefined();
  });

  it('is nothing to another key, in another room, or under another signature', async () => {
    const good = await token([]);
    expect(await until(good, ann.publicKey)).toBeUndefined();
    expect(await until({ ...good, peer_pubkey: ann.publicKey }, ann.publicKey)).toBeUndefined();
    expect(await until(good, ben.publicKey, 'other')).toBeUndefined();
    expect(await until(await token([], ben.seed))).toBeUndefined();
    expect(await until({ ...(await token([], ben.seed)), issuer: admin.publicKey })).toBeUndefined();
    expect(await until({ ...good, expiry: expiry + 1 })).toBeUndefined();
    expect(await until({ ...(await token(['read:notes/**'])), caps: [] })).toBeUndefined();
    for (const nonsense of [
      undefined,
      'text',
      {},
      { ...good, caps: ['a b'] },
      { ...good, sig: 'zz' },
      { ...good, expiry: -1 },
    ])
      expect(await until(nonsense)).toBeUndefined();
  });
});
