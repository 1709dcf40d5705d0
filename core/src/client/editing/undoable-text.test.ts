import { describe, expect, it } from 'vitest';
import { decodePack } from '../../codec/packs/plain-pack.js';
import { agree, pair, redoAll, sealed, undoAll } from '../../testing/replicas.js';
import type { Replica } from '../replica/replica.js';
import { undoableText } from './undoable-text.js';

async function nodesOf(replica: Replica): Promise<number> {
  const pack = await sealed(replica);
  return pack ? decodePack(pack).nodes.length : 0;
}

describe('undo of a text', () => {
  it('[TX2] takes back insertions and deletions, and does them again', async () => {
    const { text, one, two } = await pair('base');
    text.insert(4, ' one');
    text.checkpoint();
    text.insert(0, 'two ');
    text.delete(2, 4);
    const states = ['base', 'base one', 'two base one', 'twse one'];
    for (let round = 0; round < 3; round++) {
      for (const state of states.slice(0, 3).reverse()) {
        expect([text.undo(), text.toString(), text.length]).toEqual([true, state, state.length]);
        expect(await agree(one, two)).toBe(state);
      }
      expect([text.undo(), text.toString()]).toEqual([false, 'base']);
      for (const state of states.slice(1)) {
        expect([text.redo(), text.toString(), text.length]).toEqual([true, state, state.length]);
        expect(await agree(one, two)).toBe(state);
      }
      expect([text.redo(), text.toString()]).toEqual([false, 'twse one']);
    }
  });

  it('[TX2] has nothing to undo at first, nor what other editors of the text wrote', async () => {
    const { text, one } = await pair('base');
    one.text('t').insert(0, 'x');
    undoableText(one, 't').insert(0, 'y');
    expect([text.undo(), text.redo(), text.toString()]).toEqual([false, false, 'yxbase']);
    text.insert(0, '');
    text.delete(1, 0);
    expect([text.undo(), text.redo(), text.toString()]).toEqual([false, false, 'yxbase']);
    expect(await nodesOf(one)).toBe(2);
  });

  it('[TX2] one of many edits is one node', async () => {
    const { text, one, two } = await pair('0123456789');
    for (const at of [8, 6, 4, 2]) two.text('t').insert(at, '-');
    await agree(one, two);
    text.delete(1, 12);
    for (const [i, unit] of [...'typed'].entries()) text.insert(1 + i, unit);
    await nodesOf(one);
    for (const turn of [() => text.undo(), () => text.undo(), () => text.redo(), () => text.redo()]) {
      turn();
      expect(await nodesOf(one)).toBe(1);
    }
    expect(text.toString()).toBe('0typed9');
  });

  it('[TX2] inserts together what stood together, whoever had written it', async () => {
    const { text, one } = await pair('abcd');
    text.insert(2, 'xy');
    text.delete(1, 4);
    text.undo();
    const pack = await one.seal();
    expect(text.toString()).toBe('abxycd');
    expect(
      decodePack(pack ?? new Uint8Array())
        .nodes.at(-1)
        ?.ops.map((op) => [op.kind, 'text' in op && op.text]),
    ).toEqual([['text-insert', 'bxyc']]);
  });

  it.each([
    [-1, 1],
    [1.5, 1],
    [0, 5],
    [0, Number.POSITIVE_INFINITY],
    [1, Number.NaN],
    [1, -1],
  ])('[TX1] refuses %d and %d, and nothing changes', async (position, count) => {
    const { text, one } = await pair('abcd');
    text.insert(4, 'e');
    text.delete(4, 1);
    await nodesOf(one);
    expect(() => text.delete(position, count)).toThrow(RangeError);
    expect(() => text.insert(position === 0 ? 5 : position - 9, 'x')).toThrow(RangeError);
    expect([text.toString(), await nodesOf(one), text.undo(), text.toString()]).toEqual(['abcd', 0, true, 'abcde']);
  });

  it('[TX2] one of what is gone already writes nothing, and is a step', async () => {
    const { text, one, two } = await pair('base');
    text.insert(2, 'gone');
    await agree(one, two);
    two.text('t').delete(0, 8);
    await agree(one, two);
    expect([text.undo(), text.undo(), await nodesOf(one)]).toEqual([true, false, 0]);
    expect([text.redo(), text.redo(), await nodesOf(one), text.toString()]).toEqual([true, false, 0, '']);
  });

  it('[TX2] is over what was undone when something else is edited', async () => {
    const { text } = await pair('base');
    for (const edit of [() => text.insert(0, 'x'), () => text.delete(0, 1)]) {
      text.checkpoint();
      text.insert(0, 'undone');
      text.undo();
      edit();
      expect([text.redo(), text.toString().includes('undone')]).toEqual([false, false]);
    }
    // What changes nothing leaves it.
    text.insert(0, 'again');
    text.undo();
    text.insert(1, '');
    text.delete(1, 0);
    expect(() => text.delete(0, 99)).toThrow(RangeError);
    expect([text.redo(), text.toString()]).toEqual([true, 'againbase']);
  });

  it('[TX2] also takes what was deleted of an insertion and came back', async () => {
    const { text, one, two } = await pair('[]');
    text.insert(1, 'hello');
    text.delete(2, 3);
    text.undo();
    text.redo();
    text.undo();
    expect(text.toString()).toBe('[hello]');
    text.undo();
    expect(text.toString()).toBe('[]');
    expect([redoAll(text), text.toString()]).toEqual([2, '[ho]']);
    expect([undoAll(text), text.toString()]).toEqual([2, '[]']);
    expect(await agree(one, two)).toBe('[]');
  });

  it('[TX2] puts back in the order that there was, in whatever order it was deleted', async () => {
    for (const order of [
      [1, 1, 1],
      [2, 1, 1],
      [3, 2, 1],
      [1, 2, 1],
      [3, 1, 1],
    ]) {
      const { text, one, two } = await pair('abcde');
      for (const at of order) {
        text.delete(at, 1);
        text.checkpoint();
      }
      expect(text.toString()).toBe('ae');
      expect([undoAll(text), text.toString()]).toEqual([3, 'abcde']);
      expect([redoAll(text), text.toString()]).toEqual([3, 'ae']);
      expect([undoAll(text), await agree(one, two)]).toEqual([3, 'abcde']);
    }
  });
});

