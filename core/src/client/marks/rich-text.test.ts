/** Marks of a text: the published hard cases of rich text that several people edit, each in every order of arrival. */
import { describe, expect, it, vi } from 'vitest';
import { toHex } from '../../codec/bytes/bytes.js';
import type { TextDelta } from '../../crdt/delta.js';
import { decodePack } from '../../codec/packs/plain-pack.js';
import type { NodeId } from '../../graph/node.js';
import { createReplica, generateKeys } from '../../peer.js';
import { Rejection } from '../../rejection.js';
import { pull, push } from '../../testing/open-rooms.js';
import { agree, join, newRoom, sealed } from '../../testing/replicas.js';
import type { Replica } from '../replica/replica.js';
import { type RichText, richText } from './rich-text.js';

/** A text as one line: `[bold:fox] jumps`, the value behind the name where it is not true. */
function shown(text: RichText): string {
  return text
    .spans()
    .map(({ text: part, marks }) => {
      const names = Object.entries(marks).map(([name, value]) => (value === true ? name : `${name}=${String(value)}`));
      return names.length === 0 ? part : `[${names.join()}:${part}]`;
    })
    .join('');
}

type Edit = (text: RichText, replica: Replica) => void;

/** What all have in the end whose edits of one text met, whoever's came first. */
async function merged(content: string, ...edits: readonly Edit[]): Promise<string> {
  const room = await newRoom();
  const author = await join(room);
  author.text('t').insert(0, content);
  const start = (await sealed(author))!;
  const replicas = await Promise.all(edits.map(() => join(room)));
  for (const replica of replicas) await replica.receive(start);
  for (const [i, edit] of edits.entries()) edit(richText(replicas[i]!, 't'), replicas[i]!);
  const packs = (await Promise.all(replicas.map((replica) => sealed(replica)))).flatMap((pack) => pack ?? []);
  const readers = await Promise.all(
    [packs, packs.toReversed()].map(async (order) => {
      const reader = await join(room);
      for (const pack of [start, ...order]) await reader.receive(pack);
      return reader;
    }),
  );
  for (const replica of replicas) for (const pack of packs) await replica.receive(pack);
  const all = [...replicas, ...readers];
  const results = new Set(all.map((replica) => shown(richText(replica, 't'))));
  expect([...results]).toHaveLength(1);
  expect(new Set(all.map(({ stateHash }) => stateHash)).size).toBe(1);
  return [...results][0]!;
}

const FOX = 'The fox jumped.';

