/** Lines of the drawn screen, made of pieces. No text of anybody reaches the terminal by another way. */
import { columnsOf, cut, fitted, plain } from '../output/columns.js';
import type { Style, Terminal } from '../syntax/define.js';

export interface Canvas extends Pick<Terminal, 'paint'> {
  readonly columns: number;
  readonly rows: number;
  /** Now, in milliseconds since 1970: ages are counted from it. */
  readonly now: number;
  /** Name of the studio, such as its address. */
  readonly studio: string;
}

/** Piece of a line: text of anybody, and how it is painted. */
export interface Piece {
  readonly text: string;
  readonly columns?: number;
  readonly style?: Style | undefined;
}

/** Pieces beside each other, made harmless, cut at the edge, and then painted. */
export function line(pieces: readonly Piece[], { columns, paint }: Pick<Canvas, 'columns' | 'paint'>): string {
  let left = columns;
  let made = '';
  for (const { text, columns: wanted, style } of pieces) {
    const safe = plain(text);
    const shown = cut(wanted === undefined ? safe : fitted(safe, wanted), left);
    left -= columnsOf(shown);
    made += style ? paint(style, shown) : shown;
  }
  return made;
}
