/**
 * The elements of all texts and lists: which node inserted each, and what it holds.
 *
 * Elements are named (chain, counter). Content lies apart from order: it is appended per chain and never moves, so
 * splitting and moving spans of a sequence touches no content.
 */
import { ByteReader } from '../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { readValue } from '../codec/bytes/msgpack.js';
import { OP_LIST_INSERT_LEFT, OP_LIST_INSERT_RIGHT } from '../codec/nodes/op-kinds.js';
import type { Graph } from '../graph/graph.js';
import type { NodeId, PublicKey } from '../graph/node.js';
import { compareNodes } from '../graph/order.js';

/** The node that inserted an element, and the offset there. */
export type ElementName = `${NodeId}:${number}`;

const NAME = /^([0-9a-f]{64}):(0|[1-9][0-9]{0,6})$/;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-16 code units of a chain's elements, from a counter on. */
interface Units {
  readonly base: number;
  values: Uint16Array;
}

/** Number of an element: its author's chain and the counter on it, which mean something in this graph alone. */
export interface ElementNumber {
  readonly chain: number;
  readonly counter: number;
}

export class Elements {
  readonly #graph: Graph;
  readonly #units: (Units | undefined)[] = [];
  /** Whether a half of a surrogate pair was ever inserted. */
  #hasPairs = false;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  clear(): void {
    this.#units.length = 0;
    this.#hasPairs = false;
  }

  get hasPairs(): boolean {
    return this.#hasPairs;
  }

  /** The text of an op, which inserts its elements from `counter` on. */
  addText(chain: number, counter: number, op: number): void {
    const { table } = this.#graph;
    const count = table.count.get(op);
    const from = table.contentStart(op);
    const to = table.contentEnd.get(op);
    const bytes = table.content.buffer;
    if (to - from > count) return this.setText(chain, counter, utf8.decode(bytes.subarray(from, to)), 0, count);
    const units = this.#unitsFor(chain, counter, count);
    const start = counter - units.base;
    for (let i = 0; i < count; i++) units.values[start + i] = bytes[from + i]!;
  }

  /** Part of a text, `count` units from `at` on, as elements from `counter` on. */
  setText(chain: number, counter: number, text: string, at: number, count: number): void {
    const units = this.#unitsFor(chain, counter, count);
    const start = counter - units.base;
    for (let i = 0; i < count; i++) {
      const unit = text.charCodeAt(at + i);
      units.values[start + i] = unit;
      if (unit >= 0xd800 && unit <= 0xdfff) this.#hasPairs = true;
    }
  }

  #unitsFor(chain: number, counter: number, count: number): Units {
    let units = this.#units[chain];
    if (!units)
      this.#units[chain] = units = { base: this.#graph.chains[chain]?.base ?? 0, values: new Uint16Array(64) };
    const length = counter - units.base + count;
    if (length > units.values.length) {
      const grown = new Uint16Array(Math.max(length, units.values.length * 2));
      grown.set(units.values);
      units.values = grown;
    }
    return units;
  }

  /** A view of the units of consecutive elements. */
  units(chain: number, counter: number, count: number): Uint16Array {
    const { base, values } = this.#units[chain]!;
    return values.subarray(counter - base, counter - base + count);
  }

  /** Writes the code units of elements without a view of them. */
  writeUnits(out: ByteWriter, chain: number, counter: number, count: number): void {
    const { base, values } = this.#units[chain]!;
    out.units(values, counter - base, counter - base + count);
  }

  /** Items of consecutive elements, as views of their MessagePack bytes. */
  eachItem(chain: number, from: number, count: number, visit: (value: Uint8Array) => void): void {
    const { table, chains, index } = this.#graph;
    const end = from + count;
    const first = this.nodeOf(chain, from);
    if (first < 0) return;
    const { nodes } = chains[chain]!;
    for (let i = index.get(first); i < nodes.length; i++) {
      const node = nodes.get(i);
      let counter = table.counter.get(node);
      if (counter >= end) return;
      for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) {
        const elements = table.elements(op);
        if (counter < end && counter + elements > from && isItems(table.kind(op)))
          eachValue(table.contentOf(op), from - counter, end - counter, visit);
        counter += elements;
      }
    }
  }

  /** What an element is called everywhere: the node that inserted it, and the offset there. */
  writeName(out: ByteWriter, chain: number, counter: number): void {
    const node = this.nodeOf(chain, counter);
    out.digest(this.#graph.table.idWords(node), this.#graph.table.idAt(node));
    out.varint(counter - this.#graph.table.counter.get(node));
  }

  /** Name of an element as text. */
  nameOf(chain: number, counter: number): ElementName {
    const node = this.nodeOf(chain, counter);
    return `${this.#graph.idOf(node)}:${counter - this.#graph.table.counter.get(node)}`;
  }

  /** Author of an element; all elements of one chain have the same. */
  authorOf(chain: number, counter: number): PublicKey {
    return this.#graph.authorOf(this.nodeOf(chain, counter));
  }

  /** Undefined for what is no name, and for the element of a node that is not held. */
  named(name: string): ElementNumber | undefined {
    const [, id, offset] = NAME.exec(name) ?? [];
    const node = id === undefined ? -1 : this.#graph.find(id as NodeId);
    const { chain, table } = this.#graph;
    if (node < 0 || Number(offset) >= table.elementsOf(node)) return undefined;
    return { chain: chain.get(node), counter: table.counter.get(node) + Number(offset) };
  }

  /** The node that inserted an element, or -1. */
  nodeOf(chain: number, counter: number): number {
    const held = this.#graph.chains[chain];
    if (!held) return -1;
    const { table } = this.#graph;
    const { nodes } = held;
    let low = 0;
    let high = nodes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (table.counter.get(nodes.get(middle)) <= counter) low = middle + 1;
      else high = middle;
    }
    const node = low === 0 ? -1 : nodes.get(low - 1);
    return node >= 0 && counter < this.#graph.counterAfter(node) ? node : -1;
  }

  /** The total order of elements that contest one place: (lamport, author, node id, offset). [SQ2] */
  readonly compare = (chainA: number, counterA: number, chainB: number, counterB: number): number => {
    const a = this.nodeOf(chainA, counterA);
    const b = this.nodeOf(chainB, counterB);
    if (a < 0 || b < 0) throw new Error('an element is compared before its node is known');
    return a === b ? counterA - counterB : compareNodes(this.#graph, a, b);
  };
}

function isItems(kind: number): boolean {
  return kind === OP_LIST_INSERT_RIGHT || kind === OP_LIST_INSERT_LEFT;
}

/** Values [from, to) of a list insert. */
function eachValue(content: Uint8Array, from: number, to: number, visit: (value: Uint8Array) => void): void {
  const input = new ByteReader(content);
  for (let i = 0; i < to && input.left > 0; i++) {
    const value = readValue(input, content);
    if (i >= from) visit(value);
  }
}
