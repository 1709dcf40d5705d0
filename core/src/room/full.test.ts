import { expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { NodeTable } from '../codec/nodes/node-table.js';
import { OP_SET } from '../codec/nodes/op-kinds.js';
import { openPack } from '../codec/packs/pack.js';
import { createHost } from '../engine.js';
import { join, open, push } from '../testing/open-rooms.js';

it('[LM8] a room that is full takes nothing more, from nobody, and stays readable', async () => {
  const store = memoryStore();
  const room = await open(store, { mostBytes: 10_000 });
  await room.set('k', 'v'.repeat(4000));
  const replica = await join(room);
  for (const pack of room.packs()) await replica.receive(pack);
  replica.set('mine', 'v'.repeat(4000));
  await push(replica, room);
  const stood = [room.seq, room.stateHash];
  replica.set('mine', 'w'.repeat(4000));
  const pack = (await replica.seal())!;
  const full = { reason: 'room-full' };
  expect(await room.admit(pack, { from: 'peer' })).toMatchObject({
    accepted: 0,
    duplicates: 0,
    refused: [{ id: replica.frontier[0], reason: 'room-full' }],
  });
  const held = [...room.packs()][0]!;
  expect(await room.admit(held, { from: 'peer' })).toMatchObject({ accepted: 0, duplicates: room.seq, refused: [] });
  await expect(room.adopt(openPack(pack), new Set(), () => ({ before: [], behind: [] }))).rejects.toMatchObject(full);
  expect([room.seq, room.stateHash]).toEqual(stood);
  for (let i = 0; i < 3; i++) await room.set('k', 'x'.repeat(800)); // the last one is over it by a little
  await expect(room.set('k', 1)).rejects.toMatchObject(full);
  await expect(room.edit((edits) => edits.insertText('t', 'x', undefined))).rejects.toMatchObject(full);
  expect([room.get('k'), room.get('mine'), room.text('t')]).toEqual(['x'.repeat(800), 'v'.repeat(4000), '']);
  const again = await open(store, { mostBytes: 10_000 });
  expect([again.seq, again.stateHash]).toEqual([room.seq, room.stateHash]);
});

it('[LM9] what administers a full room has room, and lesser rights use up nothing of greater ones', async () => {
  const room = await open(memoryStore(), { mostBytes: 10_000 });
  await room.set('k', 'v'.repeat(9_990));
  const write = (key: string, value: unknown) => room.set(key, value);
  const full = { reason: 'room-full' };
  const rules = Array.from({ length: 200 }, (_, i) => ({ path_glob: `${i}`.repeat(200), can_write: [] }));
  const policy = { default: 'allow', rules, by: 'x' };
  await expect(write('\0query/q', 1)).rejects.toMatchObject(full);
  let policies = 0;
  const fill = async (): Promise<void> => {
    for (; ; policies++) await write('\0policy', { ...policy, n: policies, filler: 'f'.repeat(900_000) });
  };
  await expect(fill()).rejects.toMatchObject(full);
  expect(policies).toBeGreaterThan(10);
  await write('\0tick', { interval_ms: 10, intent_prefix: 'i/' });
  await write('\0revoked/a', { before: 1 });
  await write('\0lock', { key: 'ab'.repeat(32) });
  await write('\0lock', undefined);
  const both = [
    { key: '\0lock', value: 1 },
    { key: 'k', value: 1 },
  ];
  await expect(room.transact(() => ({ writes: both, result: undefined }))).rejects.toMatchObject(full);
  expect([room.facts.lock, room.facts.revokedBefore('a'), room.facts.tick?.intervalMs]).toEqual([undefined, 1, 10]);
});

it('[LM9] the history of a full room is given up, and there is space again', async () => {
  const store = memoryStore();
  const room = await open(store, { mostBytes: 10_000 });
  for (const letter of 'abc') await room.set('k', letter.repeat(4000));
  await expect(room.set('k', 1)).rejects.toMatchObject({ reason: 'room-full' });
  expect((await room.prune(room.seq, 'me')).nodes).toBe(2);
  await room.end();
  const again = await open(store, { mostBytes: 10_000 });
  await again.set('k', 'd'.repeat(4000));
  expect([again.get('k'), again.facts.pruned?.state]).toEqual(['d'.repeat(4000), 'done']);
});

it('[LM8] values that numbers could not name are refused before they are held, by the table and by the host', () => {
  const table = new NodeTable();
  const add = (end: number) => table.addOp(OP_SET, table.keys.number('k'), -1, 0, 0, end);
  add(2 ** 31 - 1);
  expect(() => add(2 ** 31)).toThrow('more than 2 GiB');
  expect(() => createHost({ store: memoryStore(), limits: { roomBytes: 2001 * 1024 * 1024 } })).toThrow('roomBytes is');
});
