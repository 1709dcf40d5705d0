/** Promotions of children that began before a value was erased: what was erased in both is no conflict between them. */
import { expect, it, onTestFinished } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';

/** A parent with a value that stands in one node with others, and a child of it. */
async function family() {
  const host = createHost({ store: memoryStore() });
  onTestFinished(() => host.close());
  const ask = async (variant: string, payload: object, room_id = 'parent'): Promise<Record<string, unknown>> => {
    const { events } = await host.submit({ room_id, command: { [variant]: payload } });
    const body: Record<string, unknown> = { ...Object.values(events[0]!)[0] };
    if (body['reason_class'] !== undefined) throw new Error(String(body['reason_message']));
    return body;
  };
  const set = (room: string, ...keys: (readonly [key: string, value: unknown])[]): Promise<unknown> =>
    host.withRoom(room, (opened) =>
      opened.transact(() => ({ writes: keys.map(([key, value]) => ({ key, value })), result: undefined })),
    );
  const values = (...keys: string[]): Promise<unknown[]> =>
    host.withRoom('parent', async (opened) => keys.map((key) => opened.get(key)));
  const hash = (room: string): Promise<string> => host.withRoom(room, async ({ stateHash }) => stateHash);
  await set('parent', ['secret', 's'], ['title', 't'], ['size', [1]]);
  const frontier = await host.withRoom('parent', async ({ heads }) => heads.frontier);
  const parent_checkpoint = { canonical_hash: await hash('parent'), frontier };
  const wanted = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
  await ask('CreateTopologyChild', { ...wanted, parent_checkpoint });
  const propose = async (more: object = {}): Promise<object> => {
    const child_checkpoint_hash = await hash('child');
    const proposal = { child_room_id: 'child', child_checkpoint_hash, payload_ref: 'all', ...more };
    const { proposal_id } = await ask('ProposeTopologyPromotion', proposal);
    return { proposal_id };
  };
  return { ask, set, values, propose, erase: () => ask('EraseValue', { key: 'secret' }) };
}

it('[TP8] [VE1] a child whose inherited value was erased is promoted as a whole', async () => {
  const { ask, set, values, propose, erase } = await family();
  await set('child', ['mine', 'of the child']);
  await erase();
  const proposal = await propose();
  const { changes } = await ask('PreviewTopologyPromotion', proposal);
  expect(changes).toEqual(
    ['mine', 'secret', 'size', 'title'].map((key) => expect.objectContaining({ key, is_conflict: false })),
  );
  await ask('ValidateTopologyPromotion', proposal);
  await ask('ApplyTopologyPromotion', proposal);
  expect(await values('mine', 'secret', 'title', 'size')).toEqual(['of the child', undefined, 't', [1]]);
});

it.each([
  ['the parent', 'parent'],
  ['the child', 'child'],
])('[TP8] [VE1] what %s has written since it was erased is not taken for the same', async (_, room) => {
  const { ask, set, propose, erase } = await family();
  await erase();
  await set(room, ['title', 'another']);
  const proposal = await propose();
  await expect(ask('ValidateTopologyPromotion', proposal)).rejects.toThrow(/_apply_conflict: .*: title$/);
});
