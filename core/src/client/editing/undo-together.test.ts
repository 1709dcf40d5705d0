import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { fromHex } from '../../codec/bytes/bytes.js';
import type { Op } from '../../codec/nodes/op.js';
import { openPack } from '../../codec/packs/pack.js';
import { encodePack } from '../../codec/packs/plain-pack.js';
import { nodeId } from '../../codec/testing/nodes.js';
import { sealMessage } from '../../graph/seal.js';
import { createReplica, generateKeys } from '../../peer.js';
import { agree, join, newRoom, pair, redoAll, textOf, undoAll } from '../../testing/replicas.js';
import type { Replica } from '../replica/replica.js';
import { type UndoableText, undoableText } from './undoable-text.js';

describe('undo while others edit', () => {
  it('[TX2] of an insertion leaves what others typed into it, and around', async () => {
    const { text, one, two } = await pair('()');
    text.insert(1, 'hello');
    await agree(one, two);
    for (const [at, typed] of [
      [3, 'X'],
      [1, 'A'],
      [8, 'Z'],
    ] as const)
      two.text('t').insert(at, typed);
    text.undo();
    expect(await agree(one, two)).toBe('(AXZ)');
    text.redo();
    expect(await agree(one, two)).toBe('(AheXlloZ)');
    text.undo();
    expect(await agree(one, two)).toBe('(AXZ)');
  });

  it('[TX2] of an insertion does not bring back what others deleted of it', async () => {
    const { text, one, two } = await pair('()');
    text.insert(1, 'hello');
    await agree(one, two);
    two.text('t').delete(2, 2);
    await agree(one, two);
    text.undo();
    expect(await agree(one, two)).toBe('()');
    text.redo();
    expect(await agree(one, two)).toBe('(hlo)');
  });

  it('[TX2] of an insertion that others delete at the same time agrees with them', async () => {
    const { text, one, two } = await pair('()');
    text.insert(1, 'hello');
    await agree(one, two);
    two.text('t').delete(0, 4);
    text.undo();
    expect(await agree(one, two)).toBe(')');
  });

  it('[TX2] of a deletion puts each piece where it stood, whatever was typed between and beside', async () => {
    const { text, one, two } = await pair('abcdef');
    text.delete(1, 4);
    for (const [at, typed] of [
      [5, '4'],
      [3, '2'],
      [1, '0'],
    ] as const)
      two.text('t').insert(at, typed);
    expect(await agree(one, two)).toBe('a024f');
    text.undo();
    expect(await agree(one, two)).toBe('a0bc2de4f');
    text.redo();
    expect(await agree(one, two)).toBe('a024f');
    text.undo();
    expect(await agree(one, two)).toBe('a0bc2de4f');
  });

  it('[TX2] of a deletion keeps words whole that others type there at the same time', async () => {
    const { text, one, two } = await pair('a word b');
    text.delete(2, 4);
    await agree(one, two);
    for (const [i, unit] of [...'other'].entries()) two.text('t').insert(2 + i, unit);
    text.undo();
    expect(['a wordother b', 'a otherword b']).toContain(await agree(one, two));
  });

  it('[TX2] of two who undo at one place comes out the same everywhere', async () => {
    const { text, one, two } = await pair('abcdef');
    const other = undoableText(two, 't');
    text.delete(1, 2);
    other.delete(3, 2);
    expect(await agree(one, two)).toBe('af');
    text.undo();
    other.undo();
    expect(await agree(one, two)).toBe('abcdef');
    text.redo();
    expect(await agree(one, two)).toBe('adef');
    other.redo();
    expect(await agree(one, two)).toBe('af');
  });

  it('[TX2] of a fork of one author, on one device, leaves what the other wrote', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [here, there] = [await join(room, keys), await join(room, keys)];
    const text = undoableText(here, 't');
    text.insert(0, 'here');
    there.text('t').insert(0, 'there');
    await agree(here, there);
    text.delete(0, 9);
    text.undo();
    expect(new Set(['herethere', 'therehere'])).toContain(await agree(here, there));
    text.undo();
    expect(await agree(here, there)).toBe('there');
  });

  it('[TX2] goes on in a replica that was saved and opened', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [first, two] = [await join(room, keys), await join(room)];
    for (const unit of 'edcba') first.text('t').insert(0, unit);
    two.text('t').insert(0, '');
    await agree(first, two);
    const one = await createReplica({ saved: first.save(), keys });
    const text = undoableText(one, 't');
    text.delete(1, 3);
    text.undo();
    expect(await agree(one, two)).toBe('abcde');
    expect([text.redo(), await agree(one, two)]).toEqual([true, 'ae']);
  });
});

