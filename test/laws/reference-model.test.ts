/** The engine against a model that shares nothing with it, on histories of replicas. */
import { decodePack } from '@weft/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEYS, Members, byId, histories } from './members.js';
import { meant, seen } from './observed.js';
import { admit, join, reasons } from './support.js';

describe('any history', () => {
  it('[MP2] resolves on every replica to what the model says of the nodes that it has', async () => {
    await fc.assert(
      fc.asyncProperty(histories(120), async (history) => {
        const members = await Members.after(history);
        for (const replica of members.all) expect(seen(replica)).toEqual(meant(members.heldBy(replica)));
      }),
      { numRuns: 15 },
    );
  });

  it('[RE1] resolves to the same on the server, and on who reads only', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), async (history) => {
        const { room, packs } = await Members.after(history);
        for (const pack of packs) expect(reasons(await admit(room, pack))).toEqual([]);
        const reader = await join(room, 9);
        const nodes = new Map(byId(decodePack(room.genesis.pack).nodes));
        for (const pack of room.packs()) {
          expect(reasons(await reader.receive(pack))).toEqual([]);
          for (const [id, node] of byId(decodePack(pack).nodes)) nodes.set(id, node);
        }
        const expected = meant(nodes.values());
        expect(seen(reader)).toEqual(expected);
        expect([...room.entries()].map(([key]) => key)).toEqual(packs.length > 0 ? expected.keys : []);
        expect(KEYS.map((key) => room.text(key))).toEqual(expected.texts);
        expect(KEYS.map((key) => room.list(key))).toEqual(expected.lists);
        if (packs.length > 0)
          expect([room.stateHash, room.heads.frontier]).toEqual([reader.stateHash, reader.frontier]);
      }),
      { numRuns: 15 },
    );
  });
});
