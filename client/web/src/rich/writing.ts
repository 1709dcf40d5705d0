/**
 * What an edit of a document is as edits of a marked text: characters that go and come, then marks where they differ.
 *
 * Only what the edit has changed in the document is written: what the document does not show of the text, or shows
 * otherwise, stays as it is.
 */
import type { Node } from 'prosemirror-model';
import type { Expand, RichText, Span } from '@weft/core/bindings';
import { differenceOf } from '../editing/difference.js';
import { type Row, type Rows, unitsBefore } from './document-rows.js';
import type { Folded } from './folding.js';
import { BLOCK, type Line, type Marking, NEWLINE, OBJECT, isSame, unitsOf } from './lines.js';
import { firstFrom } from './positions.js';
import { type ChangedRange, rangeBetween } from './ranges.js';

/** An edit in units of the document's rows, each of which begins with a line break. */
interface Edit {
  readonly from: number;
  readonly gone: number;
  readonly typed: string;
}

/** Units that are marked alike. */
interface Piece {
  readonly units: string;
  readonly marks: Marking;
  readonly isBreak: boolean;
}

/** A mark that is to be written, in units of the document as it is now. */
interface Wish {
  readonly name: string;
  readonly value: unknown;
  readonly from: number;
  to: number;
}

/** The text that is written to. */
export interface WritableText {
  readonly text: { insert(position: number, text: string): void; delete(position: number, count: number): void };
  readonly rich: RichText;
  /** Where a position is by now: others may have edited what the document does not show yet. */
  moved(position: number): number;
}

/** Rows of two documents, without what they begin and end with alike. */
class Changed {
  readonly rows: readonly Row[];
  readonly units: string;
  /** Units before each row. */
  readonly starts: readonly number[];
  /** Whether the first of them is the first of the document. */
  readonly isFromBegin: boolean;

  constructor(rows: readonly Row[], isFromBegin: boolean) {
    this.rows = rows;
    this.isFromBegin = isFromBegin;
    const starts: number[] = [];
    const parts: string[] = [];
    let at = 0;
    for (const { text } of rows) {
      starts.push(at);
      parts.push('\n', text.units);
      at += 1 + text.units.length;
    }
    this.starts = starts;
    this.units = parts.join('');
  }

  /** Units before a position of the document. */
  unitAt(pos: number): number {
    const index = firstFrom(this.rows.length, (at) => this.rows[at]!.pos >= pos) - 1;
    const row = this.rows[index];
    if (!row) return 0;
    return this.starts[index]! + 1 + Math.min(row.text.units.length, unitsBefore(row.node, pos - row.pos - 1));
  }

  pieces(): Piece[] {
    return this.rows.flatMap(({ block, text }) => [
      { units: '\n', marks: block ? { [BLOCK]: block } : {}, isBreak: true },
      ...text.spans.map(({ text: units, marks }) => ({ units, marks, isBreak: false })),
    ]);
  }
}

/** How many rows are the very same at the begin and at the end, but for one on each side: what changes stands between rows. */
function alike(a: readonly Row[], b: readonly Row[]): { readonly first: number; readonly last: number } {
  const most = Math.min(a.length, b.length);
  const isSameRow = (one: Row, other: Row): boolean => one.node === other.node && one.block === other.block;
  let first = 0;
  while (first < most && isSameRow(a[first]!, b[first]!)) first++;
  let last = 0;
  while (last < most - first && isSameRow(a[a.length - 1 - last]!, b[b.length - 1 - last]!)) last++;
  return { first: Math.max(0, first - 1), last: Math.max(0, last - 1) };
}

