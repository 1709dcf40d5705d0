import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import { type Submit, submitter } from '../testing/host-commands.js';

const of = { namespace: 'n', key: 'k' };
const id = expect.stringMatching(/^[0-9a-f]{64}:0$/) as string;

interface Item {
  readonly id: string;
  readonly value: unknown;
}

async function itemsOf(submit: Submit): Promise<readonly Item[]> {
  const [event] = await submit({ ListGet: of });
  return event?.['ListValueRead']?.['entries'] as Item[];
}
const valuesOf = async (submit: Submit) => (await itemsOf(submit)).map(({ value }) => value);

async function holding(...values: unknown[]): Promise<Submit> {
  const submit = submitter(createHost({ store: memoryStore() }));
  for (const value of values) await submit({ ListPush: { ...of, value } });
  return submit;
}

describe('lists through the host door', () => {
  it('[HC5] pushes and inserts, at the end where the list is shorter', async () => {
    const submit = await holding();
    expect(await submit({ ListGet: of })).toEqual([{ ListValueRead: { ...of, entries: [] } }]);
    expect(await submit({ ListPush: { ...of, value: 'b' } })).toEqual([
      { ListValuePushed: { ...of, id, index: 0, value: 'b' } },
    ]);
    expect(await submit({ ListInsert: { ...of, index: 0, value: 'a' } })).toEqual([
      { ListValueInserted: { ...of, id, index: 0, value: 'a' } },
    ]);
    expect(await submit({ ListInsert: { ...of, index: 9, value: { c: [1] } } })).toEqual([
      { ListValueInserted: { ...of, id, index: 2, value: { c: [1] } } },
    ]);
    expect(await valuesOf(submit)).toEqual(['a', 'b', { c: [1] }]);
  });

  it('[HC5] deletes an item and says which', async () => {
    const submit = await holding('a', 'b');
    expect(await submit({ ListDelete: { ...of, index: 0 } })).toEqual([
      { ListValueDeleted: { ...of, index: 0, found: true, removed: 'a' } },
    ]);
    expect(await submit({ ListDelete: { ...of, index: 1 } })).toEqual([
      { ListValueDeleted: { ...of, index: 1, found: false } },
    ]);
    expect(await valuesOf(submit)).toEqual(['b']);
  });

  it('[HC5] moves an item, which keeps its name', async () => {
    const submit = await holding('a', 'b', 'c');
    const [a] = await itemsOf(submit);
    expect(await submit({ ListMove: { ...of, from_index: 0, to_index: 1 } })).toEqual([
      { ListValueMoved: { ...of, from_index: 0, to_index: 1, found: true, id: a?.id } },
    ]);
    expect(await submit({ ListMove: { ...of, from_index: 1, to_index: 7 } })).toEqual([
      { ListValueMoved: { ...of, from_index: 1, to_index: 2, found: true, id: a?.id } },
    ]);
    expect((await itemsOf(submit))[2]).toEqual(a);
    expect(await submit({ ListMove: { ...of, from_index: 3, to_index: 0 } })).toEqual([
      { ListValueMoved: { ...of, from_index: 3, to_index: 0, found: false } },
    ]);
  });

  it('[HC5] puts a new item in the place of one', async () => {
    const submit = await holding('a', 'b', 'c');
    const [, b] = await itemsOf(submit);
    const [updated] = await submit({ ListUpdate: { ...of, index: 1, value: 'B' } });
    expect(updated).toEqual({ ListValueUpdated: { ...of, index: 1, found: true, id, value: 'B' } });
    expect(await valuesOf(submit)).toEqual(['a', 'B', 'c']);
    expect((await itemsOf(submit))[1]?.id).toBe(updated?.['ListValueUpdated']?.['id']);
    expect((await itemsOf(submit))[1]?.id).not.toBe(b?.id);
    expect(await submit({ ListUpdate: { ...of, index: 3, value: 'x' } })).toEqual([
      { ListValueUpdated: { ...of, index: 3, found: false } },
    ]);
  });

  it('[HC5] does edits that wait together one after another', async () => {
    const submit = await holding();
    await Promise.all(['a', 'b', 'c'].map((value) => submit({ ListPush: { ...of, value } })));
    expect(await valuesOf(submit)).toEqual(['a', 'b', 'c']);
    const deleted = await Promise.all([0, 0].map((index) => submit({ ListDelete: { ...of, index } })));
    expect(deleted.map(([event]) => event?.['ListValueDeleted']?.['removed'])).toEqual(['a', 'b']);
  });

  it.each([
    { ListPush: of },
    { ListPush: { ...of, key: '', value: 1 } },
    { ListInsert: { ...of, index: -1, value: 1 } },
    { ListInsert: { ...of, index: 0.5, value: 1 } },
    { ListDelete: { ...of, index: '0' } },
    { ListMove: { ...of, from_index: 0 } },
    { ListUpdate: { ...of, index: 0 } },
  ])('[HC5] refuses %j', async (command) => {
    const submit = await holding('a');
    await expect(submit(command)).rejects.toMatchObject({ reason: 'invalid-command' });
    expect(await valuesOf(submit)).toEqual(['a']);
  });

  it('[HC5] refuses an item that cannot be stored', async () => {
    const submit = await holding('a');
    await expect(submit({ ListPush: { ...of, value: () => 1 } })).rejects.toMatchObject({ reason: 'invalid-value' });
    await expect(submit({ ListPush: { ...of, value: 'x'.repeat(2 ** 20) } })).rejects.toMatchObject({
      reason: 'invalid-value',
    });
    expect(await valuesOf(submit)).toEqual(['a']);
  });

  it('[HC5] does what an array does, beside a peer, with equal state', async () => {
    const host = createHost({ store: memoryStore() });
    const submit = submitter(host);
    const room = await host.room('room');
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    const kinds = ['ListPush', 'ListInsert', 'ListDelete', 'ListMove', 'ListUpdate', 'peer'] as const;
    const edit = fc.tuple(fc.constantFrom(...kinds), fc.nat(6), fc.nat(6));
    let value = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 10 }), async (edits) => {
        for (const [kind, at, to] of edits) {
          const model = await valuesOf(submit);
          value++;
          if (kind === 'peer') {
            for (const pack of room.packs()) await replica.receive(pack);
            const list = replica.list('n/k');
            expect(list.toArray()).toEqual(model);
            list.insert(Math.min(at, list.length), value);
            if (list.length > 1) list.move(0, list.length - 1);
            expect((await room.admit((await replica.seal())!, { from: 'peer' })).refused).toEqual([]);
            replica.confirm();
            continue;
          }
          await submit({ [kind]: { ...of, index: at, from_index: at, to_index: to, value } });
          if (kind === 'ListPush') model.push(value);
          if (kind === 'ListInsert') model.splice(at, 0, value);
          if (kind === 'ListDelete') model.splice(at, 1);
          if (kind === 'ListUpdate' && at < model.length) model[at] = value;
          if (kind === 'ListMove' && at < model.length) model.splice(to, 0, ...model.splice(at, 1));
          expect(await valuesOf(submit)).toEqual(model);
        }
      }),
      { numRuns: 10 },
    );
    for (const pack of room.packs()) await replica.receive(pack);
    expect(replica.stateHash).toBe(room.stateHash);
  });
});
