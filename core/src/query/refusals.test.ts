import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { verifyRegister } from '../crdt/verify.js';
import { silent } from '../ports/telemetry.js';
import { fill, join, open, push } from '../testing/open-rooms.js';
import type { Asker } from './answers.js';
import { Queries } from './queries.js';

const reason = (name: string) => ({ reason: `reject.${name}` });
const ann: Asker = { name: 'ann', read: undefined };

async function withQueries(store = memoryStore()) {
  const room = await open(store);
  return { store, room, queries: new Queries(room, silent) };
}

/** Does it so many times, as many at once as may build and wait: those share appends and seals. */
async function together(times: number, act: (i: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < times; from += 32)
    await Promise.all(Array.from({ length: Math.min(32, times - from) }, (_, i) => act(from + i)));
}

describe('what queries refuse', () => {
  it('[PJ2] selectors that select nothing, and moments that never were', async () => {
    const { room, queries } = await withQueries();
    await room.set('k', 1);
    await queries.register('q', '1', {}, 'ann');
    const hash = 'ab'.repeat(32);
    for (const selector of [
      null,
      'latest',
      {},
      { selector: 'now' },
      { selector: 'latest', canonical_seq: 1 },
      { selector: 'seq' },
      { selector: 'seq', canonical_seq: -1 },
      { selector: 'seq', canonical_seq: 0.5 },
      { selector: 'seq', canonical_seq: '1' },
      { selector: 'hash', canonical_hash: 'ab' },
      { selector: 'frontier', frontier: [] },
      { selector: 'frontier', frontier: ['seq:01'] },
      { selector: 'frontier', frontier: Array.from({ length: 4097 }, () => hash) },
    ])
      await expect(queries.build('p', 'q', selector, ann)).rejects.toMatchObject(reason('checkpoint_selector_invalid'));
    for (const selector of [
      { selector: 'seq', canonical_seq: room.seq + 1 },
      { selector: 'hash', canonical_hash: hash },
      { selector: 'frontier', frontier: [hash] },
      { selector: 'frontier', frontier: [`seq:${room.seq + 1}`] },
    ])
      await expect(queries.build('p', 'q', selector, ann)).rejects.toMatchObject(reason('checkpoint_not_found'));
    const { seq, stateHash } = room;
    for (const selector of [
      { selector: 'seq', canonical_seq: seq },
      { selector: 'hash', canonical_hash: stateHash.toUpperCase() },
      { selector: 'frontier', frontier: [...room.heads.frontier] },
    ]) {
      const { checkpoint } = await queries.build('p', 'q', selector, ann);
      expect([checkpoint.seq, checkpoint.hash]).toEqual([seq, stateHash]);
    }
    expect((await queries.build('p', 'q', { selector: 'seq', canonical_seq: 0 }, ann)).checkpoint.frontier).toEqual([]);
  });

  it('[PJ2] a past that is no beginning of the log is a checkpoint without a position', async () => {
    const { store, room, queries } = await withQueries();
    const [one, other] = [await join(room), await join(room)];
    one.set('k', 'one');
    other.set('k', 'other');
    await push(other, room);
    await push(one, room);
    await queries.register('q', '1', {}, 'ann');
    const built = await queries.build('p', 'q', { selector: 'frontier', frontier: [...one.frontier] }, ann);
    expect([built.checkpoint, built.stale]).toEqual([
      { seq: undefined, hash: one.stateHash, frontier: one.frontier },
      true,
    ]);
    const again = new Queries(await open(store), silent);
    expect((await again.read('p', {}, ann)).rows.map(({ value }) => value)).toEqual(['one']);
    const byHash = await again.build('h', 'q', { selector: 'hash', canonical_hash: one.stateHash }, ann);
    expect(byHash.checkpoint).toEqual(built.checkpoint);
    const { rows } = await again.read('p', { proof: true }, ann);
    expect(verifyRegister(rows[0]!.proof!, one.stateHash, 'k', rows[0]!.bytes)).toBe(true);
  });

  it('[PJ7] builds beyond those that run and those that wait', async () => {
    const { room, queries } = await withQueries();
    await fill(room, 50);
    await queries.register('q', '1', {}, 'ann');
    const builds = Array.from({ length: 41 }, (_, i) => queries.build(`p${i}`, 'q', undefined, ann));
    expect([queries.building, queries.waiting]).toEqual([8, 32]);
    const ended = await Promise.allSettled(builds);
    expect([queries.building, queries.waiting]).toEqual([0, 0]);
    expect(ended.map(({ status }) => status)).toEqual([...Array.from({ length: 40 }, () => 'fulfilled'), 'rejected']);
    expect(ended[40]).toMatchObject({ reason: reason('query_backpressure') });
  });

  it('[PJ7] more rows than a projection holds', async () => {
    const { room, queries } = await withQueries();
    const write = (keys: readonly string[]) =>
      room.transact(() => ({ writes: keys.map((key) => ({ key, value: 0 })), result: undefined }));
    await write(Array.from({ length: 25_000 }, (_, i) => `a${i}`));
    await write(Array.from({ length: 25_000 }, (_, i) => `b${i}`));
    await queries.register('q', '1', {}, 'ann');
    await queries.build('p', 'q', undefined, ann);
    await write(['c']);
    await expect(queries.build('p', 'q', undefined, ann)).rejects.toMatchObject(reason('query_backpressure'));
    expect((await queries.read('p', {}, ann)).rows).toHaveLength(100);
    await room.set('a0', undefined);
    expect((await queries.build('p', 'q', undefined, ann)).stale).toBe(false);
  });

  it('[PJ3] more versions, queries and projections than a room has', async () => {
    const { store, queries } = await withQueries();
    for (let i = 0; i < 32; i++) await queries.register('q', `${i}`, {}, 'ann');
    await expect(queries.register('q', '32', {}, 'ann')).rejects.toMatchObject(reason('invalid_payload'));
    await together(255, (i) => queries.register(`q${i + 1}`, '1', {}, 'ann'));
    await expect(queries.register('q256', '1', {}, 'ann')).rejects.toMatchObject(reason('invalid_payload'));
    await queries.register('q255', '2', {}, 'ann');
    const first = await queries.build('p0', 'q', { selector: 'seq', canonical_seq: 0 }, ann);
    await together(1023, (i) => queries.build(`p${i + 1}`, 'q', { selector: 'seq', canonical_seq: 1 }, ann));
    await expect(queries.build('p1024', 'q', undefined, ann)).rejects.toMatchObject(reason('query_backpressure'));
    await queries.build('p1023', 'q', undefined, ann);
    const again = new Queries(await open(store), silent);
    const selector = { selector: 'hash', canonical_hash: first.checkpoint.hash };
    expect((await again.build('p0', 'q', selector, ann)).checkpoint).toEqual(first.checkpoint);
  });

  it('[PJ2] hashes that were told too long ago', async () => {
    const { room, queries } = await withQueries();
    await queries.register('q', '1', {}, 'ann');
    await together(1024, (i) => room.set('k', i));
    const build = (seq: number) => queries.build('p', 'q', { selector: 'seq', canonical_seq: seq }, ann);
    const byHash = (hash: string) => queries.build('p', 'q', { selector: 'hash', canonical_hash: hash }, ann);
    const first = await build(1);
    const second = await build(2);
    for (let seq = 3; seq <= 1025; seq++) await build(seq);
    await expect(byHash(first.checkpoint.hash)).rejects.toMatchObject(reason('checkpoint_not_found'));
    expect((await byHash(second.checkpoint.hash)).digest).toBe(second.digest);
  });

  it('[PJ3] what nobody registered or built', async () => {
    const { queries } = await withQueries();
    await expect(queries.build('p', 'q', undefined, ann)).rejects.toMatchObject(reason('query_spec_not_found'));
    await expect(queries.list({ spec: 'q', state: 'all' }, ann)).rejects.toMatchObject(reason('query_spec_not_found'));
    await expect(queries.read('p', {}, ann)).rejects.toMatchObject(reason('projection_not_found'));
    await expect(queries.invalidate('p', 'r', 'ann')).rejects.toMatchObject(reason('projection_not_found'));
  });
});
