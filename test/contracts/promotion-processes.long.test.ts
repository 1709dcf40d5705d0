/** A promotion of more than any one record holds, also when its process is killed in the middle of it. */
import { createHost, createReplica, generateKeys } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { prepareFamily, promoteAndKill } from './killed-promotions.js';

const ROUNDS = 3;
/** Values of the promotion, of a megabyte each. */
const PARTS = 140;
/** Records of the promotion: it is cut wherever a frame would be full. */
const RECORDS = PARTS / 3;

it('[TP4] a promotion of more than 128 MB is one commit, and all of it or nothing when its process is killed', async () => {
  let unfinished = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const folder = await tempFolder();
    await prepareFamily(folder);
    const { begun } = await promoteAndKill(folder, { first: 1, parts: PARTS, during: 1, within: 1000 });
    const proposal_id = begun[0]!;
    const store = levelStore(folder);
    const host = createHost({ store });
    const parent = await host.room('parent');
    const isApplied = (): boolean => parent.get(`_topology/promotion/${proposal_id}`) !== undefined;
    const values = () => [...parent.entries(`${proposal_id}/`)];
    const [wasApplied, from] = [isApplied(), parent.seq];
    if (!wasApplied) unfinished++;
    expect(values()).toHaveLength(wasApplied ? PARTS : 0);

    const commits: [number, number][] = [];
    parent.onCommit((commit) => commits.push([commit.from, commit.to]));
    await host.submit({ room_id: 'parent', command: { ApplyTopologyPromotion: { proposal_id } } });
    expect(commits).toEqual(wasApplied ? [] : [[from, parent.seq]]);
    expect([values().length, isApplied()]).toEqual([PARTS, true]);
    let records = 0;
    for await (const { seq } of store.log.read(parent.id, from)) if (seq >= from) records++;
    if (!wasApplied) expect(records).toBeGreaterThan(RECORDS);
    const replica = await createReplica({ genesis: parent.genesis.pack, keys: generateKeys() });
    for (const pack of parent.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
    expect(replica.stateHash).toBe(parent.stateHash);
    await host.close();
  }
  expect(unfinished, 'no kill came in the middle of it').toBeGreaterThan(0);
});
