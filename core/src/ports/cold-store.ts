/**
 * Cold tier: segments of logs and images of rooms that have not changed for long, as objects elsewhere. The store notes under which
 * name it has put what, and reads by that name. A name is of one object for ever: what is removed late never takes a newer one
 * along.
 */

/** Where those objects are. */
export interface ColdStore {
  /** Address that people are shown, such as `s3://bucket/prefix`. */
  readonly place: string;
  /** Durable and whole once it resolves. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined where there is none of that name; rejects where that cannot be said. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** There may be none. */
  remove(name: string): Promise<void>;
}

/** What was moved, or would have been. */
export interface ColdMoves {
  readonly objects: number;
  readonly bytes: number;
}

export interface ColdUsage extends ColdMoves {
  /** Objects that nothing refers to any more, or does yet: removed with the next move. */
  readonly leftovers: number;
}

/** Cold tier of a store that has one. */
export interface ColdTier {
  /**
   * Moves what has not changed for so long, each by itself: it is copied, read again, and noted in one step in which the store lets go
   * of its own copy. Undefined, and nothing is done, while another call does it in this process or another one.
   */
  move(olderThanMs: number, signal?: AbortSignal): Promise<ColdMoves | undefined>;
  /** Brings everything back into the store. Undefined as for `move`. */
  bringBack(signal?: AbortSignal): Promise<ColdMoves | undefined>;
  usage(): Promise<ColdUsage>;
}
