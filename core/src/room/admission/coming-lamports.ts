/** Lamports of nodes that are being judged, some of whose past comes with them. [ND3] */
import { NONE } from '../../codec/nodes/node-table.js';
import type { Judged } from './judged.js';

export class ComingLamports {
  readonly #judged: Judged;
  /** By place. 0: not known yet, or not to be known before all of its past is there. */
  readonly #lamports: number[] = [];

  constructor(judged: Judged) {
    this.#judged = judged;
  }

  /** Call for each place in order. Answers 0 while part of its past is missing. */
  next(place: number): number {
    const { table } = this.#judged;
    const prev = table.prev.get(place);
    let lamport = prev === NONE ? 0 : this.of(prev);
    let isWhole = prev === NONE || lamport > 0;
    for (let i = table.firstParent(place); i < table.parentsEnd.get(place); i++) {
      const parent = this.of(table.parents.get(i));
      lamport = Math.max(lamport, parent);
      isWhole &&= parent > 0;
    }
    this.#lamports[place] = isWhole ? lamport + 1 : 0;
    return this.#lamports[place];
  }

  /** Lamport of what a reference names. */
  of(ref: number): number {
    const held = this.#judged.heldAs(ref);
    return held >= 0 ? this.#judged.graph.lamport.get(held) : (this.#lamports[this.#judged.placeOf(ref)] ?? 0);
  }
}
