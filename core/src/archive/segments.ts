/** Blobs one after the other, cut into segments of one size: written so, and found again there. [AR2] */

export interface Piece {
  readonly segment: number;
  /** Offsets within it. */
  readonly from: number;
  readonly to: number;
}

/** Where the bytes from `from` up to `to` lie. */
export function* piecesOf(from: number, to: number, size: number): Generator<Piece> {
  for (let at = from; at < to;) {
    const start = at % size;
    const end = Math.min(size, start + to - at);
    yield { segment: Math.floor(at / size), from: start, to: end };
    at += end - start;
  }
}

/** Bytes as they come, in parts of one size. */
export class Segments {
  readonly #bytes: AsyncGenerator<Uint8Array>;
  readonly #size: number;
  #rest: Uint8Array | undefined;

  constructor(bytes: AsyncGenerator<Uint8Array>, size: number) {
    this.#bytes = bytes;
    this.#size = size;
  }

  async hasMore(): Promise<boolean> {
    if (!this.#rest) {
      const { value, done } = await this.#bytes.next();
      this.#rest = done ? undefined : value;
    }
    return this.#rest !== undefined;
  }

  async *next(): AsyncGenerator<Uint8Array> {
    for (let left = this.#size; left > 0 && (await this.hasMore());) {
      const chunk = this.#rest!.subarray(0, left);
      this.#rest = chunk.length < this.#rest!.length ? this.#rest!.subarray(left) : undefined;
      left -= chunk.length;
      yield chunk;
    }
  }

  /** Whatever is being read is put down. */
  async close(): Promise<void> {
    await this.#bytes.return(undefined);
  }
}
