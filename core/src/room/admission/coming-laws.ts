/** Laws of nodes that are being judged: each stands under the policy of its causal past, some of which comes with it. [PO2] */
import { type Law, type Laws, isGreater, lawAt } from '../state/laws.js';
import { type Judged, refsOf } from './judged.js';

export class ComingLaws {
  readonly #judged: Judged;
  readonly #laws: Laws;
  /** Laws by place. */
  readonly #lawOf: (Law | undefined)[] = [];

  constructor(judged: Judged, laws: Laws) {
    this.#judged = judged;
    this.#laws = laws;
  }

  /**
   * Call for each place in order; answers the law that the node stands under. None while part of its past is missing, and its
   * lamport 0: what is still to come may be a greater one.
   */
  next(place: number, lamport: number, speaks: boolean): Law | undefined {
    if (lamport === 0) return undefined;
    const { table } = this.#judged;
    let law: Law | undefined;
    for (const ref of refsOf(table, place)) {
      const below = this.#below(ref);
      if (isGreater(below, law)) law = below;
    }
    const set = speaks ? lawAt(table, place, lamport, this.#laws.room) : undefined;
    this.#lawOf[place] = isGreater(set, law) ? set : law;
    return law;
  }

  #below(ref: number): Law | undefined {
    const held = this.#judged.heldAs(ref);
    return held >= 0 ? this.#laws.law(this.#laws.of(held)) : this.#lawOf[this.#judged.placeOf(ref)];
  }
}
