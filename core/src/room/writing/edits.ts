/**
 * Edits of texts and lists by this host, as ops of a node to be written.
 *
 * They are made against what is durable, and none sees what another of the same batch does: so they begin their batch.
 */
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { NONE, OWN } from '../../codec/nodes/node-table.js';
import {
  OP_LIST_DELETE,
  OP_LIST_INSERT_LEFT,
  OP_LIST_INSERT_RIGHT,
  OP_LIST_MOVE_LEFT,
  OP_LIST_MOVE_RIGHT,
  OP_TEXT_DELETE,
  OP_TEXT_INSERT_LEFT,
  OP_TEXT_INSERT_RIGHT,
} from '../../codec/nodes/op-kinds.js';
import type { Document } from '../../crdt/document.js';
import type { ElementName } from '../../crdt/elements.js';
import type { ElementNumber } from '../../crdt/elements.js';
import { Sequence } from '../../crdt/sequence/sequence.js';
import { LEFT, ROOT_CHAIN } from '../../crdt/sequence/span-layout.js';
import type { Text } from '../../crdt/text.js';
import type { Graph } from '../../graph/graph.js';
import { Rejection } from '../../rejection.js';
import { encode } from '../state/value-encoding.js';

export class Edits {
  readonly #graph: Graph;
  readonly #values: Document;
  /** The chain that the node will stand on. */
  readonly #chain: number;
  /** Empty sequence, for keys that hold nothing yet. */
  readonly #nothing: Sequence;

  constructor(graph: Graph, values: Document, identity: number) {
    this.#graph = graph;
    this.#values = values;
    this.#chain = graph.chainAfter(graph.tip(identity));
    this.#nothing = new Sequence(values.elements.compare);
  }

  /** Directly after an element, which may be deleted, or before everything. */
  insertText(key: string, text: string, after?: string): void {
    const held = this.#values.textNamed(key);
    const sequence = held?.sequence ?? this.#nothing;
    if (after === undefined) sequence.aimAtStart();
    else {
      const element = this.#values.elements.named(after);
      if (!held || !element || !sequence.has(element.chain, element.counter))
        throw new Rejection('invalid-command', `the text ${JSON.stringify(key)} has no element ${after.slice(0, 80)}`);
      sequence.aimAfter(element.chain, element.counter + this.#units(held, element) - 1);
    }
    this.#graph.table.content.text(text);
    this.#insert(key, sequence, OP_TEXT_INSERT_LEFT, OP_TEXT_INSERT_RIGHT, text.length);
  }

  /** False when the text has no such element, or not any more. */
  deleteText(key: string, id: string): boolean {
    const text = this.#values.textNamed(key);
    const element = this.#values.elements.named(id);
    if (!text || !element || !text.sequence.has(element.chain, element.counter)) return false;
    if (text.sequence.isDeleted(element.chain, element.counter)) return false;
    const count = this.#units(text, element);
    const [ref, at] = this.#refTo({ chain: element.chain, counter: element.counter + count - 1 });
    this.#graph.table.addOp(OP_TEXT_DELETE, this.#key(key), ref, at, count);
    return true;
  }

  /** Answers where the item stands: at the end, if the list is shorter. */
  insertItem(key: string, index: number, value: unknown): number {
    const sequence = this.#values.listNamed(key)?.sequence ?? this.#nothing;
    const position = Math.min(index, sequence.length);
    aimAt(sequence, position);
    this.#graph.table.content.bytes(encode(key, value));
    this.#insert(key, sequence, OP_LIST_INSERT_LEFT, OP_LIST_INSERT_RIGHT, 1);
    return position;
  }

  /** Answers what was there; undefined when nothing was. */
  deleteItem(key: string, index: number): { readonly value: unknown } | undefined {
    const list = this.#values.listNamed(key);
    if (!list || index >= list.length) return undefined;
    const item = list.itemAt(index);
    const [ref, at] = this.#refTo(item);
    this.#graph.table.addOp(OP_LIST_DELETE, this.#key(key), ref, at, 1);
    let value: unknown;
    this.#values.elements.eachItem(item.chain, item.counter, 1, (bytes) => (value = decodeValue(bytes)));
    return { value };
  }

  /** `to` is where the item is to stand. Answers which it is and where it does; undefined when there is none. */
  moveItem(key: string, from: number, to: number): { readonly id: ElementName; readonly index: number } | undefined {
    const list = this.#values.listNamed(key);
    if (!list || from >= list.length) return undefined;
    const index = Math.min(to, list.length - 1);
    const item = list.itemAt(from);
    const moved = { id: this.#values.elements.nameOf(item.chain, item.counter), index };
    if (index === from) return moved;
    aimAt(list.sequence, index > from ? index + 1 : index);
    const [left, ref, at] = this.#origin(list.sequence);
    const kind = left ? OP_LIST_MOVE_LEFT : OP_LIST_MOVE_RIGHT;
    this.#graph.table.addMove(kind, this.#key(key), ...this.#refTo(item), ref, at);
    return moved;
  }

  /** Hides all that some nodes have inserted under a key, where it stands by now; answers whether anything was to be hidden. */
  deleteInserted(key: number, nodes: readonly number[]): boolean {
    const { table } = this.#graph;
    const before = table.ops;
    for (const node of nodes) {
      let counter = table.counter.get(node);
      for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) {
        const count = table.elements(op);
        if (table.key(op) === key && count > 0) this.#deleteInsert(op, this.#graph.chain.get(node), counter, count);
        counter += count;
      }
    }
    return table.ops > before;
  }

  #deleteInsert(op: number, chain: number, counter: number, count: number): void {
    const { table } = this.#graph;
    const kind = table.kind(op);
    const isText = kind === OP_TEXT_INSERT_RIGHT || kind === OP_TEXT_INSERT_LEFT;
    if (!isText && kind !== OP_LIST_INSERT_RIGHT && kind !== OP_LIST_INSERT_LEFT) return;
    const [ref, at] = this.#refTo({ chain, counter: counter + count - 1 });
    this.#graph.table.addOp(isText ? OP_TEXT_DELETE : OP_LIST_DELETE, table.key(op), ref, at, count);
  }

