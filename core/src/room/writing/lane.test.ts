import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import { createReplica, generateKeys } from '../../peer.js';
import { systemClock } from '../../ports/clock.js';
import type { Crypto } from '../../ports/crypto.js';
import type { AppendResult, Store } from '../../ports/store.js';
import { silent } from '../../ports/telemetry.js';
import { altered } from '../../testing/altered.js';
import { storeBattery } from '../../testing/batteries/store-battery.js';
import { Room } from '../room.js';
import type { Commit } from './commit.js';
import type { Decision } from './decision.js';

/** A store whose appends are counted, and can be held back or made to fail. */
function watchedStore(store: Store = memoryStore()) {
  const appended: number[] = [];
  const held: (() => void)[] = [];
  let arrived: (() => void) | undefined;
  const state = { holding: false, failing: false };
  const log = altered(store.log, {
    async append(room, head, batch): Promise<AppendResult> {
      if (state.holding) {
        await new Promise<void>((resolve) => {
          held.push(resolve);
          arrived?.();
        });
      }
      if (state.failing) throw new Error('the disk is full');
      const result = await store.log.append(room, head, batch);
      appended.push(batch.count);
      return result;
    },
  });
  const arrival = async (): Promise<void> => {
    if (held.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
  };
  const release = (): void => {
    for (const resume of held.splice(0)) resume();
  };
  return { ...store, log, appended, state, arrival, release };
}

/** The engine's crypto, telling when a verification has been answered. */
const checks = (() => {
  const waiting: (() => void)[] = [];
  const crypto: Crypto = {
    ...defaultCrypto,
    async verify(...args) {
      const valid = await defaultCrypto.verify(...args);
      // After whoever asked has been told.
      setImmediate(() => waiting.shift()?.());
      return valid;
    },
  };
  return { crypto, next: () => new Promise<void>((resolve) => waiting.push(resolve)) };
})();

const id = parseRoomId('room') ?? raise();
function raise(): never {
  throw new Error('not a room id');
}

async function openRoom(store: Store = memoryStore()) {
  const signer = defaultCrypto.signer(await store.authoritySeed());
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const parts = {
    id,
    log: store.log,
    images: store.images,
    crypto: checks.crypto,
    signer,
    telemetry: silent,
    clock: systemClock,
    onFault,
  };
  return { room: await Room.open(parts), faults, signer };
}

const put =
  (key: string, value: unknown = 1) =>
  (): Decision<string> => ({ writes: [{ key, value }], result: key });

async function packOf(room: Room, ...keys: string[]) {
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  for (const key of keys) replica.set(key, key);
  return (await replica.seal()) ?? new Uint8Array();
}

describe('the watched store', () => {
  for (const { name, run } of storeBattery.filter(({ durable }) => !durable)) {
    it(name, () => run(() => Promise.resolve(watchedStore())));
  }
});

describe('the lane', () => {
  it('[ST3] gives jobs that wait for the same append the next one together', async () => {
    const store = watchedStore();
    const { room } = await openRoom(store);
    store.state.holding = true;
    const first = room.transact(put('first'));
    await store.arrival();
    const waiting = ['a', 'b', 'c', 'd'].map((key) => room.transact(put(key)));
    store.state.holding = false;
    store.release();
    await Promise.all([first, ...waiting]);
    expect(store.appended).toEqual([2, 4]);
  });

  it('[ST3] puts packs of several peers into one append', async () => {
    const store = watchedStore();
    const { room } = await openRoom(store);
    const packs = await Promise.all(['x', 'y', 'z'].map((key) => packOf(room, key)));
    store.state.holding = true;
    const first = room.transact(put('first'));
    await store.arrival();
    // Each pack waits for the check of its seal, then for this append.
    const checked = Promise.all(packs.map(() => checks.next()));
    const waiting = packs.map((pack) => room.admit(pack, { from: 'peer' }));
    await checked;
    store.state.holding = false;
    store.release();
    await Promise.all([first, ...waiting]);
    expect(store.appended).toEqual([2, 3]);
  });

  it('[ST3] gives jobs of one turn one append and answers each by its own', async () => {
    const store = watchedStore();
    const { room } = await openRoom(store);
    const answers = await Promise.all(['a', 'b', 'c'].map((key) => room.transact(put(key))));
    expect(store.appended).toEqual([4]);
    expect(answers.map(({ seq, result }) => [seq, result])).toEqual([
      [2, 'a'],
      [3, 'b'],
      [4, 'c'],
    ]);
  });

  it('[ST3] lets each job of a batch see those before it', async () => {
    const { room } = await openRoom();
    const count = (): Promise<unknown> =>
      room.transact((view) => {
        const next = Number(view.get('n') ?? 0) + 1;
        return { writes: [{ key: 'n', value: next }], result: next };
      });
    await Promise.all(Array.from({ length: 100 }, count));
    expect(room.get('n')).toBe(100);
  });

  it('[ST3] takes more jobs than one batch may hold', async () => {
    const store = watchedStore();
    const { room } = await openRoom(store);
    await Promise.all(Array.from({ length: 2500 }, (_, i) => room.transact(put(`k${i}`))));
    expect(room.seq).toBe(2501);
    expect(Math.max(...store.appended)).toBeLessThanOrEqual(1025);
  });

  it('[PK7] answers, tells followers and shows values only when the append is done', async () => {
    const store = watchedStore();
    const { room } = await openRoom(store);
    const events: string[] = [];
    room.onCommit(() => events.push('told'));
    store.state.holding = true;
    const admitted = room.admit(await packOf(room, 'k'), { from: 'peer' }).then(() => events.push('answered'));
    await store.arrival();
    expect([events, room.get('k'), room.seq, room.heads.frontier]).toEqual([[], undefined, 0, []]);
    store.state.holding = false;
    store.release();
    await admitted;
    expect([events, room.get('k'), room.seq]).toEqual([['told', 'answered'], 'k', 2]);
  });

  it('[PK7] changes nothing when the append fails, tells every job, and goes on afterwards [fault 29]', async () => {
    const store = watchedStore();
    const { room } = await openRoom(store);
    await room.transact(put('before'));
    const told: Commit[] = [];
    room.onCommit((commit) => told.push(commit));
    const state = [room.seq, room.heads.root, [...room.entries()]];
    const pack = await packOf(room, 'b');
    store.state.failing = true;
    const jobs = [room.transact(put('a')), room.admit(pack, { from: 'peer' }), room.transact(put('c'))];
    for (const job of await Promise.allSettled(jobs)) {
      expect(job.status === 'rejected' && String(job.reason)).toContain('the disk is full');
    }
    expect([room.seq, room.heads.root, [...room.entries()]]).toEqual(state);
    expect(told).toEqual([]);
    store.state.failing = false;
    await room.transact(put('after'));
    expect([room.seq, room.get('after'), room.get('a')]).toEqual([3, 1, undefined]);
  });

  it('[ST3] judges again what it decided on a log that another room has moved', async () => {
    const store = memoryStore();
    const [one, other] = [await openRoom(store), await openRoom(store)];
    const increment = (room: Room): Promise<unknown> =>
      room.transact((view) => ({ writes: [{ key: 'n', value: Number(view.get('n') ?? 0) + 1 }], result: undefined }));
    for (let i = 0; i < 20; i++) await Promise.all([increment(one.room), increment(other.room)]);
    await Promise.all([one.room.transact(put('x')), other.room.transact(put('y'))]);
    // Whoever appended last has read all; the other follows with its next write.
    await one.room.transact(put('z'));
    expect(one.room.get('n')).toBe(40);
    const third = await openRoom(store);
    expect(third.room.seq).toBe(one.room.seq);
    expect(third.room.heads).toEqual(one.room.heads);
    expect([...third.room.entries()]).toEqual([...one.room.entries()]);
  });

  it('[ST3] tells followers what another room wrote, once, before what it wrote itself', async () => {
    const store = memoryStore();
    const [one, other] = [await openRoom(store), await openRoom(store)];
    await one.room.transact(put('base'));
    const seen: string[] = [];
    other.room.onCommit(({ entries, parts }) => {
      const from = parts.map(({ origin }) => origin.from).join();
      seen.push(...entries.flatMap(({ writes }) => writes.map(({ key }) => `${key} ${from}`)));
    });
    await other.room.transact(put('mine'));
    expect(seen).toEqual(['\0genesis server', 'base server', 'mine server']);
  });

  it('[ST3] does not look at what others have written while something is being written', async () => {
    const store = watchedStore();
    const { room, faults } = await openRoom(store);
    await room.transact(put('base'));
    const { room: other } = await openRoom(store);
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    replica.text('text').insert(0, 'theirs');
    await other.admit((await replica.seal())!, { from: 'them' });
    store.state.holding = true;
    const looking = [room.look(), room.look()];
    const writing = room.transact(put('mine'));
    await store.arrival();
    store.state.holding = false;
    store.release();
    await Promise.all([writing, ...looking]);
    const { room: fresh } = await openRoom(store);
    expect([room.seq, room.heads, room.text('text')]).toEqual([fresh.seq, fresh.heads, 'theirs']);
    expect(faults).toEqual([]);
  });

  it('[ST3] gives up on a log that moves for ever, and says so', async () => {
    const store = memoryStore();
    const log = altered(store.log, { append: () => Promise.resolve({ movedTo: 0 }) });
    const { room } = await openRoom({ ...store, log });
    await expect(room.transact(put('k'))).rejects.toThrow('the log moved 16 times');
    expect(room.get('k')).toBeUndefined();
  });

  it('[ST3] appends nothing for a job that writes nothing', async () => {
    const store = watchedStore();
    const { room } = await openRoom(store);
    expect(await room.transact(() => ({ writes: [], result: 'read' }))).toMatchObject({ result: 'read' });
    expect([store.appended, await store.log.head(id)]).toEqual([[], 0]);
  });

  it('[GN3] counts only nodes of the log, also for a job that writes nothing', async () => {
    const { room } = await openRoom();
    const read = (): Promise<unknown> => room.transact((view) => ({ writes: [], result: view.seq }));
    expect(await read()).toEqual({ seq: 0, result: 0 });
    await room.transact(put('k'));
    expect(await read()).toEqual({ seq: 2, result: 2 });
  });
});
