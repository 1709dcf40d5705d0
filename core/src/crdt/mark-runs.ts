/** Runs of marks: what the marks of a text say of its characters, worked out for all of them at once. [MK2] */
import { equalBytes } from '../codec/bytes/bytes.js';
import { decodeValue } from '../codec/bytes/msgpack.js';
import { type Mark, type MarkEnd, type Marks, valueOf } from './marks.js';
import type { Sequence } from './sequence/sequence.js';

/** What is said of characters by name, with the write that says so; no value where that took the mark away. */
export type Marking = ReadonlyMap<string, Saying>;

interface Saying {
  readonly mark: Mark;
  readonly value: Uint8Array | undefined;
}

/** Consecutive characters that are marked alike; unmarked ones are in no run. */
export interface MarkRun {
  readonly from: number;
  readonly to: number;
  readonly marks: Marking;
}

/** Position of an end of a range, among whatever characters are counted. */
export type PositionOf = (end: MarkEnd, isStart: boolean) => number;

/** [MK6] Most that all runs of a text say together: a few thousand ranges could say as much as memory holds. */
const MOST_SAID = 1_000_000;
/** Number of ranges that cannot say so much, however they lie. */
const FEW = Math.floor(Math.sqrt(MOST_SAID / 2));

/** Where a mark is; it may hold nothing. */
export interface Range {
  readonly mark: Mark;
  readonly from: number;
  readonly to: number;
}

export function rangesOf(position: PositionOf, all: Iterable<Mark>): Range[] {
  return Array.from(all, (mark) => ({ mark, from: position(mark.from, true), to: position(mark.to, false) }));
}

/** Runs in order, of `all` of the marks or of some; those that touch a part of the text, when only that is asked for. */
export function runsOf(
  marks: Marks,
  position: PositionOf,
  all: Iterable<Mark> = marks.all(),
  start = 0,
  end = Infinity,
): MarkRun[] {
  const ranges = rangesOf(position, all);
  if (saysTooMuch(ranges)) return [];
  return runsOfRanges(
    marks,
    ranges.filter(({ from, to }) => from < end && to > start),
  );
}