describe('undo of characters', () => {
  it('[TX2] never takes pairs apart', async () => {
    const { text, one, two } = await pair('a😀b');
    text.insert(3, '😀𝄞');
    text.delete(1, 4);
    await agree(one, two);
    two.text('t').insert(1, '😀');
    await agree(one, two);
    expect([text.undo(), await agree(one, two)]).toEqual([true, 'a😀😀😀𝄞b']);
    expect([text.undo(), await agree(one, two)]).toEqual([true, 'a😀😀b']);
    for (const edit of [() => text.insert(2, 'x'), () => text.delete(1, 1), () => text.delete(2, 1)])
      expect(edit).toThrow(RangeError);
    expect([redoAll(text), await agree(one, two)]).toEqual([2, 'a😀𝄞b']);
  });

  it('[ND5] takes what no node takes at once', async () => {
    const { text, one, two } = await pair('()');
    const paste = `x${'😀'.repeat(100_000)}${'€'.repeat(100_000)}`;
    text.insert(1, paste);
    text.delete(2, 300_000);
    undoAll(text);
    expect(text.toString()).toBe('()');
    redoAll(text);
    text.undo();
    expect((await agree(one, two)) === `(${paste})`).toBe(true);
  });

  it('[TX2] of what ops that no replica writes have left of pairs', async () => {
    const { text, one, two } = await pair('a😀b😀c');
    // The low half of the first, and something between the halves of the second.
    await receiveRaw(one, two, [
      { kind: 'text-delete', last: 2, count: 1 },
      { kind: 'text-insert', at: 5, text: '!' },
    ]);
    expect(textOf(one)).toBe('a\ud83db\ud83d!\ude00c');
    text.delete(0, 3);
    expect([text.undo(), text.toString()]).toEqual([true, 'a\ufffdb\ud83d!\ude00c']);
    text.delete(4, 1);
    expect([text.toString(), text.undo()]).toEqual(['a\ufffdb😀c', true]);
    // Where it stood it would take the pair apart.
    expect(await agree(one, two)).toBe('a\ufffdb😀!c');
    expect([text.redo(), await agree(one, two)]).toEqual([true, 'a\ufffdb😀c']);
  });
});

