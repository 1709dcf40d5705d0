/**
 * The elements of all texts and lists: which node inserted each, and what it holds.
 *
 * Elements are named (chain, counter). Content lies apart from order: it is appended per chain and never moves, so
 * splitting and moving spans of a sequence touches no content.
 */
import type { Placed } from '../graph/dag.js';

interface ChainElements {
  /** The counter of its first element: not 0 on a branch of a fork. */
  readonly base: number;
  /** Nodes that insert elements, by ascending counter. */
  readonly nodes: Placed[];
  /** UTF-16 code units by counter. */
  units: Uint16Array;
  /** List items by counter: MessagePack bytes. */
  readonly items: Map<number, Uint8Array>;
}

export class Elements {
  readonly #chains: ChainElements[] = [];

  /** Call for each node, in log order. */
  add(placed: Placed): void {
    if (placed.elements === 0) return;
    const chain = (this.#chains[placed.chain] ??= newChain(placed.counter));
    chain.nodes.push(placed);
  }

  setText(chain: number, counter: number, text: string): void {
    const elements = this.#chain(chain);
    const start = counter - elements.base;
    const end = start + text.length;
    if (end > elements.units.length) {
      const grown = new Uint16Array(Math.max(end, elements.units.length * 2, 64));
      grown.set(elements.units);
      elements.units = grown;
    }
    for (let i = 0; i < text.length; i++) elements.units[start + i] = text.charCodeAt(i);
  }

  /** A view of the units of consecutive elements. */
  units(chain: number, counter: number, count: number): Uint16Array {
    const { units, base } = this.#chain(chain);
    return units.subarray(counter - base, counter - base + count);
  }

  setItem(chain: number, counter: number, value: Uint8Array): void {
    this.#chain(chain).items.set(counter, value);
  }

  item(chain: number, counter: number): Uint8Array | undefined {
    return this.#chains[chain]?.items.get(counter);
  }

  /** The node that inserted an element, by binary search. */
  nodeOf(chain: number, counter: number): Placed | undefined {
    const nodes = this.#chains[chain]?.nodes ?? [];
    let low = 0;
    let high = nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((nodes[middle]?.counter ?? 0) <= counter) low = middle + 1;
      else high = middle;
    }
    const found = nodes[low - 1];
    return found && counter < found.counter + found.elements ? found : undefined;
  }

  /** The total order of elements that contest one place: (lamport, author, node id, offset). [SQ2] */
  readonly compare = (chainA: number, counterA: number, chainB: number, counterB: number): number => {
    const a = this.nodeOf(chainA, counterA);
    const b = this.nodeOf(chainB, counterB);
    if (!a || !b) throw new Error('an element is compared before its node is known');
    if (a.lamport !== b.lamport) return a.lamport - b.lamport;
    if (a.node.author !== b.node.author) return a.node.author < b.node.author ? -1 : 1;
    if (a.node.id !== b.node.id) return a.node.id < b.node.id ? -1 : 1;
    return counterA - counterB;
  };

  #chain(chain: number): ChainElements {
    const elements = this.#chains[chain];
    if (!elements) throw new Error('elements of a chain that has inserted none');
    return elements;
  }
}

function newChain(base: number): ChainElements {
  return { base, nodes: [], units: new Uint16Array(0), items: new Map() };
}
