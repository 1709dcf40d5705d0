import { expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { openPack } from '../codec/packs/pack.js';
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
  await expect(room.admit(pack, { from: 'peer' })).rejects.toMatchObject(full);
  await expect(room.adopt(openPack(pack), new Set(), () => ({ before: [], behind: [] }))).rejects.toMatchObject(full);
  expect([room.seq, room.stateHash]).toEqual(stood);
  for (let i = 0; i < 3; i++) await room.set('k', 'x'.repeat(800)); // the last one is over it by a little
  await expect(room.set('k', 1)).rejects.toMatchObject(full);
  await expect(room.edit((edits) => edits.insertText('t', 'x', undefined))).rejects.toMatchObject(full);
  expect([room.get('k'), room.get('mine'), room.text('t')]).toEqual(['x'.repeat(800), 'v'.repeat(4000), '']);
  const again = await open(store, { mostBytes: 10_000 });
  expect([again.seq, again.stateHash]).toEqual([room.seq, room.stateHash]);
});
