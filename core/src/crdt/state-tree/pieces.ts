/**
 * Pieces of memory of up to 33 units, 32 bytes each, in chunks of typed arrays; a piece is named by its first unit.
 *
 * Invariant: a piece is either taken or on the free list of its size, and a freed piece is taken again before memory
 * of its size is added. The first chunk doubles, so a small tree costs little; after that whole chunks are added, so a
 * large one neither copies what it has nor holds twice what it needs.
 */
export const UNIT_WORDS = 8;
const CHUNK_SHIFT = 11;
const CHUNK_UNITS = 1 << CHUNK_SHIFT;
const CHUNK_MASK = CHUNK_UNITS - 1;
const FIRST_UNITS = 8;
const NONE = -1;

export class Pieces {
  /** Word arrays by chunk: see `chunkOf` and `wordOf`. */
  readonly words: Int32Array[] = [];
  /** The memory of `words` as bytes. */
  readonly bytes: Uint8Array[] = [];
  /** The first unit that was never taken. */
  #fresh = 0;
  #capacity = 0;
  /** Free pieces by size, once one was released: head of the free list; the first word of a free piece names the next one. */
  readonly #free: number[] = [];

  /** Bytes held, in use or not. */
  get memory(): number {
    return this.#capacity * UNIT_WORDS * 4;
  }

  /** The piece still holds whatever was there before. */
  take(units: number): number {
    const piece = this.#free[units] ?? NONE;
    if (piece === NONE) return this.#takeFresh(units);
    this.#free[units] = this.words[chunkOf(piece)]![wordOf(piece)]!;
    return piece;
  }

  release(piece: number, units: number): void {
    while (this.#free.length <= units) this.#free.push(NONE);
    this.words[chunkOf(piece)]![wordOf(piece)] = this.#free[units]!;
    this.#free[units] = piece;
  }

  #takeFresh(units: number): number {
    while (this.#fresh + units > this.#capacity) this.#grow();
    const piece = this.#fresh;
    this.#fresh += units;
    return piece;
  }

  #grow(): void {
    if (this.#capacity < CHUNK_UNITS) return this.#double();
    // A piece lies in one chunk: what is left of the last one is a piece of its own.
    const left = this.#capacity - this.#fresh;
    if (left > 0) this.release(this.#fresh, left);
    this.#fresh = this.#capacity;
    this.#add(new Int32Array(CHUNK_UNITS * UNIT_WORDS), this.words.length);
    this.#capacity += CHUNK_UNITS;
  }

  #double(): void {
    const units = Math.max(FIRST_UNITS, this.#capacity * 2);
    const chunk = new Int32Array(units * UNIT_WORDS);
    if (this.words[0]) chunk.set(this.words[0]);
    this.#add(chunk, 0);
    this.#capacity = units;
  }

  #add(chunk: Int32Array, place: number): void {
    this.words[place] = chunk;
    this.bytes[place] = new Uint8Array(chunk.buffer);
  }
}

export const chunkOf = (piece: number): number => piece >>> CHUNK_SHIFT;
/** Offset in its chunk at which a piece begins. */
export const wordOf = (piece: number): number => (piece & CHUNK_MASK) * UNIT_WORDS;
