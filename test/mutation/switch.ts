/** The switch of the mutants in one process: which is on, what was reached, and an end for what has none. */

/** Thrown by a mutant that goes on for ever. */
class Endless extends Error {}

export class Switch {
  #on = 0;
  #calls = 0;
  #most = Number.POSITIVE_INFINITY;
  #reached: Set<number> | undefined;

  constructor() {
    Object.assign(globalThis, { __mutant: (id: number): boolean => this.#ask(id) });
  }

  /** Whether the mutant is on; -1 is asked by loops. */
  #ask(id: number): boolean {
    if (++this.#calls > this.#most) throw new Endless('has no end');
    this.#reached?.add(id);
    return id === this.#on;
  }

  /** What is reached from now on is added to the set; undefined: to none. */
  note(reached: Set<number> | undefined): void {
    this.#reached = reached;
  }

  get calls(): number {
    return this.#calls;
  }

  /** Turns a mutant on, or 0 for none; with what may be asked meanwhile. */
  turn(id: number, most: number): void {
    this.#on = id;
    this.#calls = 0;
    this.#most = most;
  }
}
