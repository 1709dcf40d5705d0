/**
 * Notes: few and small texts, by name, that the server on a store keeps beside its rooms. Durable, and seen by all processes that
 * share the store; whoever has lost his lease changes none.
 */
export interface Notes {
  /** All whose names begin so, in bytewise order of the names. */
  all(prefix: string): AsyncIterable<readonly [name: string, text: string]>;
  /** Writes some and removes those without a text: all of it, or nothing. */
  put(changes: ReadonlyMap<string, string | undefined>): Promise<void>;
  /** Removes all whose names begin so. */
  removeAll(prefix: string): Promise<void>;
}
