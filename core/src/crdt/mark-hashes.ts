/**
 * The marks of a text as one hash. [SH4]
 *
 * Each range is a leaf of a tree like that of keys, so that a keystroke costs nothing here and a mark one path. Elements
 * are named by node and offset, which is what they are called everywhere.
 */
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { writeText } from '../codec/bytes/msgpack.js';
import type { Graph } from '../graph/graph.js';
import type { Elements } from './elements.js';
import type { Mark, MarkEnd, Marks } from './marks.js';
import { Tagged } from './state-leaf.js';
import { Entries } from './state-tree/entries.js';
import { LEAF_BYTES, PATH_BYTES } from './state-tree/node-body.js';
import { StateTree } from './state-tree/state-tree.js';

const path = new Tagged('weft-mark-path-v1');
const leaf = new Tagged('weft-mark-v1');

const BEHIND = 1;
const AT_END = 2;

export class MarkHashes {
  readonly #graph: Graph;
  readonly #elements: Elements;
  readonly #tree = new StateTree();
  /** Ranges that another write shows since they were hashed; all of them before that. */
  #touched: Set<Mark> | undefined;

  constructor(graph: Graph, elements: Elements) {
    this.#graph = graph;
    this.#elements = elements;
  }

  touch(mark: Mark): void {
    this.#touched?.add(mark);
  }

  digest(marks: Marks): Uint8Array {
    const touched = [...(this.#touched ?? marks.all())].filter((mark) => marks.shows(mark));
    const entries = new Entries(touched.length);
    for (const [index, mark] of touched.entries()) this.#hash(mark, entries.bytes, index * LEAF_BYTES);
    this.#tree.setAll(entries, touched.length);
    this.#touched = new Set();
    return this.#tree.root();
  }

  #hash(mark: Mark, entry: Uint8Array, at: number): void {
    const { table } = this.#graph;
    const [from, to] = [table.contentStart(mark.op), table.contentEnd.get(mark.op)];
    const range = path.begin();
    this.#writeEnd(range, mark.from);
    this.#writeEnd(range, mark.to);
    writeText(range, mark.name);
    path.digestInto(entry, at);
    const write = leaf.begin();
    write.bytes(entry.subarray(at, at + PATH_BYTES));
    write.digest(table.idWords(mark.node), table.idAt(mark.node));
    write.varint(mark.op - table.firstOp(mark.node));
    write.copy(table.content.buffer, from, to);
    leaf.digestInto(entry, at + PATH_BYTES);
  }

  #writeEnd(out: ByteWriter, { element, isBehind }: MarkEnd): void {
    out.byte((isBehind ? BEHIND : 0) | (element ? 0 : AT_END));
    if (element) this.#elements.writeName(out, element.chain, element.counter);
  }
}
