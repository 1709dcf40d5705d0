/**
 * Lines of a marked text: the text as a document has it, one line for each of its blocks, kept in step by deltas.
 *
 * A line begins with a line break, whose mark `block` says what kind of block it is; the first line of a text may do without.
 * A line that nothing has touched stays the same object.
 */
import type { TextDelta } from '@weft/core/client';
import type { Span } from '@weft/core/bindings';

/** Mark of a line break: which block begins with it. */
export const BLOCK = 'block';
/** Mark of a line break that is a character of its block, as in code. */
export const NEWLINE = 'newline';
/** Mark of the character that stands for an image, a mention, or what else is no text. */
export const OBJECT = 'object';
export const OBJECT_CHARACTER = '\ufffc';

export type Marking = Span['marks'];

export interface Line {
  /** Marks of its line break; undefined of a first line without one. */
  readonly lead: Marking | undefined;
  readonly spans: readonly Span[];
  /** Code units behind the line break. */
  readonly length: number;
}

/** Code units of a line, its line break among them. */
export const unitsOf = ({ lead, length }: Line): number => length + (lead ? 1 : 0);

export function linesOf(spans: readonly Span[]): Line[] {
  const writer = new LineWriter();
  for (const { text, marks } of spans) writer.add(text, marks);
  return writer.end();
}

/** Lines after a delta. */
export function editedLines(lines: readonly Line[], delta: TextDelta): Line[] {
  const writer = new LineWriter();
  const reader = new LineReader(lines);
  for (const step of delta) {
    if ('insert' in step) writer.add(step.insert, given({}, step.attributes));
    else if ('delete' in step) reader.read(step.delete);
    else reader.read(step.retain, writer, step.attributes);
  }
  reader.read(Infinity, writer);
  return writer.end();
}

function given(marks: Marking, attributes: Marking | undefined): Marking {
  if (!attributes) return marks;
  return Object.fromEntries(Object.entries({ ...marks, ...attributes }).filter(([, value]) => value !== null));
}

class LineReader {
  readonly #lines: readonly Line[];
  #index = 0;
  /** Units of the present line that were read. */
  #at = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  /** Reads so many units, and tells them to a writer, marked otherwise. */
  read(count: number, writer?: LineWriter, attributes?: Marking): void {
    for (let left = count; left > 0;) {
      const line = this.#lines[this.#index];
      if (!line) return;
      const size = unitsOf(line);
      const taken = Math.min(left, size - this.#at);
      if (taken === size && !attributes) writer?.addLine(line);
      else if (writer)
        for (const { text, marks } of partOf(line, this.#at, this.#at + taken))
          writer.add(text, given(marks, attributes));
      left -= taken;
      this.#at += taken;
      if (this.#at < size) return;
      this.#index++;
      this.#at = 0;
    }
  }
}

/** Spans of units of a line, its line break being the first. */
function* partOf({ lead, spans }: Line, from: number, to: number): Generator<Span> {
  let at = 0;
  for (const { text, marks } of lead ? [{ text: '\n', marks: lead }, ...spans] : spans) {
    const [start, end] = [Math.max(from, at), Math.min(to, at + text.length)];
    if (start < end) yield { text: text.slice(start - at, end - at), marks };
    at += text.length;
  }
}

class LineWriter {
  readonly #lines: Line[] = [];
  #lead: Marking | undefined;
  #spans: Span[] = [];
  #length = 0;
  /** The present line as it was read, while nothing has come behind it. */
  #same: Line | undefined;

  add(text: string, marks: Marking): void {
    if (NEWLINE in marks) return this.#addPart(text, marks);
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.#addPart(text.slice(from, at), marks);
      this.#break(marks);
      from = at + 1;
    }
    this.#addPart(text.slice(from), marks);
  }

  /** A whole line, when the present one is over. */
  addLine(line: Line): void {
    if (line.lead) this.#break(line.lead);
    else if (this.#length > 0) return line.spans.forEach(({ text, marks }) => this.#addPart(text, marks));
    this.#spans = [...line.spans];
    this.#length = line.length;
    if (line.lead === this.#lead) this.#same = line;
  }

  end(): Line[] {
    this.#endLine();
    return this.#lines;
  }

  #addPart(text: string, marks: Marking): void {
    if (text === '') return;
    this.#same = undefined;
    this.#length += text.length;
    const last = this.#spans.at(-1);
    if (last && isSame(last.marks, marks)) this.#spans[this.#spans.length - 1] = { text: last.text + text, marks };
    else this.#spans.push({ text, marks });
  }

  #break(marks: Marking): void {
    const isFirst = this.#lines.length === 0 && !this.#lead && this.#length === 0;
    if (!isFirst || !(BLOCK in marks)) this.#endLine();
    this.#lead = marks;
  }

  #endLine(): void {
    this.#lines.push(this.#same ?? { lead: this.#lead, spans: this.#spans, length: this.#length });
    this.#same = undefined;
    this.#spans = [];
    this.#length = 0;
  }
}

/** Whether two values are the same, whatever the order of their fields. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key as never], b[key as never]))
  );
}
