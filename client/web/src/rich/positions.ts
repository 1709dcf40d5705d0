/** Positions in a text and in the document that shows it. */
import { type Row, offsetOf, unitsBefore } from './document-rows.js';
import { type Line, unitsOf } from './lines.js';

export class Positions {
  readonly #rows: readonly Row[];
  readonly #lineOf: readonly number[] | undefined;
  readonly #lines: readonly Line[];
  /** Where the text of each line begins, behind its line break. */
  readonly #starts: readonly number[];

  constructor(rows: readonly Row[], lineOf: readonly number[] | undefined, lines: readonly Line[]) {
    this.#rows = rows;
    this.#lineOf = lineOf;
    this.#lines = lines;
    let at = 0;
    this.#starts = lines.map((line) => (at += unitsOf(line)) - line.length);
  }

  toText(pos: number): number {
    for (let index = firstFrom(this.#rows.length, (at) => this.#rows[at]!.pos >= pos) - 1; index >= 0; index--) {
      const { node, pos: before, text } = this.#rows[index]!;
      const line = this.#lineOf ? this.#lineOf[index]! : index;
      if (line >= 0) return this.#starts[line]! + Math.min(text.units.length, unitsBefore(node, pos - before - 1));
    }
    return 0;
  }

  /** Between two lines it is the end of the first. */
  toDocument(place: number): number {
    const line = Math.max(0, firstFrom(this.#lines.length, (at) => this.#starts[at]! > place) - 1);
    const row = this.#rows[this.#lineOf ? this.#lineOf.indexOf(line) : line];
    if (!row) return 0;
    if (!row.node.isTextblock) return row.pos;
    return (
      row.pos + 1 + offsetOf(row.node, Math.min(this.#lines[line]!.length, Math.max(0, place - this.#starts[line]!)))
    );
  }
}

/** The first number for which something holds that holds for all behind it. */
export function firstFrom(count: number, holds: (at: number) => boolean): number {
  let low = 0;
  for (let high = count; low < high;) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
