/**
 * Line breaks of a text as editors show them: each is one `\n`, also where the text has `\r\n`, so positions differ. Texts
 * without a carriage return, nearly all, are shown as they are and cost nothing.
 */
import type { TextDelta } from '@weft/core/client';
import { deltaBetween } from './difference.js';

export class LineBreaks {
  readonly #read: () => string;
  #hasReturns: boolean;

  constructor(read: () => string) {
    this.#read = read;
    this.#hasReturns = read().includes('\r');
  }

  get hasReturns(): boolean {
    return this.#hasReturns;
  }

  /** The text, as it is shown. */
  get shown(): string {
    const text = this.#read();
    return this.#hasReturns ? text.replaceAll(/\r\n?/g, '\n') : text;
  }

  /** A delta of the text as one of what an editor shows. */
  shownDelta(delta: TextDelta, shownBefore: () => string): TextDelta {
    this.#hasReturns ||= delta.some((step) => 'insert' in step && step.insert.includes('\r'));
    return this.#hasReturns ? deltaBetween(shownBefore(), this.shown) : delta;
  }

  /** Position in the text of a shown one. */
  toText(shown: number): number {
    let at = shown;
    for (const pair of this.#pairs()) {
      if (pair >= at) break;
      at++;
    }
    return at;
  }

  toShown(position: number): number {
    let shown = position;
    for (const pair of this.#pairs()) {
      if (pair >= position) break;
      shown--;
    }
    return shown;
  }

  /** Where each `\r\n` begins. */
  *#pairs(): Generator<number> {
    if (!this.#hasReturns) return;
    for (const { index } of this.#read().matchAll(/\r\n/g)) yield index;
  }
}
