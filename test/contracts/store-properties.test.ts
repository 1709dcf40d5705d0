/**
 * Property of stores: whatever is appended, merged and read, and however often the store is closed meanwhile, it is
 * like a plain array.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogRecord, type NodeLog, type RoomId, type Store, parseRoomId } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { tempFolder } from '../support/temp-folder.js';

const ROOMS = ['a', 'a-b', 'B'].map((text) => parseRoomId(text) as RoomId);

type Step =
  | { readonly do: 'append'; readonly room: number; readonly count: number }
  /** Between two of the places where records begin or end, or `off` by one. */
  | { readonly do: 'merge'; readonly room: number; readonly from: number; readonly to: number; readonly off: number }
  | { readonly do: 'read'; readonly room: number; readonly from: number }
  | { readonly do: 'reopen' };

const room = fc.nat(ROOMS.length - 1);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('append'), room, count: fc.integer({ min: 1, max: 4 }) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('merge'),
        room,
        from: fc.oneof(fc.constant(0), fc.nat(12)),
        to: fc.nat(12),
        off: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.constantFrom(1, -1)),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('read'), room, from: fc.nat(30) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
  ),
  { minLength: 5, maxLength: 40 },
);

/** A room's log as an array of what is read, the segments first. */
class Model {
  parts: { readonly seq: number; readonly count: number; readonly isSegment: boolean }[] = [];

  get head(): number {
    return this.parts.reduce((sum, { count }) => sum + count, 0);
  }

  get ends(): number[] {
    return [0, ...this.parts.map(({ seq, count }) => seq + count)];
  }

  merge(from: number, count: number): boolean {
    const to = from + count;
    const before = this.parts.filter(({ seq }) => seq < from);
    const behind = this.parts.filter((part) => part.seq >= to);
    const fits = this.ends.includes(from) && this.ends.includes(to) && count > 0;
    if (!fits || before.some(({ isSegment }) => !isSegment)) return false;
    this.parts = [...before, { seq: from, count, isSegment: true }, ...behind];
    return true;
  }
}

const packOf = (seq: number, count: number): Uint8Array => Buffer.from(`${count} nodes from ${seq}`);
const shown = ({ seq, count, pack }: LogRecord): string => `${seq}+${count} ${Buffer.from(pack).toString()}`;

async function read(log: NodeLog, id: RoomId, from: number): Promise<string[]> {
  const found: string[] = [];
  for await (const record of log.read(id, from)) found.push(shown(record));
  return found;
}

function expected({ parts }: Model, from: number): string[] {
  return parts
    .filter(({ seq, count }) => seq + count > from)
    .map(({ seq, count }) => shown({ seq, count, pack: packOf(seq, count) }));
}

async function isLikeTheModel(open: () => Promise<Store>, reopens: boolean, plan: readonly Step[]): Promise<void> {
  let store = await open();
  const models = ROOMS.map(() => new Model());
  try {
    for (const step of plan) {
      if (step.do === 'reopen') {
        if (!reopens) continue;
        await store.close();
        store = await open();
        continue;
      }
      const [id, model] = [ROOMS[step.room] as RoomId, models[step.room] as Model];
      if (step.do === 'append') {
        const { head } = model;
        expect(await store.log.append(id, head, { count: step.count, pack: packOf(head, step.count) })).toEqual({
          seq: head,
        });
        model.parts.push({ seq: head, count: step.count, isSegment: false });
      } else if (step.do === 'merge') {
        const [from = 0, to = 0] = [step.from, step.to].map((at) => model.ends[at % model.ends.length]);
        const count = to - from + step.off;
        const merged = await store.log.merge(id, from, { count, pack: packOf(from, count) });
        expect(merged, `merging ${count} from ${from}`).toBe(model.merge(from, count));
      } else {
        expect(await read(store.log, id, step.from)).toEqual(expected(model, step.from));
      }
    }
    const known: RoomId[] = [];
    for await (const id of store.log.rooms()) known.push(id);
    expect(known).toEqual(ROOMS.filter((_, i) => models[i]?.head).sort());
    for (const [i, model] of models.entries()) {
      const id = ROOMS[i] as RoomId;
      expect(await read(store.log, id, 0)).toEqual(expected(model, 0));
      const size = model.parts.reduce((sum, { seq, count }) => sum + packOf(seq, count).length, 0);
      expect([await store.log.head(id), await store.log.size(id)]).toEqual([model.head, size]);
    }
  } finally {
    await store.close();
  }
}

describe('appends, merges and reads in any order', () => {
  it('[ST6] are like an array, in memory', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const store = memoryStore();
        await isLikeTheModel(() => Promise.resolve(store), false, plan);
      }),
      { numRuns: 150 },
    );
  });

  it('[ST6] are like an array, in a folder that is closed and opened again', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const folder = await tempFolder();
        const open = async (): Promise<Store> => {
          const store = levelStore(folder);
          await store.open();
          return store;
        };
        await isLikeTheModel(open, true, plan);
      }),
      { numRuns: 10 },
    );
  });
});
