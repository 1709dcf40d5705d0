/** What observers are told of marks, and what an undo makes of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextDelta } from '../../crdt/delta.js';
import { agree, exchange, join, newRoom } from '../../testing/replicas.js';
import type { Replica } from '../replica/replica.js';
import { richText } from './rich-text.js';
import { createUndo } from '../editing/undo.js';

const spans = (replica: Replica) => richText(replica, 't').spans();

type Chars = (readonly [char: string, marks: Record<string, unknown>])[];
const charsOf = (replica: Replica): Chars =>
  spans(replica).flatMap(({ text, marks }) => text.split('').map((char) => [char, marks] as const));

/** A text that follows what observers are told, as an editor does. */
class Follower {
  chars: Chars;

  constructor(replica: Replica) {
    this.chars = charsOf(replica);
    replica.observe('t', ({ changes }) => {
      for (const change of changes) if (change.kind === 'text') this.#apply(change.delta);
    });
  }

  #apply(delta: TextDelta): void {
    let at = 0;
    for (const step of delta) {
      if ('delete' in step) this.chars.splice(at, step.delete);
      else if ('insert' in step) {
        const added = step.insert.split('').map((char) => [char, step.attributes ?? {}] as const);
        this.chars.splice(at, 0, ...added);
        at += added.length;
      } else
        for (let left = step.retain; left > 0; left--, at++) {
          const [char, marks] = this.chars[at]!;
          const now = { ...marks, ...step.attributes };
          this.chars[at] = [char, Object.fromEntries(Object.entries(now).filter(([, value]) => value !== null))];
        }
    }
  }
}

interface Plan {
  readonly who: number;
  readonly what: number;
  readonly at: number;
  readonly count: number;
  readonly value: number;
}

const plans = fc.array(
  fc.record({ who: fc.nat(1), what: fc.nat(7), at: fc.nat(30), count: fc.nat(6), value: fc.nat(2) }),
  { minLength: 5, maxLength: 40 },
);

const EXPAND = ['after', 'none', 'both'] as const;

function edit(replica: Replica, { what, at, count, value }: Plan): void {
  const text = replica.text('t');
  const from = Math.min(at, text.length);
  const many = Math.min(count, text.length - from);
  if (what < 2) text.insert(from, 'abcdef'.slice(0, count + 1));
  else if (what < 4) text.delete(from, many);
  else {
    const name = what % 2 === 0 ? 'bold' : 'link';
    const expand = EXPAND[value]!;
    if (value === 0) richText(replica, 't').unmark(from, many, name, { expand });
    else richText(replica, 't').mark(from, many, name, value, { expand });
  }
}

describe('deltas with marks', () => {
  it('[MK4] make of what an editor shows what the text is, for edits of several people and undo of one', async () => {
    const room = await newRoom();
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const [one, two] = await Promise.all([join(room), join(room)]);
        richText(one, 't').mark(0, 0, 'bold');
        const followers = [one, two].map((replica) => (richText(replica, 't'), new Follower(replica)));
        const undo = createUndo(one, { keys: ['t'], mergeMs: 0 });
        for (const step of plan) {
          if (step.what === 7 && step.who === 0) undo.undo();
          else if (step.what === 7) await exchange(one, two);
          else edit(step.who === 0 ? one : two, step);
        }
        await agree(one, two);
        for (const [i, replica] of [one, two].entries()) expect(followers[i]!.chars).toEqual(charsOf(replica));
        expect(charsOf(one)).toEqual(charsOf(two));
      }),
      { numRuns: 15 },
    );
  });

  it('[MK4] name the marks of what was typed, and what was marked and taken away', async () => {
    const one = await join(await newRoom());
    one.text('t').insert(0, 'The fox jumped.');
    const text = richText(one, 't');
    const deltas: TextDelta[] = [];
    one.observe('t', ({ changes }) =>
      deltas.push(...changes.flatMap((each) => ('delta' in each ? [each.delta as TextDelta] : []))),
    );
    text.mark(4, 3, 'bold');
    one.text('t').insert(7, 'es');
    text.unmark(4, 1, 'bold');
    expect(deltas).toEqual([
      [{ retain: 4 }, { retain: 3, attributes: { bold: true } }],
      [{ retain: 7 }, { insert: 'es', attributes: { bold: true } }],
      [{ retain: 4 }, { retain: 1, attributes: { bold: null } }],
    ]);
  });
});

describe('undo of marks', () => {
  it('[MK5] undone and redone, everything is marked as it was', async () => {
    const room = await newRoom();
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const one = await join(room);
        richText(one, 't');
        const undo = createUndo(one, { keys: ['t'], mergeMs: 0 });
        const states = [charsOf(one)];
        for (const step of plan) {
          const before = charsOf(one);
          edit(one, step);
          if (JSON.stringify(charsOf(one)) !== JSON.stringify(before)) states.push(charsOf(one));
        }
        const after = charsOf(one);
        while (undo.undo()) continue;
        expect(charsOf(one)).toEqual([]);
        while (undo.redo()) continue;
        expect(charsOf(one)).toEqual(after);
      }),
      { numRuns: 15 },
    );
  });

  it('[MK5] undone and redone, what was typed and marked in one step is marked as it was', async () => {
    const room = await newRoom();
    const step = fc.array(
      plans.map((plan) => plan.slice(0, 4)),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(step, async (steps) => {
        const one = await join(room);
        richText(one, 't');
        const undo = createUndo(one, { keys: ['t'], mergeMs: 0 });
        const states = [charsOf(one)];
        for (const edits of steps) {
          one.transact(() => edits.forEach((each) => edit(one, each)));
          states.push(charsOf(one));
        }
        while (undo.undo()) continue;
        expect(charsOf(one)).toEqual([]);
        while (undo.redo()) continue;
        expect(charsOf(one)).toEqual(states.at(-1));
      }),
      { numRuns: 30 },
    );
  });

  it('[MK5] takes back the mark and not the word that somebody has typed into it, nor the mark of somebody else', async () => {
    const room = await newRoom();
    const [one, two] = await Promise.all([join(room), join(room)]);
    one.text('t').insert(0, 'The fox jumped.');
    await agree(one, two);
    const text = richText(one, 't');
    const undo = createUndo(one, { keys: ['t'] });
    text.mark(4, 3, 'colour', 'red');
    await agree(one, two);
    two.text('t').insert(5, '-');
    richText(two, 't').mark(6, 2, 'colour', 'blue');
    await agree(one, two);
    undo.undo();
    expect(spans(one)).toEqual([
      { text: 'The f-', marks: {} },
      { text: 'ox', marks: { colour: 'blue' } },
      { text: ' jumped.', marks: {} },
    ]);
    undo.redo();
    await agree(one, two);
    expect(spans(two).map(({ text: part }) => part)).toEqual(['The ', 'f-', 'ox', ' jumped.']);
  });

  it('[MK5] brings back what was deleted with its marks, those too that somebody gave it meanwhile', async () => {
    const room = await newRoom();
    const [one, two] = await Promise.all([join(room), join(room)]);
    one.text('t').insert(0, 'The fox jumped.');
    richText(one, 't').mark(4, 3, 'bold');
    await agree(one, two);
    const undo = createUndo(one, { keys: ['t'] });
    one.text('t').delete(3, 4);
    richText(two, 't').mark(0, 7, 'italic');
    await agree(one, two);
    undo.undo();
    await agree(one, two);
    expect(spans(two)).toEqual([
      { text: 'The ', marks: { italic: true } },
      { text: 'fox', marks: { bold: true, italic: true } },
      { text: ' jumped.', marks: {} },
    ]);
  });
});