/** What ranges say. */
export function runsOfRanges(marks: Marks, all: readonly Range[]): MarkRun[] {
  const ranges = all.filter(({ from, to }) => from < to);
  ranges.sort((a, b) => marks.compare(b.mark, a.mark));
  const cuts = [...new Set(ranges.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const numberOf = new Map(cuts.map((at, number) => [at, number]));
  const runs = cuts.slice(1).map((to, number) => ({ from: cuts[number]!, to, marks: new Map<string, Saying>() }));
  /** By name, for runs of which a greater write has said something: one behind, up to which that is so. */
  const saidUpTo = new Map<string, Map<number, number>>();
  for (const { mark, from, to } of ranges) {
    const said = saidUpTo.get(mark.name) ?? new Map<number, number>();
    saidUpTo.set(mark.name, said);
    const saying = { mark, value: valueOf(marks.graph, mark) };
    const last = numberOf.get(to)!;
    for (let run = firstUnsaid(said, numberOf.get(from)!); run < last; run = firstUnsaid(said, run)) {
      runs[run]!.marks.set(mark.name, saying);
      said.set(run, run + 1);
    }
  }
  return runs.filter((run) => run.marks.size > 0);
}

/** [MK6] Whether a text with these ranges is shown without marks. */
export function saysTooMuch(all: readonly Range[]): boolean {
  if (all.length <= FEW) return false;
  const ranges = all.filter(({ from, to }) => from < to);
  const steps = ranges.flatMap(({ mark: { name }, from, to }) => [
    { at: from, name, by: 1 },
    { at: to, name, by: -1 },
  ]);
  steps.sort((a, b) => a.at - b.at);
  const over = new Map<string, number>();
  let [said, names] = [0, 0];
  for (const [index, { at, name, by }] of steps.entries()) {
    const before = over.get(name) ?? 0;
    over.set(name, before + by);
    names += Number(before + by > 0) - Number(before > 0);
    if (steps[index + 1]?.at !== at) said += names;
  }
  return said > MOST_SAID;
}

/** First run from one on of which nothing was said; the way there is made short for the next who goes it. */
function firstUnsaid(said: Map<number, number>, run: number): number {
  let first = run;
  for (let next = said.get(first); next !== undefined; next = said.get(first)) first = next;
  for (let at = run; at < first;) {
    const next = said.get(at)!;
    said.set(at, first);
    at = next;
  }
  return first;
}

/** Runs that touch and say the same as one, whoever has said it; those that say nothing are left out. */
function joinedRuns(runs: readonly MarkRun[]): MarkRun[] {
  const joined: MarkRun[] = [];
  for (const run of runs) {
    if (saysAll(NOTHING, run.marks)) continue;
    const last = joined.at(-1);
    if (last?.to === run.from && isSame(last.marks, run.marks)) joined[joined.length - 1] = { ...last, to: run.to };
    else joined.push(run);
  }
  return joined;
}

function isSame(a: Marking, b: Marking): boolean {
  return saysAll(a, b) && saysAll(b, a);
}

/** Whether one says all that the other says. */
function saysAll(one: Marking, other: Marking): boolean {
  for (const [name, { value }] of other) {
    const said = one.get(name)?.value;
    if (value ? !said || !equalBytes(value, said) : said) return false;
  }
  return true;
}

/** What is said under one name of all characters from one position to another. */
export function valuesBetween(
  runs: readonly MarkRun[],
  name: string,
  from: number,
  to: number,
): { readonly from: number; readonly value: Uint8Array | undefined }[] {
  const found: { readonly from: number; readonly value: Uint8Array | undefined }[] = [];
  for (const piece of piecesOf(runs, from, to)) {
    const value = piece.marks.get(name)?.value;
    const last = found.at(-1);
    const isAlike = last && (last.value === value || (last.value && value && equalBytes(last.value, value)));
    if (!isAlike) found.push({ from: piece.from, value });
  }
  return found;
}

/** Positions among visible characters. */
export function visiblePositions(sequence: Sequence): PositionOf {
  return ({ element, isBehind }, isStart) => {
    if (!element) return isStart ? 0 : sequence.length;
    const position = sequence.positionOf(element.chain, element.counter);
    return isBehind && !sequence.isDeleted(element.chain, element.counter) ? position + 1 : position;
  };
}

/** Part of a text whose characters are marked alike. */
export interface Span {
  readonly text: string;
  /** Values of marks by name. */
  readonly marks: Readonly<Record<string, unknown>>;
}

interface MarkedText {
  readonly length: number;
  readonly marks: Marks | undefined;
  readonly sequence: Sequence;
}

/** Visible characters of a text in order, as few runs as can be, those without marks too. */
export function runsIn(text: MarkedText, start = 0, end = text.length): MarkRun[] {
  const { marks, sequence } = text;
  const runs = marks ? joinedRuns(runsOf(marks, visiblePositions(sequence), marks.all(), start, end)) : [];
  return piecesOf(runs, start, end);
}

/** A text as spans, in order, or a part of it; nothing of an empty text. */
export function spansOf(text: MarkedText, start = 0, end = text.length): Span[] {
  const all = String(text);
  return runsIn(text, start, end).map(({ from, to, marks }) => ({
    text: all.slice(from, to),
    marks: namedValues(marks),
  }));
}

/** All characters from one position to another as runs, those without marks too. */
export function piecesOf(runs: readonly MarkRun[], from: number, to: number): MarkRun[] {
  const pieces: MarkRun[] = [];
  let at = from;
  for (let i = firstBehind(runs, from); i < runs.length && runs[i]!.from < to; i++) {
    const run = runs[i]!;
    if (run.from > at) pieces.push({ from: at, to: run.from, marks: NOTHING });
    const start = Math.max(at, run.from);
    at = Math.min(to, run.to);
    pieces.push({ from: start, to: at, marks: run.marks });
  }
  if (at < to) pieces.push({ from: at, to, marks: NOTHING });
  return pieces;
}

const NOTHING: Marking = new Map();

/** The first run that ends behind a position. */
export function firstBehind(runs: readonly MarkRun[], position: number): number {
  let low = 0;
  for (let high = runs.length; low < high;) {
    const middle = (low + high) >>> 1;
    if (runs[middle]!.to <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Own properties, whatever the names. */
export function namedValues(marks: Marking): Record<string, unknown> {
  const names = [...marks.keys()].sort();
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = marks.get(name)?.value;
      return value ? [[name, decodeValue(value)] as const] : [];
    }),
  );
}
