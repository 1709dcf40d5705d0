/**
 * Read filter: which nodes a reader gets whole, and of which the header alone; called its sight. [SB1]
 *
 * A subscription shows each node that touches a matching key; a right to read hides each that touches a key beyond it.
 * The system's own keys are always shown: without them a reader could not tell who may write. Only what queries are about
 * is not for who may not read everything: it tells of other keys. Verdicts are kept by key.
 */
import type { Globs } from '../../access/glob.js';
import { IntColumn } from '../../codec/bytes/columns.js';
import type { Headers } from '../../codec/nodes/headers.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import type { Graph } from '../../graph/graph.js';
import { isOpenKey } from '../state/genesis.js';

const KNOWN = 1;
const WANTED = 2;
const READABLE = 4;

export interface SightRules {
  /** Absent: all keys. */
  readonly subscribed?: Globs | undefined;
  readonly readable?: Globs | undefined;
}

export class Sight implements Headers {
  readonly #graph: Graph;
  readonly #rules: SightRules;
  /** Verdicts by number of the key. */
  readonly #verdicts = new IntColumn();

  constructor(graph: Graph, rules: SightRules) {
    this.#graph = graph;
    this.#rules = rules;
  }

  /** Whether the reader gets the header alone. */
  has(node: number): boolean {
    return this.#graph.table.withheld.has(node) || this.hides(node);
  }

  tells(node: number): boolean {
    return !this.hides(node);
  }

  /** Whether what the node says is not for the reader, be it held or not. */
  hides(node: number): boolean {
    const { table } = this.#graph;
    const [first, end] = [table.firstOp(node), table.opsEnd.get(node)];
    let wanted = first === end;
    for (let op = first; op < end; op++) {
      const verdict = this.#verdictOn(table.key(op));
      if ((verdict & READABLE) === 0) return true;
      if ((verdict & WANTED) !== 0) wanted = true;
    }
    return !wanted;
  }

  #verdictOn(key: number): number {
    this.#verdicts.extendTo(key + 1);
    const known = this.#verdicts.values[key]!;
    if (known !== 0) return known;
    const name = this.#graph.table.keys.names[key]!;
    const { subscribed, readable } = this.#rules;
    const wanted = isSystemKey(name) || (subscribed?.matches(name) ?? true) ? WANTED : 0;
    const verdict = KNOWN | wanted | (isOpenKey(name) || (readable?.matches(name) ?? true) ? READABLE : 0);
    this.#verdicts.values[key] = verdict;
    return verdict;
  }
}