describe('marks of a text', () => {
  it('[MK1] overlapping bolds of two people are bold as a whole', async () => {
    const result = await merged(
      FOX,
      (text) => text.mark(0, 7, 'bold'),
      (text) => text.mark(4, 11, 'bold'),
    );
    expect(result).toBe('[bold:The fox jumped.]');
  });

  it('[MK1] bold and italic that overlap are both there', async () => {
    const result = await merged(
      FOX,
      (text) => text.mark(0, 7, 'bold'),
      (text) => text.mark(4, 10, 'italic'),
    );
    expect(result).toBe('[bold:The ][bold,italic:fox][italic: jumped].');
  });

  it('[MK1] a mark taken away from a part of what somebody else has marked is gone there alone, once it is known', async () => {
    const room = await newRoom();
    const [one, two] = await Promise.all([join(room), join(room)]);
    one.text('t').insert(0, FOX);
    richText(one, 't').mark(0, 15, 'bold');
    await agree(one, two);
    richText(two, 't').unmark(4, 3, 'bold');
    await agree(one, two);
    expect(shown(richText(one, 't'))).toBe('[bold:The ]fox[bold: jumped.]');
  });

  it('[MK1] of values that contradict each other the greatest write is shown, as one value in each place', async () => {
    const result = await merged(
      FOX,
      (text) => text.mark(0, 7, 'colour', 'red'),
      (text) => text.mark(4, 10, 'colour', 'blue'),
    );
    expect(['[colour=red:The fox][colour=blue: jumped].', '[colour=red:The ][colour=blue:fox jumped].']).toContain(
      result,
    );
  });

  it('[MK1] bold and not bold on the same characters are one of the two', async () => {
    const result = await merged(
      FOX,
      (text) => text.mark(4, 3, 'bold'),
      (text) => text.unmark(4, 3, 'bold'),
      (text) => text.mark(4, 3, 'italic'),
    );
    expect(['The [bold,italic:fox] jumped.', 'The [italic:fox] jumped.']).toContain(result);
  });

  it('[MK1] comments that overlap keep apart, for each has a name of its own', async () => {
    const result = await merged(
      FOX,
      (text) => text.mark(0, 7, 'comment/1', 'why?', { expand: 'none' }),
      (text) => text.mark(4, 10, 'comment/2', 'nice', { expand: 'none' }),
    );
    expect(result).toBe('[comment/1=why?:The ][comment/1=why?,comment/2=nice:fox][comment/2=nice: jumped].');
  });

  it('[MK1] what somebody types within what another one marks meanwhile is marked', async () => {
    const result = await merged(
      FOX,
      (text) => text.mark(0, 15, 'bold'),
      (_, replica) => replica.text('t').insert(4, 'quick '),
    );
    expect(result).toBe('[bold:The quick fox jumped.]');
  });

  it('[MK1] what is typed at the end of bold is bold, and at the end of a link no part of it', async () => {
    const bold = await merged('The fox', (text, replica) => {
      text.mark(4, 3, 'bold');
      replica.text('t').insert(7, 'es');
      replica.text('t').insert(4, 'old ');
    });
    const link = await merged('The fox', (text, replica) => {
      text.mark(4, 3, 'link', 'a:b', { expand: 'none' });
      replica.text('t').insert(7, 'es');
      replica.text('t').insert(4, 'old ');
    });
    expect([bold, link]).toEqual(['The old [bold:foxes]', 'The old [link=a:b:fox]es']);
  });

  it('[MK1] what is typed at either end comes under a mark that expands there', async () => {
    const typed = (expand: 'before' | 'both') =>
      merged('The fox.', (text, replica) => {
        text.mark(4, 3, 'm', true, { expand });
        replica.text('t').insert(7, 'es');
        replica.text('t').insert(4, 'old ');
      });
    expect([await typed('before'), await typed('both')]).toEqual(['The [m:old fox]es.', 'The [m:old foxes].']);
    const whole = await merged('fox', (text, replica) => {
      text.mark(0, 3, 'm', true, { expand: 'both' });
      replica.text('t').insert(3, 'es');
      replica.text('t').insert(0, 'old ');
    });
    expect(whole).toBe('[m:old foxes]');
  });

  it('[MK1] somebody types at the end of what another one makes a link meanwhile, and of what becomes bold', async () => {
    const type: Edit = (_, replica) => replica.text('t').insert(7, 'es');
    expect(await merged('The fox.', (text) => text.mark(4, 3, 'link', 1, { expand: 'none' }), type)).toBe(
      'The [link=1:fox]es.',
    );
    expect(await merged('The fox.', (text) => text.mark(4, 3, 'bold'), type)).toBe('The [bold:foxes].');
  });

  it('[MK1] a mark of what somebody deletes meanwhile is nowhere, and says nothing of what is typed beside it', async () => {
    const result = await merged(
      FOX,
      (text) => text.mark(4, 3, 'comment/1', 'x', { expand: 'none' }),
      (_, replica) => replica.text('t').delete(3, 4),
    );
    expect(result).toBe('The jumped.');
  });

  it('[MK1] a mark that begins and ends with deleted characters holds what is left', async () => {
    const result = await merged(
      FOX,
      (text) => text.mark(2, 9, 'bold'),
      (_, replica) => replica.text('t').delete(0, 4),
      (_, replica) => replica.text('t').delete(9, 6),
    );
    expect(result).toBe('[bold:fox j]');
  });

  it('[MK3] what is typed where the end of a link was deleted is no part of the link', async () => {
    const room = await newRoom();
    const one = await join(room);
    one.text('t').insert(0, 'see foxes now');
    const text = richText(one, 't');
    text.mark(4, 5, 'link', 1, { expand: 'none' });
    one.text('t').delete(7, 2);
    one.text('t').insert(7, '!');
    expect(shown(text)).toBe('see [link=1:fox]! now');
  });

  it('[MK3] what is typed where the character behind bold was deleted is bold', async () => {
    const room = await newRoom();
    const one = await join(room);
    one.text('t').insert(0, 'see foxes now');
    const text = richText(one, 't');
    text.mark(4, 5, 'bold');
    one.text('t').delete(9, 2);
    one.text('t').insert(9, '!');
    expect(shown(text)).toBe('see [bold:foxes!]ow');
  });

  it('[ND9] refuses what is no mark, and changes nothing', async () => {
    const one = await join(await newRoom());
    one.text('t').insert(0, 'a🦊b');
    const text = richText(one, 't');
    const before = one.stateHash;
    expect(() => text.mark(0, 9, 'bold')).toThrow(RangeError);
    expect(() => text.mark(0, 2, 'bold')).toThrow('middle of a character');
    for (const [name, value] of [
      ['', true],
      ['n'.repeat(257), true],
      ['bold', 'v'.repeat(16_385)],
      ['bold', () => 1],
    ] as const)
      expect(() => text.mark(0, 1, name, value)).toThrow(Rejection);
    text.mark(1, 0, 'bold');
    expect(shown(text)).toBe('a🦊b');
    expect(one.stateHash).toBe(before);
    text.mark(0, 1, 'n'.repeat(256), 'v'.repeat(16_000));
    expect(text.spans()).toHaveLength(2);
  });

  it('[MK2] a room reads the same spans, as few as can be, and a part of its past those of its time', async () => {
    const room = await newRoom();
    const one = await join(room);
    one.text('t').insert(0, FOX);
    const text = richText(one, 't');
    for (const at of [4, 5, 6]) text.mark(at, 1, 'bold', true, { expand: 'none' });
    text.unmark(0, 3, 'italic');
    await push(one, room);
    const spans = [
      { text: 'The ', marks: {} },
      { text: 'fox', marks: { bold: true } },
      { text: ' jumped.', marks: {} },
    ];
    expect([text.spans(), room.spans('t'), room.spans('other')]).toEqual([spans, spans, []]);
    expect(room.stateHash).toBe(one.stateHash);
    const { seq } = room;
    text.unmark(0, 15, 'bold');
    await push(one, room);
    expect((await room.asOf(seq)).spans('t')).toEqual(spans);
    expect(room.spans('t')).toEqual([{ text: FOX, marks: {} }]);
  });

  it('[PO1] a mark is a write to the key: a policy that keeps the key from its author refuses it', async () => {
    const room = await newRoom();
    const one = await join(room);
    one.text('t').insert(0, FOX);
    await push(one, room);
    await room.set('\0policy', { default: 'allow', rules: [{ path_glob: 't', can_write: [] }] });
    await pull(one, room);
    richText(one, 't').mark(0, 3, 'bold');
    const { refused } = await room.admit((await one.seal())!, { from: 'peer' });
    expect(refused.map(({ reason }) => reason)).toEqual(['policy-denied']);
    const told: unknown[] = [];
    one.onRefused((held) => told.push(...held.map(({ edits }) => edits)));
    one.confirm(undefined, refused);
    expect(told).toEqual([[{ kind: 'mark-text', key: 't', name: 'bold', value: true }]]);
    expect(shown(richText(one, 't'))).toBe(FOX);
  });

  it('[RE3] a mark beside a refused word is written anew, and lies where the word had been typed', async () => {
    const room = await newRoom();
    const one = await join(room);
    one.text('t').insert(0, FOX);
    await push(one, room);
    one.text('t').insert(4, 'red ');
    richText(one, 't').mark(4, 7, 'bold');
    const [word, mark] = decodePack((await one.seal())!).nodes.map(({ id }) => toHex(id) as NodeId);
    one.confirm(undefined, [
      { id: word!, reason: 'policy-denied' },
      { id: mark!, reason: 'missing-parent' },
    ]);
    expect(shown(richText(one, 't'))).toBe('The [bold:fox] jumped.');
    await push(one, room);
    expect(room.spans('t')).toEqual(richText(one, 't').spans());
  });

  it('[SH4] marks are part of the state hash, and a text without them has the hash that it always had', async () => {
    const room = await newRoom();
    const one = await join(room);
    one.text('t').insert(0, FOX);
    const before = one.stateHash;
    richText(one, 't').mark(4, 3, 'bold');
    const marked = one.stateHash;
    richText(one, 't').unmark(4, 3, 'bold');
    const taken = one.stateHash;
    expect(new Set([before, marked, taken]).size).toBe(3);
    expect(shown(richText(one, 't'))).toBe(FOX);
  });

  it('[RE2] marks are there again when a replica is opened that was saved, and so is its hash', async () => {
    const room = await newRoom();
    const [one, two] = await Promise.all([join(room), join(room)]);
    one.text('t').insert(0, FOX);
    richText(one, 't').mark(4, 3, 'bold');
    await agree(one, two);
    richText(two, 't').mark(0, 3, 'italic');
    const { stateHash } = two;
    const again = await createReplica({ keys: generateKeys(), saved: two.save() });
    expect(shown(richText(again, 't'))).toBe('[italic:The] [bold:fox] jumped.');
    expect(again.stateHash).toBe(stateHash);
    richText(again, 't').mark(0, 15, 'bold', 2);
    expect(shown(richText(again, 't'))).toBe('[bold=2,italic:The][bold=2: fox jumped.]');
  });

  it('[MK6] many ranges of one name over one another cost little more than as many beside one another', async () => {
    const count = 600;
    const one = await join(await newRoom());
    one.text('t').insert(0, 'x'.repeat(2 * count));
    const text = richText(one, 't');
    for (let i = 0; i < count; i++) text.mark(i, 2 * (count - i), 'bold', i);
    const { marks } = one.richParts('t').text;
    const compare = vi.fn(marks!.compare);
    Object.defineProperty(marks, 'compare', { value: compare });
    const spans = text.spans();
    expect(spans).toHaveLength(2 * count - 1);
    expect(spans[count - 1]).toEqual({ text: 'xx', marks: { bold: count - 1 } });
    expect(compare.mock.calls.length).toBeLessThan(count * 4 * Math.log2(count));
  });

  it('[MK6] a text whose ranges would say more than memory holds is shown without marks, in a snapshot too, until some are gone', async () => {
    const count = 1100;
    const room = await newRoom();
    const one = await join(room);
    one.text('t').insert(0, 'x'.repeat(2 * count));
    const text = richText(one, 't');
    for (let i = 0; i < count; i++) text.mark(i, 2 * (count - i), `comment/${i}`, true, { expand: 'none' });
    await push(one, room);
    const plain = [{ text: 'x'.repeat(2 * count), marks: {} }];
    expect(text.spans()).toEqual(plain);
    expect(text.spans(0, 10)).toEqual([{ text: 'x'.repeat(10), marks: {} }]);
    expect(room.spans('t')).toEqual(plain);
    const told: TextDelta[] = [];
    one.observe('t', ({ changes }) => changes.forEach((change) => change.kind === 'text' && told.push(change.delta)));
    one.text('t').delete(0, 1);
    one.transact(() => {
      one.text('t').delete(0, 1089);
      one.text('t').delete(20, 1090);
    });
    expect(told[0]).toEqual([{ delete: 1 }]);
    expect(told[1]).toContainEqual({ retain: 2, attributes: expect.objectContaining({ 'comment/1099': true }) });
    await push(one, room);
    expect(Object.keys(text.spans()[0]!.marks)).toHaveLength(1091);
    expect(room.spans('t')).toEqual(text.spans());
  });
});
