import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { openPack } from '../../codec/packs/pack.js';
import { StateHash } from '../../crdt/state-hash.js';
import { createHost } from '../../engine.js';
import { generateKeys } from '../../peer.js';
import { ManualClock } from '../../testing/manual-clock.js';
import { Replica } from './replica.js';

describe('an author’s clock', () => {
  it('[ND8] stands on the first node of each run, and nowhere else', async () => {
    const room = await createHost({ store: memoryStore() }).room('room');
    const clock = new ManualClock(1_700_000_000_000);
    const replica = await Replica.open({
      genesis: room.genesis.pack,
      keys: generateKeys(),
      crypto: defaultCrypto,
      hash: StateHash,
      clock,
    });
    for (let run = 0; run < 3; run++) {
      for (let i = 0; i < 4; i++) replica.set(`${run}`, i);
      await replica.seal();
      clock.advance(1000);
    }
    const { table } = openPack((await replica.seal()) ?? new Uint8Array(0));
    expect([...table.walls]).toEqual([
      [0, 1_700_000_000_000],
      [4, 1_700_000_001_000],
      [8, 1_700_000_002_000],
    ]);
    expect(replica.why('2')?.wallMs).toBeUndefined();
    replica.set('last', 1);
    expect(replica.why('last')?.wallMs).toBe(1_700_000_003_000);
  });

  it('[ND8] orders nothing: what was written later by a clock that is behind still wins', async () => {
    const room = await createHost({ store: memoryStore() }).room('room');
    const open = (now: number): Promise<Replica> =>
      Replica.open({
        genesis: room.genesis.pack,
        keys: generateKeys(),
        crypto: defaultCrypto,
        hash: StateHash,
        clock: new ManualClock(now),
      });
    const [ahead, behind] = [await open(2_000_000_000_000), await open(5)];
    ahead.set('k', 'first');
    await behind.receive((await ahead.seal()) ?? new Uint8Array(0));
    behind.set('k', 'second');
    await ahead.receive((await behind.seal()) ?? new Uint8Array(0));
    expect([ahead.get('k'), behind.get('k'), ahead.why('k')?.wallMs]).toEqual(['second', 'second', 5]);
  });
});