/** Writes into the text what has become of a document that showed it. Part of a transaction of the replica. */
export function writeDocument(
  rows: Rows,
  shown: Folded,
  lines: readonly Line[],
  now: Node,
  ranges: readonly ChangedRange[],
  { text, rich, moved }: WritableText,
): void {
  const fillers = new Set<Node>();
  const lineOf: number[] = [];
  const old = rows.of(shown.doc).filter(({ node }, index) => {
    const line = shown.lineOf ? shown.lineOf[index]! : index;
    if (line < 0) fillers.add(node);
    else lineOf.push(line);
    return line >= 0;
  });
  const present = fillers.size === 0 ? rows.of(now) : rows.of(now).filter(({ node }) => !fillers.has(node));
  const { first, last } = alike(old, present);
  const before = new Changed(old.slice(first, old.length - last), first === 0);
  const after = new Changed(present.slice(first, present.length - last), first === 0);
  const edits = editsOf(before, after, shown.doc, now, ranges);
  const places = new Places(before, lines, lineOf.slice(first), edits, moved);
  for (const { from, gone, typed } of edits.toReversed()) {
    const start = moved(places.before(from));
    text.delete(start, Math.max(0, moved(places.before(from + gone)) - start));
    text.insert(start, wellFormed(typed));
  }
  const isImplicit = first === 0 && !lines[0]?.lead;
  const given = givenPieces(before, edits, (from, count) => {
    const at = places.after(from);
    return rich.length === 0 ? [] : rich.spans(at, Math.min(rich.length, at + count));
  });
  const isKnown = (name: string): boolean => rows.names.isKnown(name);
  let shift = 0;
  let failed: Error | undefined;
  const mark = (from: number, count: number, name: string, value: unknown): void => {
    try {
      rich.mark(from, count, name, value, { expand: expandOf(rows, name) });
    } catch (error) {
      failed ??= error as Error; // of a value that no mark can hold; the others are written all the same
    }
  };
  for (const { name, value, from, to } of wishesOf(after.pieces(), given, isKnown)) {
    // The first line needs no line break, unless something is said of it.
    if (from === 0 && name === BLOCK && isImplicit) {
      text.insert(0, '\n');
      mark(0, 1, BLOCK, value);
      shift = 1;
      continue;
    }
    const start = places.after(splitsPair(after.units, from) ? from - 1 : from) + shift;
    const end = places.after(splitsPair(after.units, to) ? to : to - 1) + 1 + shift;
    const said =
      first === 0 && from === 0 && name === BLOCK && value === null ? { type: rows.names.plain.name } : value;
    mark(start, end - start, name, said);
  }
  if (failed) throw failed;
}

function expandOf({ names }: Rows, name: string): Expand {
  if (name === BLOCK || name === OBJECT) return 'none';
  return names.markType(name)?.spec.inclusive === false ? 'none' : 'after';
}

function editsOf(a: Changed, b: Changed, docA: Node, docB: Node, ranges: readonly ChangedRange[]): Edit[] {
  for (const tried of [ranges, [rangeBetween(docA, docB)].filter((range) => range !== undefined)]) {
    const edits = editsIn(a, b, tried);
    if (edited(a.units, edits) === b.units) return edits;
  }
  return [behindFirst(a, trimmed({ from: 0, gone: a.units.length, typed: b.units }, a.units))];
}

function editsIn(a: Changed, b: Changed, ranges: readonly ChangedRange[]): Edit[] {
  const edits: Edit[] = [];
  for (const { fromA, toA, fromB, toB } of ranges) {
    const from = a.unitAt(fromA);
    const typed = b.units.slice(b.unitAt(fromB), b.unitAt(toB));
    const edit = wholePairs(behindFirst(a, trimmed({ from, gone: a.unitAt(toA) - from, typed }, a.units)), a.units);
    if (edit.gone > 0 || edit.typed !== '') edits.push(edit);
  }
  return edits;
}

/** Without what it would write as it was. */
function trimmed({ from, gone, typed }: Edit, units: string): Edit {
  const { start, gone: less, typed: rest } = differenceOf(units.slice(from, from + gone), typed);
  return { from: from + start, gone: less, typed: rest };
}

/** A text has whole characters only: where an edit has cut one, it writes the other half too. */
function wholePairs({ from, gone, typed }: Edit, units: string): Edit {
  const before = splitsPair(units, from) ? units.slice(from - 1, from) : '';
  const behind = splitsPair(units, from + gone) ? units.slice(from + gone, from + gone + 1) : '';
  return {
    from: from - before.length,
    gone: before.length + gone + behind.length,
    typed: before + typed + behind,
  };
}

