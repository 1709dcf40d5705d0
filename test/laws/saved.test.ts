/** What was saved is what was there, and goes on as if nothing had happened. */
import { type Replica, DecodeError, createReplica } from '@weft/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEYS, Members, histories } from './members.js';
import { seen } from './observed.js';
import { join, keysOf, openRoom, reasons, sealed } from './support.js';

/** Readings that need no nodes: values and heads. */
const read = (replica: Replica) => ({
  registers: [...replica.entries()],
  texts: KEYS.map((key) => replica.text(key).toString()),
  lists: KEYS.map((key) => replica.list(key).toArray()),
  frontier: replica.frontier,
});

const reopened = (replica: Replica, number: number): Promise<Replica> =>
  createReplica({ saved: replica.save(), keys: keysOf(number) });

describe('a saved replica', () => {
  it('[RE2] opens with the same values, and merges whatever comes like the one that was saved', async () => {
    await fc.assert(
      fc.asyncProperty(histories(80), async (history) => {
        const { all, packs } = await Members.after(history);
        for (const [index, replica] of all.entries()) {
          const copy = await reopened(replica, history.authors[index] ?? 1);
          expect(read(copy)).toEqual(read(replica));
          // Late packs, out of order: some stand on old nodes, some are duplicates.
          for (const pack of packs.toReversed()) {
            await replica.receive(pack);
            await copy.receive(pack);
          }
          expect(seen(copy)).toEqual(seen(replica));
          expect(copy.stateHash).toBe(replica.stateHash);
        }
      }),
      { numRuns: 7 },
    );
  });

  it('[RE2] is the same whether its values were read or its nodes needed in between', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), async (history) => {
        const { all } = await Members.after(history);
        for (const [index, replica] of all.entries()) {
          const author = history.authors[index] ?? 1;
          const copy = await reopened(replica, author);
          const again = await reopened(copy, author);
          expect(copy.stateHash).toBe(replica.stateHash);
          expect([...copy.save()]).toEqual([...replica.save()]);
          expect(again.stateHash).toBe(replica.stateHash);
        }
      }),
      { numRuns: 4 },
    );
  });

  it('[RE2] offers again what no server has confirmed, and goes on with its chain', async () => {
    const room = await openRoom();
    const replica = await join(room, 1);
    replica.text('t').insert(0, 'confirmed ');
    await room.admit(await sealed(replica), { from: 'peer' });
    replica.text('t').insert(10, 'not yet');
    const copy = await reopened(replica, 1);
    copy.text('t').insert(17, '!');
    expect(reasons(await room.admit(await sealed(copy), { from: 'peer' }))).toEqual([]);
    expect([room.text('t'), room.heads.frontier]).toEqual(['confirmed not yet!', copy.frontier]);
    expect(copy.frontier).toHaveLength(1);
  });

  it('[RE2] is refused when a byte of it has changed', async () => {
    const replica = await join(await openRoom(), 1);
    replica.text('t').insert(0, 'text');
    replica.list('l').push(1, 2);
    const saved = replica.save();
    for (let at = 0; at < saved.length; at++) {
      const damaged = saved.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      await expect(createReplica({ saved: damaged, keys: keysOf(1) }), `byte ${at}`).rejects.toThrow(DecodeError);
    }
  });
});
