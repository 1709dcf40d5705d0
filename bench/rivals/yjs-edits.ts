// How many edits an update of Yjs brings.
export interface Updates {
  decodeUpdate(update: Uint8Array): { readonly structs: readonly YStruct[] };
}

/** Part of an update: clocks of an author one after the other. */
interface YStruct {
  readonly id: { readonly client: number; readonly clock: number };
  readonly length: number;
}

/** What two updates of one document differ in, beside their length: author and first clock, which stand at their beginning. */
const HEAD_BYTES = 32;

/** Counts edits in updates: a server may send several as one, of which nothing says so but how far their author's clock has come. */
export class Edits {
  readonly #yjs: Updates;
  /** Clocks at which edits end, by author. */
  readonly #ends = new Map<number, number[]>();
  /** Cache by update: every reader gets the same one, so it is decoded for the first of them. */
  readonly #counted = new Map<string, number>();

  constructor(yjs: Updates) {
    this.#yjs = yjs;
  }

  /** Takes an update that one edit has made. */
  note(update: Uint8Array): void {
    const { structs } = this.#yjs.decodeUpdate(update);
    const last = structs.at(-1);
    if (last === undefined) throw new Error('an edit has made nothing');
    const ends = this.#ends.get(last.id.client);
    if (ends) ends.push(last.id.clock + last.length);
    else this.#ends.set(last.id.client, [last.id.clock + last.length]);
  }

  countIn(update: Uint8Array): number {
    const head = Buffer.from(update.buffer, update.byteOffset, Math.min(HEAD_BYTES, update.length));
    const key = `${update.length} ${head.toString('latin1')}`;
    const known = this.#counted.get(key);
    if (known !== undefined) return known;
    let count = 0;
    for (const { id, length } of this.#yjs.decodeUpdate(update).structs) {
      const ends = this.#ends.get(id.client) ?? [];
      count += endsUpTo(ends, id.clock + length) - endsUpTo(ends, id.clock);
    }
    this.#counted.set(key, count);
    return count;
  }
}

/** How many of these rising numbers are at most so great. */
function endsUpTo(ends: readonly number[], most: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
