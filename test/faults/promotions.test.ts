/** Many who promote into one parent at the same time, again, or too late: one record for each, and one state that all agree on. */
import { type Host, type Room, createHost, createReplica, generateKeys } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

/** The long suite tries a hundred proposals. */
const [CHILDREN, PROPOSALS] = process.env['TESTS_LONG'] ? [10, 10] : [5, 5];

function told(host: Host, room_id: string) {
  return async (command: string, payload: object): Promise<Readonly<Record<string, unknown>>> => {
    const { events } = await host.submit({ room_id, command: { [command]: payload } });
    return Object.values(events[0]!)[0]!;
  };
}

const hashOf = async (room: Room): Promise<string> => {
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  for (const pack of room.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
  return replica.stateHash;
};

it(`fault 36: ${CHILDREN * PROPOSALS} that are applied at once, each three times, are recorded once each`, async () => {
  const folder = await tempFolder();
  const host = createHost({ store: levelStore(folder) });
  const [parent, ask] = [await host.room('parent'), told(host, 'parent')];
  await parent.set('k', 0);
  const checkpoint = { canonical_hash: parent.stateHash, frontier: parent.heads.frontier };
  const ids: string[] = [];
  for (let c = 0; c < CHILDREN; c++) {
    const about = { child_purpose: 'p', promotion_policy_id: 'promotion-based', parent_checkpoint: checkpoint };
    await ask('CreateTopologyChild', { child_room_id: `c${c}`, ...about });
  }
  for (let c = 0; c < CHILDREN; c++) {
    const child = await host.room(`c${c}`);
    for (let p = 0; p < PROPOSALS; p++) {
      const id = `c${c}-p${p}`;
      await child.edit((edits) => edits.insertText('text', `${id} `));
      await child.set(id, p);
      const wanted = { child_room_id: `c${c}`, child_checkpoint_hash: child.stateHash, payload_ref: 'all' };
      await ask('ProposeTopologyPromotion', { ...wanted, idempotency_key: id, on_conflict: 'merge' });
      await ask('ValidateTopologyPromotion', { proposal_id: id });
      ids.push(id);
    }
  }
  const asked = [...ids, ...ids, ...ids];
  let waiting = asked;
  for (let round = 0; waiting.length > 0 && round <= ids.length; round++) {
    const ended = await Promise.allSettled(
      waiting.map((proposal_id) => ask('ApplyTopologyPromotion', { proposal_id })),
    );
    const stale = waiting.filter((_, n) => ended[n]!.status === 'rejected');
    for (const end of ended)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ reason: 'reject.promotion_stale_parent' });
    for (const proposal_id of new Set(stale)) await ask('ValidateTopologyPromotion', { proposal_id });
    waiting = stale;
  }
  expect(waiting).toEqual([]);
  const records = (room: Room) => [...room.entries('_topology/promotion/')].map(([key]) => key);
  expect(records(parent)).toEqual(ids.map((id) => `_topology/promotion/${id}`).sort());
  for (let c = 0; c < CHILDREN; c++) expect(parent.get(`c${c}-p${PROPOSALS - 1}`)).toBe(PROPOSALS - 1);
  expect([...parent.text('text').split(' ')].sort()).toEqual(['', ...ids].sort());
  const { seq, stateHash } = parent;
  for (const proposal_id of ids) await ask('ApplyTopologyPromotion', { proposal_id });
  expect([parent.seq, parent.stateHash, await hashOf(parent)]).toEqual([seq, stateHash, stateHash]);
  await host.close();

  const again = createHost({ store: levelStore(folder) });
  onTestFinished(() => again.close());
  const opened = await again.room('parent');
  expect([opened.seq, opened.stateHash, records(opened)]).toEqual([seq, stateHash, records(parent)]);
});
