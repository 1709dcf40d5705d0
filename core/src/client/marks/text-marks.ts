/** What becomes of the marks of one text while it is edited here: what observers are told, and what an undo does. [MK3] [MK4] */
import { equalBytes } from '../../codec/bytes/bytes.js';
import { markContent } from '../../codec/nodes/mark-content.js';
import type { Step, TextDelta } from '../../crdt/delta.js';
import type { ElementNumber } from '../../crdt/elements.js';
import {
  type MarkRun,
  type Marking,
  namedValues,
  piecesOf,
  runsOf,
  valuesBetween,
  visiblePositions,
} from '../../crdt/mark-runs.js';
import { type Mark, type MarkEnd, type Marks, NIL_VALUE, type WrittenMark, valueOf } from '../../crdt/marks.js';
import { type Moved, type Run, RunIndex, append } from '../../crdt/runs.js';
import type { Sequence } from '../../crdt/sequence/sequence.js';
import type { HeldMarks, MarkKeeper, MarkStep } from '../../crdt/mark-keeper.js';
import type { Text } from '../../crdt/text.js';
import type { Authorship } from '../editing/authorship.js';
import { ElementOrder } from './element-order.js';
import { FollowedRuns } from './followed-runs.js';

/** A mark to be written on visible characters. */
interface Wanted {
  readonly name: string;
  readonly value: Uint8Array | undefined;
  readonly from: number;
  to: number;
  readonly isBehind: boolean;
}

export class TextMarks implements MarkKeeper {
  readonly #number: number;
  readonly #text: Text;
  readonly #author: Authorship;
  /** What observers know. */
  readonly #told: FollowedRuns;

  constructor(number: number, text: Text, author: Authorship) {
    this.#number = number;
    this.#text = text;
    this.#author = author;
    this.#told = new FollowedRuns(text);
  }

  refresh(): void {
    this.#told.refresh();
  }

