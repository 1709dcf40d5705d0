import { expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { toHex } from '../../codec/bytes/bytes.js';
import { makeTombstone, nameOfDeletion, readTombstone, verifyTombstone } from './tombstone.js';

const signer = defaultCrypto.signer(new Uint8Array(32).fill(1));
const SAID = {
  room: 'a.room',
  genesis: 'ab'.repeat(32),
  seq: 300,
  at: 1_700_000_000_000,
  until: 0,
  by: 'c0'.repeat(32),
};

/** Vector: whatever reads or writes tombstones agrees with these bytes. */
const BODY = `06612e726f6f6d${SAID.genesis}ac0280d095ffbc3100`;

it('[DE2] a tombstone is these bytes, and says what it was made of', async () => {
  const bytes = await makeTombstone(SAID, signer);
  const hex = toHex(bytes);
  expect(hex.slice(0, 4)).toBe('5401');
  expect(hex.slice(4, 68)).toBe(signer.publicKey);
  expect(hex.slice(196, 196 + BODY.length)).toBe(BODY);
  expect(readTombstone(bytes)).toEqual({ ...SAID, authority: signer.publicKey });
  expect(await verifyTombstone(bytes, defaultCrypto)).toEqual({ ...SAID, authority: signer.publicKey });
  expect(nameOfDeletion(bytes)).toMatch(/^[0-9a-f]{64}$/);
});

it('[DE2] one that was changed anywhere is not signed, or is none', async () => {
  const bytes = await makeTombstone(SAID, signer);
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.slice();
    changed[at] = changed[at]! ^ 1;
    const read = await verifyTombstone(changed, defaultCrypto).catch((error: Error) => error.name);
    expect([undefined, 'DecodeError']).toContain(read);
  }
  for (let length = 0; length < bytes.length; length++)
    expect(() => readTombstone(bytes.slice(0, length))).toThrow(expect.objectContaining({ name: 'DecodeError' }));
});
