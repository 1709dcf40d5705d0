import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import { type Submit, submitter } from '../testing/host-commands.js';

const of = { namespace: 'n', key: 'k' };
const aNode = /^[0-9a-f]{64}:0$/;

interface TextRead {
  readonly value: string;
  readonly entries: readonly { readonly id: string; readonly ch: string }[];
}

const newHost = (): Host => createHost({ store: memoryStore() });

async function read(submit: Submit, at: object = of): Promise<TextRead> {
  const [event] = await submit({ TextGet: at });
  expect(await submit({ TextGetCanonical: at })).toEqual([event]);
  return event?.['TextValueRead'] as unknown as TextRead;
}

async function insert(submit: Submit, ch: string, after_id?: string): Promise<string> {
  const [event] = await submit({ TextInsert: { ...of, ch, ...(after_id === undefined ? {} : { after_id }) } });
  expect(event).toEqual({ TextValueInserted: { ...of, ch, id: expect.stringMatching(aNode) as string } });
  return String(event?.['TextValueInserted']?.['id']);
}

describe('texts through the host door', () => {
  it('[HC5] gives each character a name, and inserts after it or before everything', async () => {
    const submit = submitter(newHost());
    expect(await read(submit)).toEqual({ ...of, value: '', entries: [] });
    const a = await insert(submit, 'a');
    const c = await insert(submit, 'c', a);
    const b = await insert(submit, 'b', a);
    const start = await insert(submit, '-');
    expect(await read(submit)).toEqual({
      ...of,
      value: '-abc',
      entries: [
        { id: start, ch: '-' },
        { id: a, ch: 'a' },
        { id: b, ch: 'b' },
        { id: c, ch: 'c' },
      ],
    });
  });

  it('[HC5] deletes a character once, and inserts after it all the same', async () => {
    const submit = submitter(newHost());
    const a = await insert(submit, 'a');
    await insert(submit, 'b', a);
    expect(await submit({ TextDelete: { ...of, target_id: a } })).toEqual([
      { TextValueDeleted: { ...of, target_id: a, found: true } },
    ]);
    expect(await submit({ TextDelete: { ...of, target_id: a } })).toEqual([
      { TextValueDeleted: { ...of, target_id: a, found: false } },
    ]);
    await insert(submit, 'x', a);
    expect((await read(submit)).value).toBe('xb');
  });

  it('[HC5] keeps the halves of a pair together', async () => {
    const submit = submitter(newHost());
    await insert(submit, 'a😀b');
    const { entries } = await read(submit);
    expect(entries.map(({ ch }) => ch)).toEqual(['a', '😀', 'b']);
    await insert(submit, 'x', entries[1]!.id);
    expect((await read(submit)).value).toBe('a😀xb');
    await submit({ TextDelete: { ...of, target_id: entries[1]!.id } });
    expect((await read(submit)).value).toBe('axb');
  });

  it('[HC5] refuses a place that the text does not have, and deletes nothing there', async () => {
    const host = newHost();
    const submit = submitter(host);
    const a = await insert(submit, 'a');
    await submit({ TextInsert: { ...of, key: 'other', ch: 'o' } });
    const [other] = (await read(submit, { ...of, key: 'other' })).entries;
    const { seq } = await host.room('room');
    for (const id of ['', 'x', `${a.slice(0, -1)}1`, `${'0'.repeat(64)}:0`, other!.id]) {
      await expect(submit({ TextInsert: { ...of, ch: 'x', after_id: id } })).rejects.toMatchObject({
        reason: 'invalid-command',
      });
      const deleted = await submit({ TextDelete: { ...of, target_id: id } });
      expect(deleted).toEqual([{ TextValueDeleted: { ...of, target_id: id, found: false } }]);
    }
    await expect(submit({ TextInsert: { ...of, ch: '' } })).rejects.toMatchObject({ reason: 'invalid-command' });
    await expect(submit({ TextInsert: { ...of, ch: '\ud800' } })).rejects.toMatchObject({ reason: 'invalid-value' });
    expect((await host.room('room')).seq).toBe(seq);
    expect((await read(submit)).value).toBe('a');
  });

  it('[HC5] does edits that wait together one after another', async () => {
    const submit = submitter(newHost());
    const a = await insert(submit, 'a');
    await Promise.all(['1', '2', '3'].map((ch) => insert(submit, ch, a)));
    expect((await read(submit)).value).toBe('a321');
  });

  it('[HC5] [ST10] goes on in a room that was put away and opened again', async () => {
    const store = memoryStore();
    const first = createHost({ store });
    await insert(submitter(first), 'ab😀');
    const before = await read(submitter(first));
    await submitter(first)({ TextDelete: { ...of, target_id: before.entries[0]!.id } });
    await submitter(first)('CompactRoom');
    await first.close();
    const host = createHost({ store });
    const submit = submitter(host);
    expect(await read(submit)).toEqual({ ...of, value: 'b😀', entries: before.entries.slice(1) });
    await insert(submit, 'x', before.entries[0]!.id);
    await insert(submit, 'y', before.entries[2]!.id);
    expect((await read(submit)).value).toBe('xb😀y');
    const room = await host.room('room');
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    for (const pack of room.packs()) await replica.receive(pack);
    expect(replica.stateHash).toBe(room.stateHash);
  });

  it('[HC5] names what peers have typed, and they see what was inserted there', async () => {
    const host = newHost();
    const submit = submitter(host);
    const room = await host.room('room');
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.constantFrom('host', 'peer', 'delete')), { maxLength: 12 }),
        async (edits) => {
          for (const [at, who] of edits) {
            for (const pack of room.packs()) await replica.receive(pack);
            const text = replica.text('n/k');
            const { value, entries } = await read(submit);
            expect(value).toBe(text.toString());
            expect(entries.map(({ ch }) => ch).join('')).toBe(value);
            if (who === 'peer') {
              text.insert(at % (text.length + 1), 'p');
              const refused = (await room.admit((await replica.seal())!, { from: 'peer' })).refused;
              expect(refused).toEqual([]);
              replica.confirm();
            } else if (who === 'host') await insert(submit, 'h', entries[at % (entries.length + 1)]?.id);
            else if (entries.length > 0)
              await submit({ TextDelete: { ...of, target_id: entries[at % entries.length]!.id } });
          }
        },
      ),
      { numRuns: 5 },
    );
    for (const pack of room.packs()) await replica.receive(pack);
    expect(replica.stateHash).toBe(room.stateHash);
  });
});
