/** What must be there after a process that merges children was killed. */
import { createHost, createReplica, generateKeys } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { prepareFamily, promoteAndKill } from './killed-promotions.js';

const ROUNDS = 4;
const PARTS = 10;

it('[TP4] of a promotion there is all or nothing when its process is killed [fault 38]', async () => {
  const folder = await tempFolder();
  await prepareFamily(folder);
  const [begun, done] = [new Set<string>(), new Set<string>()];
  for (let round = 0; round < ROUNDS; round++) {
    const ran = await promoteAndKill(folder, { first: round * 100, parts: PARTS, during: 2, within: 400 });
    for (const proposal of ran.begun) begun.add(proposal);
    for (const proposal of ran.done) done.add(proposal);
  }
  const host = createHost({ store: levelStore(folder) });
  onTestFinished(() => host.close());
  const parent = await host.room('parent');
  for (const proposal of begun) {
    const isApplied = parent.get(`_topology/promotion/${proposal}`) !== undefined;
    if (done.has(proposal)) expect(isApplied).toBe(true);
    const { state } = parent.get(`\0promotion/${proposal}`) as { readonly state: string };
    expect(state).toBe(isApplied ? 'applied' : 'validated');
    // What a later one brought counts for those before, since each is of all that the child had by then.
    if (isApplied) expect([...parent.entries(`${proposal}/`)]).toHaveLength(PARTS);
    await host.submit({ room_id: 'parent', command: { ApplyTopologyPromotion: { proposal_id: proposal } } });
    expect([...parent.entries(`${proposal}/`)]).toHaveLength(PARTS);
  }
  const replica = await createReplica({ genesis: parent.genesis.pack, keys: generateKeys() });
  for (const pack of parent.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
  expect(replica.stateHash).toBe(parent.stateHash);
});
