/** History that a host gives up by itself. */
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Room } from '../room/room.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';
import type { Limits } from '../wire/limits.js';

const KIB = 1024;
const DAY = 24 * 60 * 60_000;
/** Rooms are looked through once a day. */
const IDLE_MS = 5 * DAY;

function place(limits: Partial<Limits>) {
  const clock = new ManualClock();
  const faults: unknown[] = [];
  const store = memoryStore();
  const options = { store, clock, limits: { idleMs: IDLE_MS, ...limits } };
  const host = createHost({ ...options, onFault: (fault) => faults.push(fault) });
  const inRoom = <T>(act: (room: Room) => Promise<T> | T, room = 'room'): Promise<T> =>
    host.withRoom(room, async (opened) => act(opened));
  /** Each value as a node of its own, written by somebody else than the host. */
  const write = (key: string, ...values: unknown[]): Promise<void> =>
    inRoom(async (room) => {
      const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
      for await (const pack of room.attestedPacks()) await replica.receive(pack);
      for (const value of values) {
        replica.set(key, value);
        expect((await room.admit((await replica.seal())!, { from: 'x' })).refused).toEqual([]);
        replica.confirm();
      }
    });
  /** A day goes by, and rooms were looked through once. */
  const day = async (): Promise<void> => {
    await inRoom(() => undefined); // or it would leave memory
    const before = clock.timers;
    clock.advance(DAY);
    await expect.poll(() => clock.timers, { timeout: 20_000 }).toBe(before);
  };
  const pruned = () => inRoom(({ facts }) => facts.pruned);
  return { clock, host, faults, inRoom, write, day, pruned };
}

async function enter({ host }: ReturnType<typeof place>): Promise<TestPeer> {
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello' });
  while ((await peer.nextOf('pack'))['final'] !== true);
  return peer;
}

const values = (count: number, bytes = KIB): string[] =>
  Array.from({ length: count }, (_, i) => `${i}`.padEnd(bytes, 'v'));

describe('history that is given up by size', () => {
  it('[PN5] goes when values take so much, and the room is what it was', async () => {
    const made = place({ historyBytes: 20 * KIB });
    const { write, day, inRoom, pruned, host, faults } = made;
    await write('k', ...values(15));
    await day();
    expect(await pruned()).toBeUndefined();
    await write('k', ...values(15, KIB + 1));
    const { seq, stateHash, weight, constitution } = await inRoom((room) => {
      const { seq, stateHash, weight, constitution } = room;
      return { seq, stateHash, weight, constitution };
    });
    const key = constitution.authorities[0]!;
    const peer = await enter(made);
    await day();
    expect(await peer.closed).toMatchObject({ code: 1012 });
    expect(await pruned()).toMatchObject({ seq, hash: stateHash, nodes: 29, by: key, state: 'done' });
    expect(await inRoom((room) => room.get('k'))).toBe(values(15, KIB + 1).at(-1));
    expect(await inRoom((room) => room.weight)).toBeLessThan(weight - 25 * KIB);
    const notes = await host.withRoom('~host', async (own) => [...own.entries('audit/history.prune/room/')]);
    expect(notes).toEqual([[expect.any(String), expect.objectContaining({ by: key, before: seq, nodes: 29 })]]);
    await enter(made);
    await write('k', 'more');
    expect(faults).toEqual([]);
  });

  it('[PN5] stays while too little of it was overwritten to be worth a connection of everybody', async () => {
    const { write, day, pruned, faults } = place({ historyBytes: 20 * KIB });
    for (const [i, value] of values(30).entries()) await write(`live${i}`, value);
    await write('k', ...values(6));
    await day();
    expect(await pruned()).toBeUndefined();
    await write('k', ...values(8));
    await day();
    expect(await pruned()).toMatchObject({ nodes: 13 });
    expect(faults).toEqual([]);
  });

  it('[PN5] stays where nobody has asked for it, and in a room that an application holds', async () => {
    const [usual, held] = [place({}), place({ historyBytes: KIB, historyMs: DAY })];
    await held.host.room('room');
    for (const { write, day, pruned } of [usual, held]) {
      await write('k', ...values(30));
      await day();
      await day();
      expect(await pruned()).toBeUndefined();
    }
    expect(held.faults).toEqual([]);
  });
});

describe('history that is given up by age', () => {
  it('[PN5] goes when it was overwritten so long ago by the clock of the host, and not before', async () => {
    const { write, day, inRoom, pruned, faults } = place({ historyMs: 8 * DAY });
    const held = (): Promise<unknown[]> =>
      inRoom(async (room) => {
        const written: unknown[] = [];
        for await (const { writes } of room.history())
          for (const { key, value } of writes) if (key === 'k') written.push(value);
        return written;
      });
    await write('k', 'first', 'second'); // the first is overwritten on day 0
    await day();
    await write('k', 'third');
    for (let left = 7; left > 0; left--) await day();
    expect([await pruned(), await held()]).toEqual([undefined, ['first', 'second', 'third']]);
    await day();
    expect(await pruned()).toMatchObject({ nodes: 1, state: 'done' });
    expect(await held()).toEqual(['second', 'third']);
    expect(await inRoom((room) => room.get('k'))).toBe('third');
    for (let left = 3; left > 0; left--) await day();
    expect(await held()).toEqual(['third']);
    expect(faults).toEqual([]);
  });

  it('[PN5] notes the time no oftener than it needs to, and not where nothing is written', async () => {
    const { write, day, inRoom } = place({ historyMs: 80 * DAY });
    const seq = () => inRoom((room) => room.seq);
    await write('k', 1);
    const before = await seq();
    for (let left = 12; left > 0; left--) await day();
    expect(await seq()).toBe(before + 1);
    await write('k', 2);
    await day();
    await day();
    expect(await seq()).toBe(before + 3);
  });
});
