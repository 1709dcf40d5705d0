import { describe, expect, it } from 'vitest';
import { defaultCrypto as crypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { toHex } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { BlobRef } from '../crdt/registers.js';
import { type RoomId, parseRoomId } from '../codec/bytes/room-id.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Store } from '../ports/store.js';
import { silent } from '../ports/telemetry.js';
import { Room } from '../room/room.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type IntentResult, Tick } from './tick.js';

const settings = { intervalMs: 100, intentPrefix: 'intent/' };

async function ticking(store: Store = memoryStore()) {
  const clock = new ManualClock();
  const onFault = (error: unknown): void => {
    throw error;
  };
  const signer = crypto.signer(await store.authoritySeed());
  const id = parseRoomId('room') as RoomId;
  // By itself: a host would let it tick.
  const room = await Room.open({
    id,
    clock,
    signer,
    crypto,
    onFault,
    log: store.log,
    images: store.images,
    telemetry: silent,
  });
  const results: IntentResult[] = [];
  const tick = new Tick({
    room,
    clock,
    decided: (some) => results.push(...some),
    onFault,
  });
  /** One interval, and what it leads to. */
  const pass = async (ms = 100): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn++)
      await room.settled().then(() => new Promise((resolve) => setImmediate(resolve)));
  };
  return { room, tick, results, pass };
}

async function written(
  room: Room,
  edit: (replica: Awaited<ReturnType<typeof createReplica>>) => void,
): Promise<string[]> {
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  edit(replica);
  const pack = (await replica.seal()) ?? new Uint8Array();
  await room.admit(pack, { from: 'peer' });
  return decodePack(pack).nodes.map(({ id }) => toHex(id));
}

describe('a tick', () => {
  it('[TI1] does not decide an intent again against which an older one has lost', async () => {
    const { room, tick, results, pass } = await ticking();
    await tick.start(settings, 'ann');
    const late = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    late.set('intent/a', 'of before');
    await room.set('other', 1);
    await room.set('intent/a', 'asked for');
    await pass();
    await room.set('world/a', 'as it is now');
    await room.admit((await late.seal())!, { from: 'late' });
    await pass();
    expect([room.get('intent/a'), room.get('world/a')]).toEqual(['asked for', 'as it is now']);
    expect(results).toHaveLength(1);
  });

  it('[TI1] writes what changed, as it is, and nothing when nothing did', async () => {
    const { room, tick, results, pass } = await ticking();
    await tick.start(settings, 'ann');
    const hash = 'ab'.repeat(32);
    const [first] = await written(room, (replica) => {
      replica.batch(() => {
        replica.set('intent/a', { deep: [1, 2.5] });
        replica.setBlob('intent/b/c', hash);
        replica.delete('intent/d');
        replica.set('elsewhere', 1);
      });
    });
    const before = room.seq;
    await pass();
    expect([room.get('world/a'), room.get('world/b/c'), room.get('world/d')]).toEqual([
      { deep: [1, 2.5] },
      new BlobRef(hash),
      undefined,
    ]);
    expect(results.map(({ key, status, intentNode }) => [key, status, intentNode])).toEqual(
      ['a', 'b/c', 'd'].map((key) => [`intent/${key}`, 'accepted', first]),
    );
    expect(room.seq).toBe(before + 1);
    await pass();
    expect([room.seq, results.length]).toEqual([before + 1, 3]);
  });

  it('[TI1] decides the same key again when it is written again, and a deletion too', async () => {
    const { room, tick, results, pass } = await ticking();
    await tick.start(settings, 'ann');
    await written(room, (replica) => replica.set('intent/a', 1));
    await pass();
    await room.set('intent/a', undefined);
    await pass();
    expect([room.get('world/a'), results.map(({ status }) => status)]).toEqual([undefined, ['accepted', 'accepted']]);
  });

  it('[TI1] takes many intents in nodes of 10,000', async () => {
    const { room, tick, results, pass } = await ticking();
    await tick.start(settings, 'ann');
    await written(room, (replica) =>
      replica.batch(() => {
        for (let i = 0; i < 10_001; i++) replica.set(`intent/${i}`, i);
      }),
    );
    const before = room.seq;
    await pass();
    expect([room.seq, results.length, room.get('world/10000')]).toEqual([before + 2, 10_001, 10_000]);
  });

  it('[TI2] rejects what its policy denies', async () => {
    const { room, tick, results, pass } = await ticking();
    const intentPolicy = { default: 'allow' as const, rules: [{ path_glob: 'intent/no/**', can_write: [] }] };
    await tick.start({ ...settings, intentPolicy }, 'ann');
    await written(room, (replica) => {
      replica.set('intent/no/a', 1);
      replica.set('intent/yes', 1);
    });
    await pass();
    expect(results.map(({ key, status, reason }) => [key, status, reason])).toEqual([
      ['intent/no/a', 'rejected', 'intent-policy'],
      ['intent/yes', 'accepted', undefined],
    ]);
    expect([room.get('world/no/a'), room.get('world/yes')]).toEqual([undefined, 1]);
  });

  it('[TI4] goes on after a restart where it was, deciding nothing twice', async () => {
    const store = memoryStore();
    const one = await ticking(store);
    await one.tick.start(settings, 'ann');
    await written(one.room, (replica) => replica.set('intent/a', 1));
    await one.pass();
    one.tick.rest();
    await written(one.room, (replica) => replica.set('intent/b', 1));
    const other = await ticking(store);
    expect(other.tick.settings).toEqual(settings);
    const before = other.room.seq;
    await other.pass();
    expect(other.results.map(({ key }) => key)).toEqual(['intent/b']);
    expect([other.room.seq, other.room.get('world/b')]).toEqual([before + 1, 1]);
  });

  it('[TI1] stops, and starts anew with what is asked for then', async () => {
    const { room, tick, pass } = await ticking();
    expect(await tick.start(settings, 'ann')).toEqual({ settings, isNew: true });
    expect(await tick.start({ ...settings, intervalMs: 10 }, 'ann')).toEqual({ settings, isNew: false });
    await tick.stop('ann');
    await written(room, (replica) => replica.set('intent/a', 1));
    await pass(1000);
    expect([tick.settings, room.get('world/a')]).toEqual([undefined, undefined]);
    const quick = { intervalMs: 10, intentPrefix: 'intent/' };
    expect(await tick.start(quick, 'ann')).toEqual({ settings: quick, isNew: true });
    await pass(10);
    expect(room.get('world/a')).toBe(1);
  });
});
