import { describe, expect, it } from 'vitest';
import { Random } from '../../crdt/sequence/testing/random.js';
import { createReplica, generateKeys } from '../../peer.js';
import { ManualClock } from '../../testing/manual-clock.js';
import { exchange, join, newRoom, textOf } from '../../testing/replicas.js';
import type { Replica } from '../replica/replica.js';
import type { UndoEvent } from './undo.js';
import { createUndo } from './undo.js';

/** Seeds of random edits; the long suite tries more. */
const SCHEDULES = Array.from({ length: process.env['TESTS_LONG'] ? 15 : 6 }, (_, seed) => seed);
const clock = new ManualClock(1);
const keys = ['t', 'l', 'a', 'b'];

async function three(): Promise<[Replica, Replica, Replica]> {
  const room = await newRoom();
  const one = createReplica({ genesis: room.genesis.pack, keys: generateKeys(), clock });
  return Promise.all([one, join(room), join(room)]);
}

const stateOf = (replica: Replica): unknown => [
  textOf(replica),
  replica.list('l').toArray(),
  replica.get('a'),
  replica.get('b'),
];

function edit(replica: Replica, random: Random, content: () => string): void {
  const [text, list] = [replica.text('t'), replica.list('l')];
  const kind = random.below(6);
  if (kind === 0) replica.set(random.pick(['a', 'b']), content());
  else if (kind === 1) text.insert(random.below(text.length + 1), content());
  else if (kind === 2 && text.length > 2) text.delete(random.below(text.length - 2), 1 + random.below(2));
  else if (kind === 3) list.insert(random.below(list.length + 1), content());
  else if (kind === 4 && list.length > 0) list.delete(random.below(list.length));
  else if (kind === 5 && list.length > 1) list.move(random.below(list.length), random.below(list.length));
}

