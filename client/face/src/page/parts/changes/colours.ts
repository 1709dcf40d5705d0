/**
 * Colours of code: classes for parts of lines. The grammar of a language is loaded when a file of it is first shown, and parses
 * whole files in pieces, so that a long one keeps nothing waiting: until it is done, and without a grammar, code is plain.
 */
import { type Span, grammarFor } from './language.js';

/** Spans of each line of a text, from the first. */
export type LineColours = readonly (readonly Span[])[];

/** Characters beyond which a text stays plain. */
const MOST = 300_000;
const PIECE_MS = 6;
/** Characters whose colours are found between two looks at the clock. */
const CHARACTERS_AT_ONCE = 4_000;
/** Texts whose colours are kept. */
const MOST_KEPT = 40;

const kept = new Map<string, Promise<LineColours | undefined>>();

/** Colours of a text in the language that its path names; undefined for a language without a grammar, and for long texts. */
export function coloursOf(path: string, text: string): Promise<LineColours | undefined> {
  const language = grammarFor(path);
  if (language === undefined || text.length > MOST) return Promise.resolve(undefined);
  const key = `${language} ${text}`;
  const known = kept.get(key);
  if (known) return known;
  const made = paint(language, text).catch(() => undefined);
  kept.set(key, made);
  for (const old of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(old);
  }
  return made;
}

async function paint(language: string, text: string): Promise<LineColours | undefined> {
  const { parserOf, highlighted } = await import('./grammars.js');
  const parse = (await parserOf(language))?.startParse(text);
  if (!parse) return undefined;
  const pieces = new Pieces();
  let tree = parse.advance();
  for (; !tree; tree = parse.advance()) await pieces.next();
  const lines: Span[][] = [];
  for (const [from, to] of wholeLines(text, CHARACTERS_AT_ONCE)) {
    for (const line of perLine(text.slice(from, to), from, highlighted(tree, from, to))) lines.push(line);
    await pieces.next();
  }
  return lines;
}

/** Work in pieces: others go first as soon as one has lasted. */
class Pieces {
  #until = performance.now() + PIECE_MS;

  async next(): Promise<void> {
    if (performance.now() < this.#until) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#until = performance.now() + PIECE_MS;
  }
}

/** Parts of a text that end with a line, of about so many characters. */
export function* wholeLines(text: string, length: number): Iterable<readonly [from: number, to: number]> {
  for (let from = 0; from <= text.length;) {
    const to = endOf(text, Math.min(text.length, from + length));
    yield [from, to];
    from = to + 1;
  }
}

/** Spans of each line of a part that begins at `offset`. */
function perLine(part: string, offset: number, spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [];
  let [start, end] = [0, endOf(part, 0)];
  let current: Span[] = [];
  lines.push(current);
  const next = (): void => {
    start = end + 1;
    end = endOf(part, start);
    lines.push((current = []));
  };
  for (const [first, last, kind] of spans) {
    for (let at = first - offset; at < last - offset;) {
      while (at > end) next();
      const until = Math.min(last - offset, end);
      if (until > at) current.push([at - start, until - start, kind]);
      at = until + 1;
    }
  }
  while (end < part.length) next();
  return lines;
}

function endOf(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}
