/** What a child decides of the intents that it has from its parent. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { ManualClock } from '../testing/manual-clock.js';

it('[TI4] [TP3] a child decides what its parent had not yet decided, and nothing twice', async () => {
  const clock = new ManualClock();
  const host = createHost({ store: memoryStore(), clock });
  onTestFinished(() => host.close());
  const submit = (room_id: string, variant: string, payload: object) =>
    host.submit({ room_id, command: { [variant]: payload } });
  const ticked = async (room: string, key: string, value: unknown): Promise<void> =>
    vi.waitFor(async () => {
      clock.advance(100);
      expect(await host.withRoom(room, async (opened) => opened.get(key))).toBe(value);
    });
  const parent = await host.room('parent');
  await submit('parent', 'StartTick', {});
  await parent.set('intent/a', 'asked for');
  await ticked('parent', 'world/a', 'asked for');
  await submit('parent', 'StopTick', {});
  await parent.set('world/a', 'as it is now');
  await parent.set('intent/b', 'asked for');
  const parent_checkpoint = { canonical_hash: parent.stateHash, frontier: parent.heads.frontier };
  const wanted = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
  await submit('parent', 'CreateTopologyChild', { ...wanted, parent_checkpoint });
  const child = await host.room('child');
  await submit('child', 'StartTick', {});
  await ticked('child', 'world/b', 'asked for');
  expect([child.get('world/a'), parent.get('world/b')]).toEqual(['as it is now', undefined]);
});