describe('steps of undo', () => {
  it('[TX2] typing on is one step, until a checkpoint or another place', async () => {
    const { text } = await pair('()');
    for (const [i, unit] of [...'abc'].entries()) text.insert(1 + i, unit);
    text.checkpoint();
    for (const [i, unit] of [...'def'].entries()) text.insert(4 + i, unit);
    text.insert(1, 'x');
    text.insert(8, 'y');
    expect(text.toString()).toBe('(xabcdefy)');
    const seen: string[] = [];
    while (text.undo()) seen.push(text.toString());
    expect(seen).toEqual(['(xabcdef)', '(abcdef)', '(abc)', '()']);
  });

  it('[TX2] typing at the same place backwards is a step for each', async () => {
    const { text } = await pair('()');
    for (const unit of 'cba') text.insert(1, unit);
    expect([text.undo(), text.toString()]).toEqual([true, '(bc)']);
  });

  it.each([
    ['backwards', [4, 3, 2]],
    ['forwards', [2, 2, 2]],
    ['both ways', [3, 2, 2]],
    ['both ways again', [3, 3, 2]],
  ])('[TX2] deleting on %s is one step', async (_, positions) => {
    const { text } = await pair('abcdefg');
    for (const at of positions) text.delete(at, 1);
    expect(text.toString()).toBe('abfg');
    expect([text.undo(), text.toString(), text.undo()]).toEqual([true, 'abcdefg', false]);
    expect([text.redo(), text.toString()]).toEqual([true, 'abfg']);
  });

  it('[TX2] deleting elsewhere, around, or after a checkpoint is another', async () => {
    const { text } = await pair('abcdefgh');
    text.delete(4, 1);
    text.delete(2, 1);
    text.delete(1, 2);
    text.checkpoint();
    text.delete(1, 1);
    expect(text.toString()).toBe('agh');
    const seen: string[] = [];
    while (text.undo()) seen.push(text.toString());
    expect(seen).toEqual(['afgh', 'abdfgh', 'abcdfgh', 'abcdefgh']);
  });

  it('[TX2] typing and deleting are steps of their own, and so is what comes after undo or redo', async () => {
    const { text } = await pair('');
    text.insert(0, 'abc');
    text.delete(2, 1);
    text.insert(2, 'd');
    expect([text.undo(), text.toString(), text.undo(), text.toString()]).toEqual([true, 'ab', true, 'abc']);
    text.insert(3, 'e');
    expect([text.undo(), text.toString()]).toEqual([true, 'abc']);
    text.redo();
    text.insert(4, 'f');
    expect([text.undo(), text.toString()]).toEqual([true, 'abce']);
  });

  it('[TX2] goes on wherever others have moved it', async () => {
    const { text, one, two } = await pair('(xyz)');
    text.insert(1, 'ab');
    two.text('t').insert(0, '>>');
    await agree(one, two);
    text.insert(5, 'c');
    expect([text.toString(), text.undo(), text.toString()]).toEqual(['>>(abcxyz)', true, '>>(xyz)']);
    text.delete(4, 1);
    two.text('t').delete(0, 2);
    await agree(one, two);
    text.delete(1, 1);
    text.delete(1, 1);
    expect([text.toString(), text.undo(), text.toString()]).toEqual(['()', true, '(xyz)']);
  });

  it('[TX2] does not go on where others have typed between', async () => {
    const { text, one, two } = await pair('(xyz)');
    text.insert(1, 'ab');
    two.text('t').insert(1, '-');
    await agree(one, two);
    two.text('t').insert(two.text('t').toString().indexOf('b') + 1, '!');
    await agree(one, two);
    text.insert(text.toString().indexOf('!') + 1, 'c');
    expect([text.undo(), text.toString().replace('-', '')]).toEqual([true, '(ab!xyz)']);
    text.delete(text.toString().indexOf('y'), 1);
    two.text('t').insert(two.text('t').toString().indexOf('y'), '?');
    two.text('t').insert(two.text('t').toString().indexOf('y') + 1, '?');
    expect((await agree(one, two)).replace('-', '')).toBe('(ab!x??z)');
    text.delete(text.toString().indexOf('x'), 1);
    expect([text.undo(), text.toString().replace('-', '')]).toEqual([true, '(ab!x??z)']);
    text.delete(text.toString().indexOf('z'), 1);
    expect([text.undo(), text.toString().replace('-', '')]).toEqual([true, '(ab!x??z)']);
    expect([text.undo(), text.toString().replace('-', '')]).toEqual([true, '(ab!x?y?z)']);
  });

  it.each([
    ['forwards', [2, 2]],
    ['backwards', [3, 2]],
  ])('[TX2] deleting on beside what was deleted %s, with something typed into it', async (_, positions) => {
    for (const [at, steps] of [
      [1, ['(wx?yz)']],
      [3, ['(wx?yz)']],
      [2, ['(w?z)', '(wx?yz)']],
    ] as const) {
      const { text, one, two } = await pair('(wxyz)');
      for (const position of positions) text.delete(position, 1);
      two.text('t').insert(3, '?');
      expect(await agree(one, two)).toBe('(w?z)');
      text.delete(at, 1);
      const seen: string[] = [];
      while (text.undo()) seen.push(text.toString());
      expect(seen).toEqual(steps);
    }
  });

  it('[TX2] keeps 1,000', async () => {
    const { text } = await pair('');
    for (let i = 0; i < 1003; i++) {
      text.insert(0, 'x');
      text.checkpoint();
    }
    expect([undoAll(text), text.toString()]).toEqual([1000, 'xxx']);
    expect([redoAll(text), text.length]).toEqual([1000, 1003]);
  });

  it("[TX2] may be part of a caller's batch", async () => {
    const { text, one, two } = await pair('base');
    one.batch(() => {
      text.insert(4, ' more');
      text.delete(0, 2);
      text.undo();
      text.undo();
      text.redo();
    });
    expect(text.toString()).toBe('base more');
    expect(await agree(one, two)).toBe('base more');
    expect([undoAll(text), text.toString()]).toEqual([1, 'base']);
  });
});
