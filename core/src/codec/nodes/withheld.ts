/**
 * Withheld nodes of a table: those that are known by their headers alone, and how many elements each inserts. [HD1]
 *
 * A room whose history was given up has millions that insert none. Each is a bit; a count is kept only where there is one.
 */
import { grownBytes } from '../bytes/growth.js';

/** Room that the first makes, in bytes. */
const FIRST_BYTES = 8;

export class Withheld {
  #marks = new Uint8Array(0);
  readonly #elements = new Map<number, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(place: number): boolean {
    return ((this.#marks[place >> 3] ?? 0) & (1 << (place & 7))) !== 0;
  }

  /** Who gets all that is held gets what is left of a header too. */
  tells(): boolean {
    return true;
  }

  /** Elements that a withheld node inserts; undefined for any other. */
  get(place: number): number | undefined {
    return this.has(place) ? (this.#elements.get(place) ?? 0) : undefined;
  }

  set(place: number, elements: number): void {
    this.#reserve((place >> 3) + 1);
    if (!this.has(place)) this.#size++;
    this.#marks[place >> 3]! |= 1 << (place & 7);
    if (elements === 0) this.#elements.delete(place);
    else this.#elements.set(place, elements);
  }

  delete(place: number): void {
    if (!this.has(place)) return;
    this.#size--;
    this.#marks[place >> 3]! &= ~(1 << (place & 7));
    this.#elements.delete(place);
  }

  clear(): void {
    this.#marks = new Uint8Array(0);
    this.#elements.clear();
    this.#size = 0;
  }

  /** Ascending. */
  *keys(): Generator<number> {
    for (let byte = 0, left = this.#size; left > 0; byte++) {
      const marks = this.#marks[byte]!;
      for (let bit = 0; marks >> bit > 0; bit++) {
        if ((marks & (1 << bit)) === 0) continue;
        left--;
        yield byte * 8 + bit;
      }
    }
  }

  *[Symbol.iterator](): Generator<[place: number, elements: number]> {
    for (const place of this.keys()) yield [place, this.get(place)!];
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#marks.length) return;
    const grown = new Uint8Array(grownBytes(this.#marks.length, Math.max(bytes, FIRST_BYTES)));
    grown.set(this.#marks);
    this.#marks = grown;
  }
}