  #runs(all?: Iterable<Mark>): MarkRun[] {
    const { marks, sequence } = this.#text;
    return marks ? runsOf(marks, visiblePositions(sequence), all) : [];
  }

  /** Last of the deleted elements at a position that a range begins or ends behind. */
  behind(position: number): ElementNumber | undefined {
    const { marks, sequence } = this.#text;
    const found: ElementNumber[] = [];
    for (const { from, to } of marks?.all() ?? [])
      for (const { element, isBehind } of [from, to])
        if (
          element &&
          isBehind &&
          sequence.isDeleted(element.chain, element.counter) &&
          sequence.positionOf(element.chain, element.counter) === position
        )
          found.push(element);
    if (found.length < 2) return found[0];
    const order = new ElementOrder(sequence);
    return found.reduce((last, one) => (order.of(one) > order.of(last) ? one : last));
  }

  marked(delta: TextDelta, written?: { has(key: number): boolean }): TextDelta {
    const before = this.#told.runs;
    const isFollowed = written?.has(this.#number) === false && this.#told.follow(delta);
    if (!isFollowed) this.#told.refresh();
    const now = this.#told.runs;
    if (before.length === 0 && now.length === 0) return delta;
    const steps: Step<string>[] = [];
    let [from, to] = [0, 0];
    const { length } = this.#text;
    const kept = delta.reduce((sum, step) => sum + lengthAfter(step), 0);
    for (const step of [...delta, { retain: length - kept }]) {
      if ('insert' in step) {
        for (const piece of piecesOf(now, to, to + step.insert.length)) {
          const insert = step.insert.slice(piece.from - to, piece.to - to);
          add(steps, { insert, attributes: namedValues(piece.marks) });
        }
      } else if ('delete' in step) {
        steps.push(step);
        from += step.delete;
      } else {
        if (isFollowed) add(steps, step);
        else
          for (const { count, attributes } of changesOf(before, from, now, to, step.retain))
            add(steps, { retain: count, attributes });
        from += step.retain;
      }
      to += lengthAfter(step);
    }
    const last = steps.at(-1);
    if (last && 'retain' in last && !last.attributes) steps.pop();
    return steps;
  }

  /** What marks of one batch have changed, as they stand now. */
  stepsOf(written: readonly WrittenMark[]): MarkStep[] {
    const { marks, sequence } = this.#text;
    if (!marks) return [];
    const runs = this.#runs(marksBefore(marks, written));
    const position = visiblePositions(sequence);
    return [...new Set(written.map(({ mark }) => mark))]
      .filter((mark) => marks.shows(mark))
      .map((mark) => {
        const end = position(mark.to, false);
        const pieces = valuesBetween(runs, mark.name, position(mark.from, true), end);
        const before = pieces.map(({ from, value }, index) => ({
          runs: elementsBetween(sequence, from, pieces[index + 1]?.from ?? end),
          value,
        }));
        return { mark, after: valueOf(marks.graph, mark), before };
      });
  }

  /** Writes what was there before, where what this author has said stands. */
  invert(steps: readonly MarkStep[]): void {
    const { marks } = this.#text;
    if (!marks) return;
    const position = visiblePositions(this.#text.sequence);
    const now = this.#runs();
    for (const { mark, after, before } of steps.toReversed()) {
      const { name } = mark;
      const [from, to] = [position(mark.from, true), position(mark.to, false)];
      // Where an end was deleted and brought back, the range holds what was never in it.
      const isHeld = [mark.from, mark.to].every((end) => this.#isHeld(end));
      const isWhole = isHeld && piecesOf(now, from, to).every(({ marks: said }) => said.get(name)?.mark === mark);
      if (from < to && isWhole && before.length === 1) {
        this.#write(mark.from, mark.to, name, before[0]!.value);
        continue;
      }
      const wanted: Wanted[] = [];
      const want = (value: Uint8Array | undefined, start: number, end: number): void =>
        join(wanted, { name, value, from: start, to: end, isBehind: mark.to.isBehind });
      // What somebody has typed into the range since is as what it was typed behind.
      const starts = before.map(({ runs }, index) => (index === 0 ? from : this.#positionOf(runs[0]!)));
      for (const [index, { value }] of before.entries())
        for (const piece of isHeld ? piecesOf(now, starts[index]!, starts[index + 1] ?? to) : [])
          if (piece.marks.get(name)?.mark === mark) want(value, piece.from, piece.to);
      // What was brought back stands beside the range.
      for (const { runs, value } of before)
        for (const { from: start, to: end } of this.#visible(runs))
          for (const piece of piecesOf(now, start, end)) {
            const said = piece.marks.get(name);
            if (!(isHeld && said?.mark === mark) && this.#isOwn(said, after)) want(value, piece.from, piece.to);
          }
      for (const one of wanted) this.#writeOn(one);
    }
  }

  /** Whether this author has said it last, or nobody has said anything and so it was. */
  #isOwn(
    said: { readonly mark: Mark; readonly value: Uint8Array | undefined } | undefined,
    value?: Uint8Array,
  ): boolean {
    if (!said) return value === undefined;
    return isEqual(said.value, value) && this.#isByMe(said.mark);
  }

  #isHeld({ element }: MarkEnd): boolean {
    return !element || !this.#text.sequence.isDeleted(element.chain, element.counter);
  }

  /** Visible positions of elements, ascending. */
  #visible(runs: readonly Run[]): { readonly from: number; readonly to: number }[] {
    const { sequence } = this.#text;
    const pieces: Run[] = [];
    for (const { chain, counter: first, count: all } of runs)
      sequence.forEachPiece(chain, first, first + all, (counter, count, deleted) => {
        if (!deleted) pieces.push({ chain, counter, count });
      });
    const found = pieces.map((piece) => ({ from: this.#positionOf(piece), to: this.#positionOf(piece) + piece.count }));
    return found.sort((a, b) => a.from - b.from);
  }

  /** Marks that deleted elements have, or had before some were written, to be given to those that stand for them. */
  heldBy(runs: readonly Run[], written: readonly WrittenMark[] = []): HeldMarks[] {
    this.#author.flush();
    const { marks, sequence } = this.#text;
    if (!marks || runs.length === 0) return [];
    const order = new ElementOrder(sequence);
    const all = runsOf(marks, order.position, marksBefore(marks, written));
    return runs.flatMap((run) =>
      order.piecesOf(run).flatMap(({ chain, counter, count, at }) =>
        piecesOf(all, at, at + count).map((piece) => ({
          chain,
          counter: counter + piece.from - at,
          count: piece.to - piece.from,
          marks: piece.marks,
        })),
      ),
    );
  }

  give(held: readonly HeldMarks[], present: readonly HeldMarks[], moved: readonly Moved[]): void {
    const now = this.#runs();
    const wanted: Wanted[] = [];
    const [since, shown] = [new RunIndex(present), new RunIndex(moved)];
    for (const before of held)
      for (const { held: later, common } of since.within(before))
        for (const { held: part, common: run } of shown.within(common)) {
          const at = this.#positionOf({ chain: part.to.chain, counter: part.to.counter + run.counter - part.counter });
          this.#differences(this.#withOthers(before.marks, later.marks), now, at, at + run.count, wanted);
        }
    for (const one of wanted) this.#writeOn(one);
  }

  #withOthers(before: Marking, since: Marking): Marking {
    const marks = new Map(before);
    for (const [name, said] of since) if (!this.#isByMe(said.mark)) marks.set(name, said);
    return marks;
  }

  #isByMe({ node }: Mark): boolean {
    return this.#text.marks!.graph.table.identity.get(node) === this.#author.identity;
  }

  #differences(marks: Marking, now: readonly MarkRun[], from: number, to: number, wanted: Wanted[]): void {
    for (const piece of piecesOf(now, from, to))
      for (const name of new Set([...marks.keys(), ...piece.marks.keys()])) {
        const said = marks.get(name);
        if (isEqual(said?.value, piece.marks.get(name)?.value)) continue;
        const isBehind = said?.mark.to.isBehind ?? false;
        join(wanted, { name, value: said?.value, from: piece.from, to: piece.to, isBehind });
      }
  }

  #writeOn({ name, value, from, to, isBehind }: Wanted): void {
    const start = { element: this.#elementAt(from), isBehind: false };
    const isEnd = !isBehind && to === this.#text.length;
    const element = isEnd ? undefined : this.#elementAt(isBehind ? to - 1 : to);
    this.#write(start, { element, isBehind }, name, value);
  }

  #write(from: MarkEnd, to: MarkEnd, name: string, value = NIL_VALUE): void {
    this.#author.mark(this.#number, from, to, markContent(name, value));
  }

  #elementAt(position: number): ElementNumber {
    const { sequence } = this.#text;
    sequence.elementAt(position);
    return { chain: sequence.foundChain, counter: sequence.foundCounter };
  }

  #positionOf({ chain, counter }: ElementNumber): number {
    return this.#text.sequence.positionOf(chain, counter);
  }
}

/** What all ranges said before some writes. */
function marksBefore(marks: Marks, written: readonly WrittenMark[]): Iterable<Mark> {
  if (written.length === 0) return marks.all();
  const own = new Set(written.map(({ mark }) => mark));
  const all = [...marks.all()].filter((mark) => !own.has(mark));
  for (const { beaten } of written) if (beaten && !own.has(beaten)) all.push(beaten);
  return all;
}

/** Adds a mark, as part of one that ends where it begins and says the same. */
function join(wanted: Wanted[], one: Wanted): void {
  const last = wanted.find(({ name, value, to }) => name === one.name && to === one.from && isEqual(value, one.value));
  if (last) last.to = one.to;
  else wanted.push(one);
}

/** Visible elements from one position to another. */
function elementsBetween(sequence: Sequence, from: number, to: number): Run[] {
  const runs: Run[] = [];
  let at = 0;
  sequence.forEachSpan((chain, counter, count, deleted) => {
    if (deleted) return;
    const [start, end] = [Math.max(from, at), Math.min(to, at + count)];
    if (start < end) append(runs, { chain, counter: counter + start - at, count: end - start });
    at += count;
  });
  return runs;
}

/** What became of the marks of characters that stayed; attributes that are null were taken away. */
function* changesOf(
  before: readonly MarkRun[],
  from: number,
  now: readonly MarkRun[],
  to: number,
  count: number,
): Generator<{ readonly count: number; readonly attributes: Record<string, unknown> }> {
  for (const piece of piecesOf(now, to, to + count)) {
    const shift = from - to;
    for (const old of piecesOf(before, piece.from + shift, piece.to + shift)) {
      const [was, is] = [namedValues(old.marks), namedValues(piece.marks)];
      const attributes: Record<string, unknown> = {};
      for (const name of new Set([...Object.keys(was), ...Object.keys(is)]))
        if (!isEqual(old.marks.get(name)?.value, piece.marks.get(name)?.value))
          Object.defineProperty(attributes, name, { value: is[name] ?? null, enumerable: true });
      yield { count: old.to - old.from, attributes };
    }
  }
}

function lengthAfter(step: Step<string>): number {
  return 'insert' in step ? step.insert.length : 'retain' in step ? step.retain : 0;
}

/** Adds a step, as part of the last one where both say the same. */
function add(steps: Step<string>[], step: Exclude<Step<string>, { readonly delete: number }>): void {
  const { attributes = {} } = step;
  const said = Object.keys(attributes).length === 0 ? undefined : attributes;
  const last = steps.at(-1);
  const isAlike = last && !('delete' in last) && JSON.stringify(last.attributes) === JSON.stringify(said);
  const named = said && { attributes: said };
  if ('retain' in step) {
    if (step.retain === 0) return;
    if (isAlike && 'retain' in last) steps[steps.length - 1] = { retain: last.retain + step.retain, ...named };
    else steps.push({ retain: step.retain, ...named });
  } else if (isAlike && 'insert' in last) steps[steps.length - 1] = { insert: last.insert + step.insert, ...named };
  else steps.push({ insert: step.insert, ...named });
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && equalBytes(a, b));
}
