import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePack } from '../../codec/packs/plain-pack.js';
import { generateKeys } from '../../peer.js';
import { LAST_CHARACTER, characterAt } from '../../codec/testing/characters.js';
import { exchange, join, newRoom, sealed, textOf } from '../../testing/replicas.js';
import type { Replica } from '../replica/replica.js';
import type { TextEditor } from './text-editor.js';

const character = fc.nat(LAST_CHARACTER).map(characterAt);

async function written(replica: Replica): Promise<number> {
  const pack = await sealed(replica);
  return pack ? decodePack(pack).nodes.length : 0;
}
async function editorOf(text = ''): Promise<{ replica: Replica; editor: TextEditor }> {
  const replica = await join(await newRoom());
  const editor = replica.text('t');
  editor.insert(0, text);
  await written(replica);
  return { replica, editor };
}

describe('editing a text', () => {
  it('[TX1] does what splicing a string does', async () => {
    const room = await newRoom();
    const edit = fc.record({ at: fc.nat(), count: fc.nat(6), text: fc.string({ unit: character, maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 40, size: 'max' }), async (edits) => {
        const replica = await join(room);
        const editor = replica.text('t');
        let model = '';
        for (const { at, count, text } of edits) {
          const position = outside(model, at % (model.length + 1));
          const end = outside(model, Math.min(model.length, position + count));
          editor.delete(position, end - position);
          editor.insert(position, text);
          model = model.slice(0, position) + text + model.slice(end);
          expect([editor.toString(), editor.length]).toEqual([model, model.length]);
        }
        expect(textOf(replica)).toBe(model);
        expect(textOf(replica, 'other')).toBe('');
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['before the start', -1, 0],
    ['behind the end', 5, 0],
    ['beyond the end', 3, 2],
    ['between positions', 1.5, 0],
    ['nowhere', Number.NaN, 0],
    ['for less than nothing', 3, -1],
    ['for a part', 0, 0.5],
    ['for ever', 0, Number.POSITIVE_INFINITY],
    ['within a character', 2, 0],
    ['from within a character', 2, 1],
    ['to within a character', 0, 2],
  ])('[TX1] is refused %s, and nothing changes', async (_, position, count) => {
    const { replica, editor } = await editorOf('a😀b');
    const before = replica.frontier;
    expect(() => editor.delete(position, count)).toThrow(RangeError);
    if (count === 0) expect(() => editor.insert(position, 'x')).toThrow(RangeError);
    expect([editor.toString(), editor.length, replica.frontier]).toEqual(['a😀b', 4, before]);
    expect(await replica.seal()).toBeUndefined();
    editor.insert(4, 'c');
    expect(editor.toString()).toBe('a😀bc');
  });

  it('[TX1] takes whole characters, wherever they came from', async () => {
    const { replica, editor } = await editorOf('😀');
    const other = await join(await newRoom());
    editor.insert(2, '𝄞');
    editor.insert(2, '-');
    editor.delete(0, 2);
    expect(editor.toString()).toBe('-𝄞');
    editor.delete(1, 2);
    expect([editor.toString(), await written(replica), await written(other)]).toEqual(['-', 4, 0]);
  });

  it.each([
    ['a byte order mark', '\ufeff'],
    ['a byte order mark before a text', '\ufeffabc'],
    ['a byte order mark before a pair', '\ufeff😀'],
    ['a byte order mark behind a text', 'a\ufeff'],
    ['a NUL', '\u0000é'],
  ])('[TX1] keeps every unit: %s', async (_, text) => {
    const room = await newRoom();
    const [replica, other] = [await join(room), await join(room)];
    replica.text('t').insert(0, text);
    await exchange(replica, other);
    expect([textOf(replica), textOf(other), replica.text('t').length]).toEqual([text, text, text.length]);
  });

  it('[ND7] writes nothing where there is nothing to write', async () => {
    const { replica, editor } = await editorOf('ab');
    editor.insert(1, '');
    editor.delete(1, 0);
    editor.delete(2, 0);
    expect([editor.toString(), await written(replica)]).toEqual(['ab', 0]);
  });

  it.each([
    ['a lone surrogate', 't', '\ud83d'],
    ['half of a pair behind a text', 't', 'abc\ud83d'],
    ['half of a pair before a text', 't', '\ude00abc'],
    ['a pair the wrong way round', 't', '\ude00\ud83d'],
    ['half of a pair far behind', 't', 'x'.repeat(600_000) + '\ud83d'],
    ['an empty key', '', 'a'],
    ['a key with a lone surrogate', 'k\ud83d', 'a'],
    ['a key beyond 4,096 bytes', 'é'.repeat(2049), 'a'],
  ])('[ND5] refuses %s, and nothing changes', async (_, key, text) => {
    const { replica } = await editorOf('ab');
    const before = replica.frontier;
    expect(() => replica.text(key).insert(0, text)).toThrow(expect.objectContaining({ reason: 'invalid-value' }));
    expect([textOf(replica), replica.frontier, await replica.seal()]).toEqual(['ab', before, undefined]);
    replica.text('t').insert(1, 'c');
    expect(textOf(replica)).toBe('acb');
  });

  it('[ND5] cuts a paste that no node takes into several, never within a character', async () => {
    const room = await newRoom();
    const replica = await join(room);
    // Characters of two units, one unit off, and of three bytes.
    const paste = `x${'😀'.repeat(400_000)}${'€'.repeat(300_000)}`;
    replica.text('t').insert(0, 'ac');
    replica.text('t').insert(1, paste);
    expect(textOf(replica) === `a${paste}c`).toBe(true);
    const pack = (await sealed(replica)) ?? new Uint8Array();
    const { nodes } = decodePack(pack);
    expect(nodes.length).toBeGreaterThan(3);
    expect((await room.admit(pack, { from: 'peer' })).refused).toEqual([]);
    expect(room.text('t') === `a${paste}c`).toBe(true);
    replica.text('t').delete(1, paste.length);
    expect(textOf(replica)).toBe('ac');
  });

  it('[ND5] takes the longest key there is, also for deletes of many pieces', async () => {
    const room = await newRoom();
    const key = 'k'.repeat(4096);
    const replicas = [await join(room), await join(room)] as const;
    for (let i = 0; i < 300; i++) {
      for (const replica of replicas) replica.text(key).insert(replica.text(key).length >> 1, '€');
      if (i % 50 === 0) await exchange(...replicas);
    }
    await exchange(...replicas);
    const [one, other] = replicas;
    one.text(key).delete(1, one.text(key).length - 2);
    await exchange(one, other);
    expect([textOf(one, key), textOf(other, key)]).toEqual(['€€', '€€']);
  });

  it('[SQ1] deletes over many pieces of many authors, and spares what it did not see', async () => {
    const room = await newRoom();
    const replicas = await Promise.all(Array.from({ length: 4 }, () => join(room)));
    const [first, second] = replicas as [Replica, Replica];
    for (let round = 0; round < 60; round++) {
      for (const [i, replica] of replicas.entries()) {
        replica.text('t').insert((round * 7 + i * 13) % (replica.text('t').length + 1), `${i}`);
      }
      await exchange(...replicas);
    }
    expect(new Set(replicas.map((replica) => textOf(replica))).size).toBe(1);
    expect(first.text('t').length).toBe(240);
    second.text('t').insert(100, 'kept');
    first.text('t').delete(10, 220);
    await exchange(...replicas);
    const text = textOf(first);
    expect(text).toHaveLength(24);
    expect(text.slice(10, 14)).toBe('kept');
    expect(replicas.map((replica) => textOf(replica))).toEqual(replicas.map(() => text));
  });
});

describe('editing a text together', () => {
  it('[SQ4] keeps words whole, typed on and typed backwards, and at the start of nothing', async () => {
    const room = await newRoom();
    for (const [base, at] of [
      ['', 0],
      ['()', 1],
    ] as const) {
      const replicas = await Promise.all(Array.from({ length: 3 }, () => join(room)));
      const [one, two, three] = replicas as [Replica, Replica, Replica];
      one.text('t').insert(0, base);
      await exchange(...replicas);
      for (const [i, unit] of [...'forwards'].entries()) one.text('t').insert(at + i, unit);
      for (const unit of [...'backwards'].reverse()) two.text('t').insert(at, unit);
      three.text('t').insert(at, 'atonce');
      await exchange(...replicas);
      const text = textOf(one);
      for (const word of ['forwards', 'backwards', 'atonce']) expect(text).toContain(word);
      expect(text).toHaveLength(base.length + 'forwardsbackwardsatonce'.length);
      expect([textOf(two), textOf(three)]).toEqual([text, text]);
    }
  });

  it('[SQ1] hides once what two delete, and keeps what a third typed into it', async () => {
    const room = await newRoom();
    const replicas = await Promise.all(Array.from({ length: 3 }, () => join(room)));
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    one.text('t').insert(0, 'abcdef');
    await exchange(...replicas);
    one.text('t').delete(1, 3);
    two.text('t').delete(2, 3);
    three.text('t').insert(3, 'X');
    await exchange(...replicas);
    expect(replicas.map((replica) => textOf(replica))).toEqual(['aXf', 'aXf', 'aXf']);
    three.text('t').insert(2, 'Y');
    one.text('t').delete(1, 1);
    await exchange(...replicas);
    expect(replicas.map((replica) => textOf(replica))).toEqual(['aYf', 'aYf', 'aYf']);
  });

  it('[SL1] of one author on two devices: both branches are kept, and go on', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [here, there, other] = [await join(room, keys), await join(room, keys), await join(room)];
    here.text('t').insert(0, 'shared ');
    await exchange(here, there, other);
    for (let round = 0; round < 5; round++) {
      here.text('t').insert(7, `here${round} `);
      there.text('t').insert(there.text('t').length, `there${round} `);
      there.text('t').delete(0, 1);
      other.text('t').insert(0, '*');
      await exchange(here, there, other);
      expect([textOf(there), textOf(other)]).toEqual([textOf(here), textOf(here)]);
    }
    for (const word of ['here0 ', 'here4 ', 'there0 ', 'there4 ']) expect(textOf(here)).toContain(word);
  });
});

/** The next position that is not between the halves of a pair. */
function outside(text: string, position: number): number {
  const [before, after] = [text.charCodeAt(position - 1), text.charCodeAt(position)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? position + 1 : position;
}
