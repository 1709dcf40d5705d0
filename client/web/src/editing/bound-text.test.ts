import type { Replica, TextDelta } from '@weft/core/client';
import { createUndo } from '@weft/core/bindings';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { World } from '../testing/pages.js';
import { BoundText, type EditorHands, SHARED, type ShownSelection } from './bound-text.js';
import { through } from './difference.js';

/** Editor that is a string, whose line breaks are all `\n`, as those of all editors are. */
class Pad implements EditorHands {
  shown: string;
  selected: ShownSelection = { anchor: 0, head: 0 };
  readonly bound: BoundText;

  constructor(replica: Replica, shown = replica.text('t').toString()) {
    this.shown = shown.replaceAll(/\r\n?/g, '\n');
    // However long a test takes, what is typed without moving the caret is one step.
    const undo = createUndo(replica, { keys: ['t'], origins: [SHARED], mergeMs: Number.POSITIVE_INFINITY });
    this.bound = new BoundText(this, replica, 't', { undo });
  }

  type(from: number, gone: number, typed: string): void {
    this.shown = this.shown.slice(0, from) + typed + this.shown.slice(from + gone);
    this.bound.write([{ from, gone, typed }]);
    this.selected = { anchor: from + typed.length, head: from + typed.length };
    this.bound.selected(false);
  }

  read(): string {
    return this.shown;
  }

  apply(delta: TextDelta): void {
    let at = 0;
    for (const step of delta) {
      if ('retain' in step) at += step.retain;
      else if ('delete' in step) this.shown = this.shown.slice(0, at) + this.shown.slice(at + step.delete);
      else {
        const typed = step.insert.replaceAll(/\r\n?/g, '\n');
        this.shown = this.shown.slice(0, at) + typed + this.shown.slice(at);
        at += typed.length;
      }
    }
    this.selected = { anchor: through(delta, this.selected.anchor), head: through(delta, this.selected.head) };
  }

  selection(): ShownSelection {
    return this.selected;
  }

  select(selection: ShownSelection): void {
    this.selected = selection;
  }

  draw(): void {}
}

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

const replicaWith = async (text: string): Promise<Replica> => {
  const page = world.open();
  await page.ready;
  page.edit(({ replica }) => replica.text('t').insert(0, text), 'others');
  return page.replica;
};
const lines = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

describe('a text that is bound to an editor', () => {
  it('is shown with one sign for each line break, and edited where the editor says', async () => {
    const replica = await replicaWith('one\r\ntwo\r\nthree');
    const pad = new Pad(replica);
    pad.type(4, 3, 'TWO');
    expect(replica.text('t').toString()).toBe('one\r\nTWO\r\nthree');
    pad.type(3, 1, ' ');
    expect(replica.text('t').toString()).toBe('one TWO\r\nthree');
    replica.transact(() => replica.text('t').insert(9, 'and\r\n'), 'others');
    expect(pad.shown).toBe('one TWO\nand\nthree');
    pad.bound.undo.undo();
    expect([replica.text('t').toString(), pad.shown]).toEqual(['one\r\ntwo\r\nand\r\nthree', 'one\ntwo\nand\nthree']);
  });

  it('shows what the text holds, whoever edits it and with which line breaks', async () => {
    const edit = fc.record({
      isTyped: fc.boolean(),
      at: fc.nat(100),
      gone: fc.nat(3),
      typed: fc.stringMatching(/^[ab\r\n]{0,4}$/),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[ab\r\n]{0,8}$/),
        fc.array(edit, { maxLength: 20 }),
        async (start, edits) => {
          // A room of its own, or each try would send all edits to the pages of all tries before it.
          await world.end();
          world = new World();
          const replica = await replicaWith(start);
          const [one, two] = [new Pad(replica), new Pad(replica, '')];
          await Promise.resolve();
          const text = replica.text('t');
          for (const { isTyped, at, gone, typed } of edits) {
            const length = isTyped ? one.shown.length : text.length;
            const from = at % (length + 1);
            const less = Math.min(gone, length - from);
            if (isTyped) one.type(from, less, lines(typed));
            else
              replica.transact(() => {
                text.delete(from, less);
                text.insert(from, typed);
              }, 'others');
            await Promise.resolve();
            expect([one.shown, two.shown]).toEqual([lines(text.toString()), lines(text.toString())]);
          }
        },
      ),
      { numRuns: process.env['TESTS_LONG'] ? 100 : 40 },
    );
  });

  it('has characters whole, of which an editor tells halves', async () => {
    const replica = await replicaWith('a😀b');
    const pad = new Pad(replica);
    const both = (): readonly string[] => [pad.shown, replica.text('t').toString()];
    pad.type(2, 1, '\ude01');
    expect(both()).toEqual(['a😁b', 'a😁b']);
    pad.type(0, 0, '\ud83d');
    expect(both()).toEqual(['\ud83da😁b', 'a😁b']); // the other half may follow
    pad.type(1, 0, '\ude02');
    expect(both()).toEqual(['😂a😁b', '😂a😁b']);
    pad.type(2, 0, '\ude02');
    pad.type(pad.shown.length, 0, '!');
    await Promise.resolve();
    expect(both()).toEqual(['😂\ufffda😁b!', '😂\ufffda😁b!']); // it did not
    pad.type(0, 0, '\ud83d');
    replica.transact(() => replica.text('t').insert(0, '> '), 'others');
    pad.type(pad.shown.length, 0, '!');
    expect(both()).toEqual(['> 😂\ufffda😁b!!', '> 😂\ufffda😁b!!']);
  });

  it('takes back what was typed as one step although others have moved the caret between', async () => {
    const replica = await replicaWith('(end');
    const pad = new Pad(replica);
    pad.selected = { anchor: 1, head: 1 };
    pad.type(1, 0, 'a');
    replica.transact(() => replica.text('t').insert(0, 'before '), 'others');
    pad.type(pad.selected.head, 0, 'b');
    expect(pad.shown).toBe('before (abend');
    pad.bound.undo.undo();
    expect(pad.shown).toBe('before (end');
    expect(pad.selected.head).toBe('before ('.length);
  });

  it('is the same in an editor that is typed into by a program that was just told of something', async () => {
    const replica = await replicaWith('');
    const [one, two] = [new Pad(replica), new Pad(replica)];
    replica.observe('go', () => {
      one.type(0, 0, 'one');
      two.type(0, 0, 'two ');
    });
    replica.set('go', 1);
    expect([one.shown, two.shown, replica.text('t').toString()]).toEqual(['two one', 'two one', 'two one']);
  });
});

describe('a position', () => {
  it('moves with what is before it, and stays before what is inserted at it', () => {
    const delta = [{ retain: 2 }, { insert: 'xyz' }, { retain: 4 }, { delete: 3 }, { insert: 'q' }];
    expect([0, 2, 3, 6, 7, 8, 9, 10].map((at) => through(delta, at))).toEqual([0, 2, 6, 9, 9, 9, 9, 11]);
  });
});
