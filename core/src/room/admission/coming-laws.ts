/** Laws of nodes that are being judged: each stands under the policy of its causal past, some of which comes with it. [PO2] */
import { NONE, type NodeTable } from '../../codec/nodes/node-table.js';
import type { Graph } from '../../graph/graph.js';
import { type Law, type Laws, isGreater, lawAt } from '../state/laws.js';

/** What is known of nodes that are being judged. */
export interface Judged {
  readonly graph: Graph;
  readonly table: NodeTable;
  readonly authorities: ReadonlySet<string>;
  readonly laws: Laws;
  /** The first place among the nodes that holds what a reference names, or -1. */
  placeOf(ref: number): number;
  /** Number in the graph of what a reference names, or -1. */
  heldAs(ref: number): number;
}

export class ComingLaws {
  readonly #judged: Judged;
  /** Laws by place. */
  readonly #lawOf: (Law | undefined)[] = [];
  /** 0: not known yet, or not to be known before all of its past is there. */
  readonly #lamport: number[] = [];

  constructor(judged: Judged) {
    this.#judged = judged;
  }

  /**
   * Call for each place in order; answers the law that the node stands under. None while part of its past is missing: what
   * is still to come may be a greater one.
   */
  next(place: number): Law | undefined {
    const { table, authorities } = this.#judged;
    const { prev } = table;
    this.#lamport[place] = 0;
    let law = this.#below(prev.values[place]!);
    let lamport = prev.values[place] === NONE ? 0 : this.#lamportOf(prev.values[place]!);
    let isWhole = prev.values[place] === NONE || lamport > 0;
    for (let i = table.firstParent(place); i < table.parentsEnd.values[place]!; i++) {
      const below = this.#below(table.parents.values[i]!);
      if (isGreater(below, law)) law = below;
      const parent = this.#lamportOf(table.parents.values[i]!);
      lamport = Math.max(lamport, parent);
      isWhole &&= parent > 0;
    }
    if (!isWhole) return undefined;
    const set = lawAt(table, place, lamport + 1, authorities, this.#judged.laws.room);
    this.#lamport[place] = lamport + 1;
    this.#lawOf[place] = isGreater(set, law) ? set : law;
    return law;
  }

  #below(ref: number): Law | undefined {
    if (ref === NONE) return undefined;
    const { laws } = this.#judged;
    const held = this.#judged.heldAs(ref);
    return held >= 0 ? laws.law(laws.of(held)) : this.#lawOf[this.#judged.placeOf(ref)];
  }

  #lamportOf(ref: number): number {
    const held = this.#judged.heldAs(ref);
    return held >= 0 ? this.#judged.graph.lamport.values[held]! : (this.#lamport[this.#judged.placeOf(ref)] ?? 0);
  }
}
