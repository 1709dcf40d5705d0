import { expect, it } from 'vitest';
import { NO_RECOVERY } from '../../access/succession.js';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { makeGenesis } from './genesis.js';
import { recoveryIn } from './recovery-in.js';

const key = 'ab'.repeat(32);

it.each<[string, unknown, string | undefined]>([
  ['a key', key, key],
  ['that nobody does', NO_RECOVERY, NO_RECOVERY],
  ['nothing', undefined, undefined],
  ['a key in capital letters', key.toUpperCase(), undefined],
  ['less than a key', key.slice(2), undefined],
  ['more than a key', `${key}ab`, undefined],
  ['a list of a key', [key], undefined],
])('[MA6] who takes a room over whose genesis says %s', async (_, said, recovery) => {
  const signer = defaultCrypto.signer(new Uint8Array(32).fill(1));
  // Whoever founds a room writes what he likes.
  const genesis = await makeGenesis('room' as RoomId, signer, { recovery: said as string | undefined });
  expect(recoveryIn(genesis.table)).toBe(recovery);
});
