/**
 * Slots of a fixed number of words, named by index, in chunks of typed arrays.
 *
 * Invariant: an index is either taken or on the free list, and a freed slot is taken again before the
 * pool grows. The first chunk doubles, so a small tree costs little; after that whole chunks are added,
 * so a large one neither copies what it has nor holds twice what it needs.
 */
export const CHUNK_SHIFT = 12;
const CHUNK_SLOTS = 1 << CHUNK_SHIFT;
export const CHUNK_MASK = CHUNK_SLOTS - 1;
const FIRST_SLOTS = 4;
const NONE = -1;

export class SlotPool {
  /** By chunk; a slot begins at word `(index & CHUNK_MASK) * slotWords` of chunk `index >>> CHUNK_SHIFT`. */
  readonly words: Int32Array[] = [];
  /** The same memory. */
  readonly bytes: Uint8Array[] = [];
  readonly #slotWords: number;
  /** The first index that was never taken. */
  #fresh = 0;
  #capacity = 0;
  /** Head of the free list; the first word of a free slot names the next one. */
  #free = NONE;

  constructor(slotWords: number) {
    this.#slotWords = slotWords;
  }

  /** Bytes held, in use or not. */
  get memory(): number {
    return this.#capacity * this.#slotWords * 4;
  }

  /** The slot still holds whatever it held before. */
  take(): number {
    const index = this.#free;
    if (index !== NONE) {
      this.#free = this.#chunkOf(index)[(index & CHUNK_MASK) * this.#slotWords] as number;
      return index;
    }
    if (this.#fresh === this.#capacity) this.#grow();
    return this.#fresh++;
  }

  release(index: number): void {
    this.#chunkOf(index)[(index & CHUNK_MASK) * this.#slotWords] = this.#free;
    this.#free = index;
  }

  #chunkOf(index: number): Int32Array {
    return this.words[index >>> CHUNK_SHIFT] as Int32Array;
  }

  #grow(): void {
    const doubles = this.#capacity < CHUNK_SLOTS;
    const slots = doubles ? Math.max(FIRST_SLOTS, this.#capacity * 2) : CHUNK_SLOTS;
    const chunk = new Int32Array(slots * this.#slotWords);
    const place = doubles ? 0 : this.words.length;
    if (doubles && this.words[0]) chunk.set(this.words[0]);
    this.words[place] = chunk;
    this.bytes[place] = new Uint8Array(chunk.buffer);
    this.#capacity = doubles ? slots : this.#capacity + slots;
  }
}