  #key(name: string): number {
    return this.#graph.table.keys.number(name);
  }

  #insert(key: string, sequence: Sequence, toLeft: number, toRight: number, count: number): void {
    const [left, ref, at] = this.#origin(sequence);
    this.#graph.table.addOp(left ? toLeft : toRight, this.#key(key), ref, at, count);
  }

  /** What an insert where the sequence was aimed names, and whether it goes to the left of that. */
  #origin({ originChain: chain, originCounter: counter, originSide }: Sequence): [boolean, ref: number, at: number] {
    return [originSide === LEFT, ...(chain === ROOT_CHAIN ? ([NONE, 0] as const) : this.#refTo({ chain, counter }))];
  }

  /** How an op of this host names an element. */
  #refTo({ chain, counter }: ElementNumber): [ref: number, at: number] {
    if (chain === this.#chain) return [OWN, counter];
    const node = this.#values.elements.nodeOf(chain, counter);
    return [node, counter - this.#graph.table.counter.get(node)];
  }

  /** UTF-16 units of a visible character: two where the element is the first half of a pair. */
  #units({ sequence }: Text, { chain, counter }: ElementNumber): number {
    if (sequence.isDeleted(chain, counter) || !sequence.has(chain, counter + 1)) return 1;
    const [unit = 0] = this.#values.elements.units(chain, counter, 1);
    return unit >= 0xd800 && unit <= 0xdbff && !sequence.isDeleted(chain, counter + 1) ? 2 : 1;
  }
}

/** Aims before a visible position. */
function aimAt(sequence: Sequence, position: number): void {
  if (position === 0) return sequence.aimAtStart();
  sequence.elementAt(position - 1);
  sequence.aimAfter(sequence.foundChain, sequence.foundCounter);
}
