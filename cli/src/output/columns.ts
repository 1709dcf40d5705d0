/**
 * Text of others on a drawn screen: nothing in it is obeyed by a terminal or reorders a line, and its width is counted in columns.
 * Where a terminal counts otherwise a line is cut too early or too late; the screen does not wrap, so no other line suffers.
 */
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Controls, invisible formats such as the marks that turn the direction of text, ends of lines, and halves of letters. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const NARROW = /^[\x20-\x7e]*$/;
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{sc=Han}|\p{sc=Hangul}|\p{sc=Hiragana}|\p{sc=Katakana}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])/u;
const MARK = /^\p{M}/u;

/** One line that a terminal only shows. Ends of lines and tabs become spaces. */
export function plain(text: string): string {
  return NARROW.test(text) ? text : text.replaceAll(/\r\n|[\t\r\n]/g, ' ').replaceAll(UNSHOWN, '\ufffd');
}

export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += columnsOfOne(segment);
  return columns;
}

/** The beginning that fits, ending in an ellipsis where something is left out. */
export function cut(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : columns < 1 ? '' : `${beginning(text, columns - 1)}…`;
}

/** Exactly so many columns: cut, or with spaces behind it. */
export function fitted(text: string, columns: number): string {
  const shown = cut(text, columns);
  return shown + ' '.repeat(Math.max(0, columns - columnsOf(shown)));
}

/** Lines of a text with its own ends of lines, none wider than that; words are broken where they must be. */
export function wrapped(text: string, columns: number): string[] {
  return text.split(/\r\n|[\r\n]/).flatMap((line) => folded(plain(line), Math.max(1, columns)));
}

function folded(line: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (columnsOf(rest) > columns) {
    const most = beginning(rest, columns) || firstOf(rest);
    const space = most.lastIndexOf(' ');
    // A word that goes on behind the line begins the next one.
    const taken = rest[most.length] !== ' ' && space > 0 ? most.slice(0, space) : most;
    lines.push(taken);
    rest = rest.slice(taken.length).replace(/^ /, '');
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, rest];
}

function beginning(text: string, columns: number): string {
  if (NARROW.test(text)) return text.slice(0, columns);
  let taken = '';
  let left = columns;
  for (const { segment } of graphemes.segment(text)) {
    left -= columnsOfOne(segment);
    if (left < 0) break;
    taken += segment;
  }
  return taken;
}

function firstOf(text: string): string {
  for (const { segment } of graphemes.segment(text)) return segment;
  return '';
}

function columnsOfOne(grapheme: string): number {
  return MARK.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1;
}