describe('undo over several keys', () => {
  it.each(SCHEDULES)(
    '[UN1] undone and redone completely, what nobody else edits is what it was, schedule %s',
    async (seed) => {
      const random = new Random(seed);
      const [one] = await three();
      one.text('t').insert(0, 'what was there');
      one.list('l').push('x', 'y', 'z');
      const undo = createUndo(one, { keys, mergeMs: 100 });
      const states = [stateOf(one)];
      for (let i = 0; i < 30; i++) {
        one.batch(() => edit(one, random, () => `<${i}>`));
        clock.advance(random.pick([10, 200]));
        if (random.chance(20)) undo.stop();
      }
      const last = stateOf(one);
      for (let round = 0; round < 3; round++) {
        while (undo.undo());
        expect(stateOf(one)).toEqual(states[0]);
        while (undo.redo());
        expect(stateOf(one)).toEqual(last);
      }
      expect(undo.canUndo).toBe(true);
    },
  );

  it.each(SCHEDULES)('[UN1] never takes away what others wrote, and all agree, schedule %s', async (seed) => {
    const random = new Random(100 + seed);
    const [one, two, other] = await three();
    const undo = createUndo(one, { keys: ['t'], mergeMs: 0 });
    let next = 0x4e00;
    const theirs: string[] = [];
    for (let i = 0; i < 40; i++) {
      clock.advance(1);
      const turn = random.below(5);
      if (turn === 0) undo.undo();
      else if (turn === 1) undo.redo();
      else if (turn === 2) one.text('t').insert(random.below(textOf(one).length + 1), 'mine');
      else {
        const by = random.pick([two, other]);
        const unit = String.fromCharCode(next++);
        theirs.push(unit);
        by.text('t').insert(random.below(textOf(by).length + 1), unit);
      }
      if (random.chance(40)) await exchange(one, two, other);
    }
    await exchange(one, two, other);
    while (undo.undo());
    await exchange(one, two, other);
    expect([...textOf(one)].sort()).toEqual(theirs.toSorted());
    expect(new Set([one, two, other].map(({ stateHash }) => stateHash)).size).toBe(1);
  });

  it('[UN1] turns back all that one batch has changed, and gives back what it deleted of others', async () => {
    const [one, two] = await three();
    two.text('t').insert(0, 'theirs');
    two.list('l').push(1, 2, 3);
    two.set('a', 'theirs');
    await exchange(one, two);
    const undo = createUndo(one, { keys });
    const before = stateOf(one);
    one.batch(() => {
      one.text('t').delete(0, 5);
      one.list('l').move(0, 2);
      one.list('l').delete(0);
      one.set('a', 'mine');
      one.set('b', 'mine');
    });
    expect(stateOf(one)).toEqual(['s', [3, 1], 'mine', 'mine']);
    expect(undo.undo()).toBe(true);
    expect(stateOf(one)).toEqual(before);
    expect([undo.canUndo, undo.redo()]).toEqual([false, true]);
    expect(stateOf(one)).toEqual(['s', [3, 1], 'mine', 'mine']);
  });

  it('[UN1] gives a register back what somebody has written between two edits of one step', async () => {
    const [one, two] = await three();
    const undo = createUndo(one, { keys, mergeMs: 100 });
    one.set('a', 'mine');
    await exchange(one, two);
    two.set('a', 'theirs');
    await exchange(one, two);
    one.set('a', 'mine again');
    expect(undo.undo()).toBe(true);
    expect(one.get('a')).toBe('theirs');
    expect(undo.undo()).toBe(false);
    undo.redo();
    expect(one.get('a')).toBe('mine again');
  });

  it('[UN1] leaves a register that somebody has written since, and an item that somebody has moved', async () => {
    const [one, two] = await three();
    one.list('l').push('x', 'y', 'z');
    const undo = createUndo(one, { keys, mergeMs: 0 });
    one.set('a', 'mine');
    one.set('b', 'mine');
    clock.advance(1);
    one.list('l').move(0, 2);
    await exchange(one, two);
    two.set('a', 'theirs');
    two.list('l').move(2, 1);
    await exchange(one, two);
    while (undo.undo());
    expect(stateOf(one)).toEqual(['', ['y', 'x', 'z'], 'theirs', undefined]);
  });

  it('[UN1] joins what follows soon, of the same keys and the origins that it was told', async () => {
    const [one] = await three();
    const origin = { editor: 1 };
    const undo = createUndo(one, { keys: ['t', 'a'], origins: [origin], mergeMs: 500 });
    const type = (text: string): void => one.transact(() => one.text('t').insert(textOf(one).length, text), origin);
    type('ab');
    clock.advance(499);
    type('cd');
    one.text('t').insert(0, '>'); // of no origin
    clock.advance(500);
    type('ef');
    undo.stop();
    type('gh');
    one.transact(() => one.set('a', 1), origin);
    const seen = [];
    while (undo.undo()) seen.push([textOf(one), one.get('a')]);
    expect(seen).toEqual([
      ['>abcdefgh', undefined],
      ['>abcdef', undefined],
      ['>abcd', undefined],
      ['>', undefined],
    ]);
    type('!');
    expect(undo.canRedo).toBe(false);
    undo.close();
    type('?');
    expect([undo.undo(), textOf(one)]).toEqual([false, '>!?']);
  });

  it('[UN1] carries what a listener notes in a step to where it is undone and redone', async () => {
    const [one] = await three();
    const undo = createUndo(one, { keys: ['t'] });
    const popped: UndoEvent[] = [];
    undo.onAdded(({ meta }) => void (meta.has('caret') || meta.set('caret', one.text('t').anchorAt(0))));
    undo.onPopped((event) => popped.push(event));
    one.text('t').insert(0, 'abc');
    undo.undo();
    undo.redo();
    expect(popped.map(({ kind, meta }) => [kind, meta.get('caret')])).toEqual([
      ['undo', '<'],
      ['redo', '<'],
    ]);
  });

  it('[UN1] forgets its steps when nodes were refused: elements have other names then', async () => {
    const [one] = await three();
    const undo = createUndo(one, { keys: ['t'] });
    one.text('t').insert(0, 'refused');
    const [id] = one.frontier;
    await one.seal();
    one.confirm(undefined, [{ id: id!, reason: 'policy-denied' }]);
    expect([textOf(one), undo.undo(), undo.redo()]).toEqual(['', false, false]);
    one.text('t').insert(0, 'kept');
    expect([undo.undo(), textOf(one)]).toEqual([true, '']);
  });
});
