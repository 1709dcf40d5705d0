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
  let until = performance.now() + PIECE_MS;
  for (;;) {
    const tree = parse.advance();
    if (tree) return perLine(text, highlighted(tree));
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    until = performance.now() + PIECE_MS;
  }
}

function perLine(text: string, spans: Iterable<Span>): LineColours {
  const lines: Span[][] = [];
  let [start, end] = [0, endOf(text, 0)];
  let current: Span[] = [];
  lines.push(current);
  for (const [from, to, kind] of spans) {
    for (let at = from; at < to;) {
      while (at > end) {
        start = end + 1;
        end = endOf(text, start);
        lines.push((current = []));
      }
      const until = Math.min(to, end);
      if (until > at) current.push([at - start, until - start, kind]);
      at = until + 1;
    }
  }
  return lines;
}

function endOf(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}