describe('undo of any edits', () => {
  const edits = fc.array(
    fc.record({
      at: fc.nat(),
      count: fc.nat(4),
      text: fc.string({ unit: 'grapheme', maxLength: 4 }),
      turn: fc.constantFrom('insert', 'insert', 'delete', 'delete', 'back', 'on', 'undo', 'redo'),
      pauses: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40, size: 'max' },
  );
  type Edits = typeof edits extends fc.Arbitrary<infer T> ? T : never;

  function make(text: UndoableText, plan: Edits): void {
    let last = 0;
    for (const { at, count, text: typed, turn, pauses } of plan) {
      const content = text.toString();
      const from = outside(content, turn === 'on' ? Math.min(last, content.length) : at % (content.length + 1));
      const to = outside(content, Math.min(content.length, from + count));
      if (turn === 'insert' || turn === 'on') text.insert(from, typed);
      else if (turn === 'delete') text.delete(from, to - from);
      else if (turn === 'back') {
        const before = outside(content, Math.max(0, Math.min(last, content.length) - 2));
        text.delete(before, Math.max(0, outside(content, Math.min(last, content.length)) - before));
      } else if (turn === 'undo') text.undo();
      else text.redo();
      last = turn === 'back' ? Math.max(0, last - 2) : turn === 'delete' ? from : from + typed.length;
      if (pauses) text.checkpoint();
    }
  }

  it('[TX2] completely gives the text without them, and completely again the text with them', async () => {
    const room = await newRoom();
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(edits, fc.string({ unit: 'grapheme', maxLength: 12 }), async (plan, base) => {
        const [one, two] = [await join(room), await join(room)];
        // Typed from the end, so that the elements lie the other way round than those of words.
        for (const unit of [...base].reverse()) two.text('t').insert(0, unit);
        await agree(one, two);
        const text = undoableText(one, 't');
        make(text, plan);
        redoAll(text);
        const whole = text.toString();
        const behind: string[] = [];
        for (let before = whole; text.undo(); before = text.toString()) behind.push(before);
        expect(text.toString()).toBe(base);
        expect(await agree(one, two)).toBe(base);
        for (const state of behind.toReversed()) {
          expect([text.redo(), text.toString()]).toEqual([true, state]);
          steps++;
        }
        expect([text.redo(), text.toString()]).toEqual([false, whole]);
        expect(await agree(one, two)).toBe(whole);
      }),
      { numRuns: 60 },
    );
    expect(steps).toBeGreaterThan(300);
  });

  it('[TX2] completely leaves all that others have typed meanwhile, and the rest as it was', async () => {
    const room = await newRoom();
    const typed = fc.array(fc.nat(), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(edits, typed), { minLength: 1, maxLength: 4 }), async (rounds) => {
        const [one, two] = [await join(room), await join(room)];
        two.text('t').insert(0, BASE);
        await agree(one, two);
        const text = undoableText(one, 't');
        let marks = 0;
        for (const [plan, places] of rounds) {
          make(text, plan);
          const theirs = two.text('t');
          for (const at of places) {
            theirs.insert(outside(theirs.toString(), at % (theirs.length + 1)), String.fromCharCode(0xe000 + marks++));
          }
          await agree(one, two);
        }
        redoAll(text);
        const whole = text.toString();
        undoAll(text);
        const left = await agree(one, two);
        expect(left.replace(MARK, '')).toBe(BASE);
        expect(new Set(left.match(MARK)).size).toBe(marks);
        expect(left).toHaveLength(BASE.length + marks);
        redoAll(text);
        expect(await agree(one, two)).toBe(whole);
      }),
      { numRuns: 20 },
    );
  });

  it('[TX2] by several at once converges', async () => {
    const room = await newRoom();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(edits, edits, edits), { minLength: 1, maxLength: 4 }), async (rounds) => {
        const replicas = await Promise.all([join(room), join(room), join(room)]);
        const texts = replicas.map((replica) => undoableText(replica, 't'));
        for (const plans of rounds) {
          for (const [i, plan] of plans.entries()) make(texts[i]!, plan);
          await agree(...replicas);
        }
        for (const text of texts) {
          undoAll(text);
          await agree(...replicas);
        }
        for (const text of texts) {
          redoAll(text);
          await agree(...replicas);
        }
      }),
      { numRuns: 20 },
    );
  });
});

/** What others type in these tests, each character once. */
const MARK = /[\ue000-\uf8ff]/g;
const BASE = 'some😀text';

/** Ops of an author who keeps to no rule of texts, on the text of one node that both hold, by offsets in that. */
async function receiveRaw(
  one: Replica,
  two: Replica,
  edits: readonly (
    | { readonly kind: 'text-delete'; readonly last: number; readonly count: number }
    | { readonly kind: 'text-insert'; readonly at: number; readonly text: string }
  )[],
): Promise<void> {
  const keys = generateKeys();
  const node = fromHex(one.why('t', { in: 'text', at: 0 })?.node ?? '');
  const ops = edits.map((edit): Op =>
    edit.kind === 'text-delete'
      ? { kind: edit.kind, key: 't', last: { node, offset: edit.last }, count: edit.count }
      : { kind: edit.kind, key: 't', anchor: { ref: { node, offset: edit.at }, side: 'left' }, text: edit.text },
  );
  const parents = one.frontier.map((id) => fromHex(id));
  const fields = { room: fromHex(one.room), author: fromHex(keys.publicKey), parents, ops };
  const nodes = [{ ...fields, id: nodeId(fields), counter: 0 }];
  const { table } = openPack(encodePack({ nodes, seals: [] }));
  const signature = await defaultCrypto.signer(fromHex(keys.seed)).sign(sealMessage(table, 0));
  const pack = encodePack({ nodes, seals: [{ index: 0, signature }] });
  for (const replica of [one, two]) expect((await replica.receive(pack)).refused).toEqual([]);
}

/** The next position that is not between the halves of a pair. */
function outside(text: string, position: number): number {
  const [before, after] = [text.charCodeAt(position - 1), text.charCodeAt(position)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? position + 1 : position;
}