function splitsPair(units: string, at: number): boolean {
  return (units.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** The line break that a document begins with stays the first: what comes before it comes behind it, and the break with it. */
function behindFirst(a: Changed, { from, gone, typed }: Edit): Edit {
  if (from > 0 || !a.isFromBegin) return { from, gone, typed };
  return trimmed({ from, gone: gone + 1, typed: typed + (a.units[gone] ?? '') }, a.units);
}

function edited(units: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { from, gone, typed } of edits) {
    if (from < at) return '';
    parts.push(units.slice(at, from), typed);
    at = from + gone;
  }
  return parts.join('') + units.slice(at);
}

/** Positions in the text, of units of the document as it was, and as it is. */
class Places {
  readonly #before: Changed;
  readonly #starts: readonly number[];
  readonly #lineOf: readonly number[];
  readonly #lines: readonly Line[];
  readonly #edits: readonly Edit[];
  readonly #moved: (position: number) => number;

  constructor(
    before: Changed,
    lines: readonly Line[],
    lineOf: readonly number[],
    edits: readonly Edit[],
    moved: (position: number) => number,
  ) {
    this.#before = before;
    this.#lines = lines;
    this.#lineOf = lineOf;
    this.#edits = edits;
    this.#moved = moved;
    let at = 0;
    this.#starts = lines.map((line) => (at += unitsOf(line)) - unitsOf(line));
  }

  before(unit: number): number {
    const { starts, rows } = this.#before;
    const index = firstFrom(starts.length, (at) => starts[at]! > unit) - 1;
    if (!rows[index]) return 0;
    const line = this.#lineOf[index]!;
    const inRow = unit - starts[index]!;
    return this.#starts[line]! + (this.#lines[line]!.lead ? inRow : Math.max(0, inRow - 1));
  }

  /** Where a unit of the present text stands after all edits. */
  after(unit: number): number {
    let [was, shift] = [unit, 0];
    for (const { from, gone, typed } of this.#edits) {
      if (was < from) break;
      const start = this.#moved(this.before(from));
      if (was < from + typed.length) return start + shift + was - from;
      was += gone - typed.length;
      shift += typed.length - Math.max(0, this.#moved(this.before(from + gone)) - start);
    }
    return this.#moved(this.before(was)) + shift;
  }
}

/** Pieces of the document as it is now, marked as they were, or as the text says of what was typed. */
function givenPieces(before: Changed, edits: readonly Edit[], read: (from: number, count: number) => Span[]): Piece[] {
  const pieces: Piece[] = [];
  const old = new PieceReader(before.pieces());
  let [at, shift] = [0, 0];
  for (const { from, gone, typed } of edits) {
    pieces.push(...old.take(from - at));
    old.take(gone);
    at = from + gone;
    if (typed !== '')
      for (const { text, marks } of read(from + shift, typed.length))
        pieces.push({ units: text, marks, isBreak: false });
    shift += typed.length - gone;
  }
  return [...pieces, ...old.take(Infinity)];
}

class PieceReader {
  readonly #pieces: readonly Piece[];
  #index = 0;
  #at = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** Units until the present piece ends. */
  get left(): number {
    return (this.#pieces[this.#index]?.units.length ?? Infinity) - this.#at;
  }

  get marks(): Marking {
    return this.#pieces[this.#index]?.marks ?? {};
  }

  take(count: number): Piece[] {
    const taken: Piece[] = [];
    for (let left = count; left > 0;) {
      const piece = this.#pieces[this.#index];
      if (!piece) break;
      const units = piece.units.slice(this.#at, this.#at + left);
      taken.push({ ...piece, units });
      left -= units.length;
      this.#at += units.length;
      if (this.#at < piece.units.length) break;
      this.#index++;
      this.#at = 0;
    }
    return taken;
  }
}

/** What must be marked for given pieces to be as they are wanted. A mark may cover what does not care for it. */
function wishesOf(wanted: readonly Piece[], given: readonly Piece[], isKnown: (name: string) => boolean): Wish[] {
  const wishes: Wish[] = [];
  /** The last wish of each name, while nothing behind it wants otherwise. */
  const open = new Map<string, Wish>();
  const reader = new PieceReader(given);
  let at = 0;
  for (const { units, marks: want, isBreak } of wanted)
    for (let left = units.length; left > 0;) {
      const { marks: have } = reader;
      const count = Math.min(left, reader.left);
      const wished = new Set<string>();
      for (const name of new Set([...Object.keys(want), ...Object.keys(have)])) {
        if (!isKnown(name) || !cares(name, isBreak, units) || isSame(want[name], have[name])) continue;
        const value = want[name] ?? null;
        const last = open.get(name);
        wished.add(name);
        if (last && isSame(last.value, value) && name !== BLOCK) last.to = at + count;
        else {
          const wish = { name, value, from: at, to: at + count };
          wishes.push(wish);
          open.set(name, wish);
        }
      }
      for (const name of open.keys()) if (!wished.has(name) && cares(name, isBreak, units)) open.delete(name);
      reader.take(count);
      at += count;
      left -= count;
    }
  return wishes;
}

function cares(name: string, isBreak: boolean, units: string): boolean {
  if (name === BLOCK) return isBreak;
  if (name === NEWLINE) return isBreak || units.startsWith('\n');
  return !isBreak;
}

/** Halves of a pair that stand alone are nothing that a text can hold. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
