import { describe, expect, it } from 'vitest';
import { nativeCrypto } from '../../adapters/crypto/native.js';
import { rangeOf } from '../../codec/nodes/places.js';
import { openPack, writePack } from '../../codec/packs/pack.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import { makeGenesis } from '../state/genesis.js';
import { checkSeals } from './checked-pack.js';

const crypto = nativeCrypto()!;

describe('seals of a pack', () => {
  it('[SL1] are valid as their author has made them, and in no other way', async () => {
    const { table, signature } = await makeGenesis(parseRoomId('plans')!, crypto.signer(new Uint8Array(32).fill(1)));
    const other = Uint8Array.from(signature, (byte, at) => (at === 3 ? byte ^ 1 : byte));
    for (const [made, valid] of [
      [signature, true],
      [other, false],
    ] as const) {
      const pack = openPack(writePack(table, rangeOf(0, 1), [{ index: 0, signature: made }]));
      expect((await checkSeals(pack, crypto)).seals).toMatchObject([{ index: 0, valid }]);
    }
  });
});
