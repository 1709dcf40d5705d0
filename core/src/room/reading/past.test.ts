import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { verifyRegister } from '../../crdt/verify.js';
import type { NodeId } from '../../graph/node.js';
import { generateKeys } from '../../peer.js';
import { EDITS, edit, fill, join, open, push } from '../../testing/open-rooms.js';
import type { Room } from '../room.js';
import type { DocumentView } from './document-view.js';

const edits = fc.array(fc.record({ by: fc.nat(2), kind: fc.constantFrom(...EDITS), at: fc.nat(1000) }), {
  minLength: 10,
  maxLength: 60,
});

interface Values extends Pick<DocumentView, 'stateHash'> {
  readonly values: readonly [entries: unknown[], text: string, list: unknown[]];
}

const valuesOf = (room: Room | DocumentView): Values => ({
  values: [[...room.entries()], room.text('t'), room.list('l')],
  stateHash: room.stateHash,
});

/** What replicas and the room held at moments that the log can still tell. */
async function write(
  room: Room,
  steps: readonly { readonly by: number; readonly kind: (typeof EDITS)[number]; readonly at: number }[],
) {
  const keys = generateKeys();
  // Two of them are one author in two places.
  const replicas = [await join(room, keys), await join(room, keys), await join(room)];
  const positions: [seq: number, held: Values & { readonly frontier: readonly NodeId[] }][] = [];
  const pasts: [frontier: readonly NodeId[], stateHash: string][] = [];
  for (const step of steps) {
    const replica = replicas[step.by]!;
    await edit(replica, room, step);
    if (step.at % 3 === 0) await room.past.present.prepareHash();
    if (step.kind !== 'push') continue;
    pasts.push([replica.frontier, replica.stateHash]);
    positions.push([room.seq, { ...valuesOf(room), frontier: room.heads.frontier }]);
  }
  for (const replica of replicas) {
    await push(replica, room);
    pasts.push([replica.frontier, replica.stateHash]);
  }
  return { positions, pasts };
}

describe('the past of a room', () => {
  it('[PJ1] is what it was at each position of its log, whatever came later', async () => {
    await fc.assert(
      fc.asyncProperty(edits, async (steps) => {
        const store = memoryStore();
        const room = await open(store);
        const { positions } = await write(room, steps);
        const again = await open(store);
        for (const [seq, held] of positions) {
          for (const one of [room, again]) {
            const view = await one.asOf(seq);
            expect([view.seq, { ...valuesOf(view), frontier: view.frontier }]).toEqual([seq, held]);
          }
        }
      }),
      { numRuns: 10 },
    );
  });

  it('[PJ1] is, in the causal past of some nodes, what a replica was that held these alone', async () => {
    await fc.assert(
      fc.asyncProperty(edits, async (steps) => {
        const room = await open(memoryStore());
        const { pasts } = await write(room, steps);
        for (const [frontier, stateHash] of pasts) {
          const view = await room.past.of(room.nodes.numbersOf(frontier));
          expect([view.frontier, view.stateHash]).toEqual([frontier, stateHash]);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('[PJ1] can be proved, and lets others on while it is folded', async () => {
    const room = await open(memoryStore());
    await fill(room, 20_000, 'then');
    const { seq, stateHash } = room;
    for (let i = 0; i < 10; i++) await room.set(`k${i}`, 'now');
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    const view = await room.asOf(seq);
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(2);
    await view.prepareHash();
    expect([view.stateHash, view.get('k1'), room.get('k1')]).toEqual([stateHash, 'then', 'now']);
    const held = view.register('k1');
    expect(verifyRegister(view.prove('k1'), stateHash, 'k1', held)).toBe(true);
    expect(verifyRegister(view.prove('k1'), room.stateHash, 'k1', held)).toBe(false);
  });

  it('[PJ1] ends where the log does', async () => {
    const room = await open(memoryStore());
    expect(valuesOf(await room.asOf(0)).values).toEqual([[], '', []]);
    await room.set('k', 1);
    for (const seq of [-1, 0.5, room.seq + 1])
      await expect(room.asOf(seq)).rejects.toMatchObject({ reason: 'reject.checkpoint_not_found' });
    const [first, again] = await Promise.all([room.asOf(2), room.asOf(2)]);
    expect([first.get('k'), first === again]).toEqual([1, true]);
  });
});
