/**
 * Undo list of a start: what it has opened, ended in the reverse order. A start that fails part of the way leaves nothing open, and
 * one that is ended does not end twice what was ended by itself before.
 */
export class Opened {
  readonly #ends: (() => Promise<void>)[] = [];

  /** Takes what ends a thing just opened; what it gives back ends it now, once, and again only waits for that. */
  add(end: () => unknown): () => Promise<void> {
    let ended: Promise<void> | undefined;
    const once = (): Promise<void> => (ended ??= run(end));
    this.#ends.push(once);
    return once;
  }

  /** Ends everything, the newest first and one after the other; what cannot be ended is told when all the rest was. */
  async end(): Promise<void> {
    const faults: unknown[] = [];
    for (const end of this.#ends.toReversed()) await end().catch((error: unknown) => faults.push(error));
    if (faults.length > 0) throw faults[0];
  }
}

async function run(end: () => unknown): Promise<void> {
  await end();
}
