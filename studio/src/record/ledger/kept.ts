/** What a collection holds, for an image: states in chunks, each made or parsed when somebody asks for one of them. */

export interface Held<State> {
  /** Undefined for a thing that has ended. */
  readonly state: State | undefined;
  /** Number of events folded. */
  readonly version: number;
}

/** Some states, in the order of their ids; null stands for one that has ended. */
export interface Chunk {
  readonly states: readonly unknown[];
}

export interface Kept {
  /** Ids of all streams, oldest first. */
  readonly ids: readonly string[];
  readonly versions: readonly number[];
  /** Streams that take no decisions, with the keys that this version cannot read. */
  readonly closed: readonly (readonly [id: string, key: string])[];
  /** Lists of each index: positions among the ids. */
  readonly indexes: readonly (readonly [index: string, lists: readonly (readonly [key: string, at: number[]])[]])[];
  /** What a subclass keeps beyond that. */
  readonly more?: unknown;
  readonly chunks: readonly Chunk[];
}

/** States of a chunk: some milliseconds of work. */
const CHUNK = 256;

export function chunksOf(held: readonly Held<unknown>[]): Chunk[] {
  return Array.from({ length: Math.ceil(held.length / CHUNK) }, (_, n) => ({
    get states() {
      return held.slice(n * CHUNK, (n + 1) * CHUNK).map(({ state }) => state ?? null);
    },
  }));
}

/** One stream of an image. */
export class HeldInImage<State> implements Held<State> {
  readonly version: number;
  readonly #chunk: Chunk;
  readonly #at: number;

  constructor({ chunks, versions }: Kept, at: number) {
    this.version = versions[at]!;
    this.#chunk = chunks[Math.floor(at / CHUNK)]!;
    this.#at = at % CHUNK;
  }

  get state(): State | undefined {
    // The image was written from the states of this collection.
    return (this.#chunk.states[this.#at] ?? undefined) as State | undefined;
  }
}
