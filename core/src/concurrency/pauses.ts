/** Cooperative yields: breaks in a long piece of work, so that everything else goes on meanwhile. */

/** Units of work between two breaks: some milliseconds. */
const SLICE = 4096;

export class Pauses {
  #done = 0;

  /** Counts work that was done; true when it is time for a break. */
  due(work = 1): boolean {
    this.#done += work;
    return this.#done >= SLICE;
  }

  /** A break: whatever waits runs. */
  async take(): Promise<void> {
    this.#done = 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
