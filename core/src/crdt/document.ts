/**
 * The values of one room: registers, texts and lists, each a fold of the graph. [MP2]
 *
 * An op that names elements outside its author's causal past, or of another key, has no effect. Whether it does
 * depends on the past of its node alone, so every replica ignores the same ops.
 */
import type { ByteReader } from '../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError } from '../codec/bytes/bytes.js';
import type { IntColumn } from '../codec/bytes/columns.js';
import { decodeValue } from '../codec/bytes/msgpack.js';
import { NONE, OWN } from '../codec/nodes/node-table.js';
import {
  OP_LIST_DELETE,
  OP_LIST_INSERT_LEFT,
  OP_LIST_INSERT_RIGHT,
  OP_LIST_MOVE_LEFT,
  OP_LIST_MOVE_RIGHT,
  OP_TEXT_DELETE,
  OP_TEXT_INSERT_LEFT,
  OP_TEXT_INSERT_RIGHT,
  OP_TEXT_MARK,
  isLeft,
} from '../codec/nodes/op-kinds.js';
import { Branches } from '../graph/branches.js';
import { CausalPast } from '../graph/causal-past.js';
import type { Graph } from '../graph/graph.js';
import type { NodeId, PublicKey } from '../graph/node.js';
import { compareNodes } from '../graph/order.js';
import { type Conflict, Conflicts } from './conflicts.js';
import { type ElementNumber, Elements } from './elements.js';
import { List } from './list.js';
import { Marks, type WrittenMark, markAt } from './marks.js';
import { type BlobRef, Registers, isRegisterOp, readValue } from './registers.js';
import type { Sequence } from './sequence/sequence.js';
import { LEFT, RIGHT, ROOT_CHAIN } from './sequence/span-layout.js';
import type { HashMaker, ValuesHash } from './state-hash.js';
import { isSystemKey } from './system-keys.js';
import { Text } from './text.js';
import type { Touched } from './touched.js';

/** Origin of a value: its node, and which nodes it won over that its author had not seen. [WY1] */
export interface Origin {
  readonly node: NodeId;
  readonly author: PublicKey;
  readonly lamport: number;
  readonly wallMs: number | undefined;
  readonly beat: readonly NodeId[];
}

/** Value that somebody has written under a key, without knowing of the others there. */
export interface ConcurrentValue {
  readonly node: NodeId;
  readonly author: PublicKey;
  readonly wallMs: number | undefined;
  /** Undefined where it was deleted. */
  readonly value: unknown;
}

/** What a key holds of each kind: register, text and list of one name have nothing to do with each other. [MP4] */
export interface Resolved {
  readonly value?: unknown;
  readonly text?: string;
  readonly list?: readonly unknown[];
}

/** How registers and lists are written down, and read again; texts are alike in all forms. */
export interface ValuesForm {
  saveRegisters(registers: Registers, out: ByteWriter): void;
  loadRegisters(registers: Registers, input: ByteReader): void;
  saveList(list: List, out: ByteWriter): void;
  loadList(input: ByteReader, elements: Elements): List;
}

/** With all that they hold: for whoever reads values before the graph is there. */
const WITH_VALUES: ValuesForm = {
  saveRegisters: (registers, out) => registers.save(out),
  loadRegisters: (registers, input) => registers.load(input),
  saveList: (list, out) => list.save(out),
  loadList: (input, elements) => List.load(input, elements),
};

export class Document {
  readonly registers: Registers;
  readonly elements: Elements;
  readonly conflicts: Conflicts;
  readonly branches: Branches;
  readonly hash: ValuesHash;
  /** Nodes that have lost a register, each once for every time, while somebody wants to know. */
  lost: IntColumn | undefined;
  /** Record of what nodes change, while somebody wants to know. */
  touched: Touched | undefined;
  readonly #graph: Graph;
  readonly #past: CausalPast;
  /** Texts by number of the key. */
  readonly #texts: (Text | undefined)[] = [];
  readonly #lists: (List | undefined)[] = [];
  /** Ops of saved values among which marks were not looked for yet. */
  #unreadOps = 0;
  /** The element that `#resolve` found. */
  #chain = 0;
  #counter = 0;

  /** `room`: id of the genesis of the room whose values these are, where nodes of others may be among them. */
  constructor(graph: Graph, hash: HashMaker, room?: NodeId) {
    this.#graph = graph;
    this.#past = new CausalPast(graph);
    this.registers = new Registers(graph, room);
    this.elements = new Elements(graph);
    this.conflicts = new Conflicts(graph);
    this.branches = new Branches(graph);
    this.hash = new hash(graph, this);
    this.branches.onBranch((chain, counter) => this.hash.branched(chain, counter));
  }

  get graph(): Graph {
    return this.#graph;
  }

  /** The text of a key; empty when nobody has written to it. */
  text(key: number): Text {
    return (this.#texts[key] ??= new Text(this.elements));
  }

  list(key: number): List {
    return (this.#lists[key] ??= new List(this.elements));
  }

  /** The text of a key by name; undefined when nobody has named it. */
  textNamed(name: string): Text | undefined {
    const key = this.#graph.table.keys.find(name);
    return key === undefined ? undefined : this.#texts[key];
  }

  listNamed(name: string): List | undefined {
    const key = this.#graph.table.keys.find(name);
    return key === undefined ? undefined : this.#lists[key];
  }

  /** Marks of the text of a key; undefined when there are none. */
  marks(key: number): Marks | undefined {
    this.#readMarks();
    return this.#texts[key]?.marks;
  }

  /** The text of a key by name, with all of its marks; undefined when nobody has named it. */
  markedText(name: string): Text | undefined {
    this.#readMarks();
    return this.textNamed(name);
  }

  /** Keys that nodes name, but for the system's. */
  *names(): Generator<string> {
    for (const name of this.#graph.table.keys.names) if (!isSystemKey(name)) yield name;
  }

  /** Kinds that were never written, and registers that are deleted, are absent. */
  resolve(name: string): Resolved {
    const value = this.registers.get(name);
    const text = this.textNamed(name);
    const list = this.listNamed(name);
    return {
      ...(value === undefined ? {} : { value }),
      ...(text ? { text: text.toString() } : {}),
      ...(list ? { list: list.values().map(decodeValue) } : {}),
    };
  }

  /** All values with their winners, tombstones and elements. Nodes and chains are the graph's numbers. */
  save(out: ByteWriter, form = WITH_VALUES): void {
    form.saveRegisters(this.registers, out);
    saveEach(out, this.#texts, (text) => text.save(out));
    saveEach(out, this.#lists, (list) => form.saveList(list, out));
    this.conflicts.save(out);
  }

  /** Into an empty document. Values can be read at once; before anything else, the graph must be there: see `wake`. */
  load(input: ByteReader, form = WITH_VALUES): void {
    const keys = this.#graph.table.keys.names.length;
    form.loadRegisters(this.registers, input);
    loadEach(input, keys, this.#texts, () => Text.load(input, this.elements));
    loadEach(input, keys, this.#lists, () => form.loadList(input, this.elements));
    this.conflicts.load(input);
  }

  /**
   * The graph has all nodes again that it had when this was saved. `joining` are those that begin a chain or have parents, where that is
   * known; `stateHash` is what the hash was, which is not computed then.
   */
  wake(joining: Iterable<number> = Array(this.#graph.settled).keys(), stateHash?: string): void {
    for (const node of joining) this.#follow(node);
    this.registers.wake();
    for (const list of this.#lists) list?.wake();
    this.#unreadOps = this.#graph.table.firstOp(this.#graph.settled);
    this.hash.loaded(stateHash);
  }

  #follow(node: number): void {
    this.#past.add(node);
    this.branches.add(node);
  }

  /** Folds anew what the graph has become. Texts and lists stay the same objects. */
  refold(): void {
    this.#past.clear();
    this.branches.clear();
    this.registers.clear();
    this.elements.clear();
    this.conflicts.clear();
    this.hash.clear();
    this.#unreadOps = 0;
    for (const text of this.#texts) text?.clear();
    for (const list of this.#lists) list?.clear();
    for (let node = 0; node < this.#graph.settled; node++) this.apply(node);
  }

  *texts(): Generator<readonly [key: number, text: Text]> {
    for (const [key, text] of this.#texts.entries()) if (text) yield [key, text];
  }

  /** All texts and lists. */
  *sequences(): Generator<readonly [kind: 'text' | 'list', key: number, sequence: Sequence]> {
    for (const [key, text] of this.#texts.entries()) if (text) yield ['text', key, text.sequence];
    for (const [key, list] of this.#lists.entries()) if (list) yield ['list', key, list.sequence];
  }

  /** Call for each node once, in log order. `edited`: the sequences hold its inserts and deletes already. */
  apply(node: number, edited = false): void {
    this.#follow(node);
    this.#applyOps(node, edited);
  }

  #applyOps(node: number, edited: boolean): void {
    const { table } = this.#graph;
    const chain = this.#graph.chain.get(node);
    const opsEnd = table.opsEnd.get(node);
    let counter = table.counter.get(node);
    for (let op = table.firstOp(node); op < opsEnd; op++) {
      this.#applyOp(op, node, chain, counter, edited);
      counter += table.elements(op);
    }
  }

  #applyOp(op: number, node: number, chain: number, counter: number, edited: boolean): void {
    const { table } = this.#graph;
    const kind = table.kind(op);
    const key = table.key(op);
    switch (kind) {
      case OP_TEXT_INSERT_RIGHT:
      case OP_TEXT_INSERT_LEFT: {
        const text = this.text(key);
        const count = table.count.get(op);
        this.elements.addText(chain, counter, op);
        const ref = table.ref.get(op);
        if (edited || this.#insert(text.sequence, kind, ref, table.at.get(op), count, node, chain, counter)) {
          this.hash.elementsChanged('text', key, chain, counter, count);
          this.touched?.inserted('text', node, key, { chain, counter, count });
        }
        return;
      }
      case OP_LIST_INSERT_RIGHT:
      case OP_LIST_INSERT_LEFT: {
        const { sequence } = this.list(key);
        const count = table.count.get(op);
        const ref = table.ref.get(op);
        if (edited || this.#insert(sequence, kind, ref, table.at.get(op), count, node, chain, counter)) {
          this.hash.elementsChanged('list', key, chain, counter, count);
          this.touched?.inserted('list', node, key, { chain, counter, count });
        }
        return;
      }
      case OP_TEXT_DELETE:
        this.#deleteText(op, node, chain, counter, edited);
        return;
      case OP_LIST_DELETE:
        this.#deleteItems(op, node, chain, counter, edited);
        return;
      case OP_TEXT_MARK: {
        const written = this.#mark(op, node, chain, counter);
        if (!written) return;
        this.hash.marked(key, written.mark);
        this.touched?.marked(key, written);
        return;
      }
      case OP_LIST_MOVE_RIGHT:
      case OP_LIST_MOVE_LEFT:
        this.#move(op, node, chain, counter, edited);
        return;
      default:
        if (!this.registers.acts(node, op)) return;
        this.touched?.register(node, key, this.registers);
        this.registers.apply(node, op, this.#overwritten);
        this.hash.registerChanged(key);
    }
  }

  #deleteText(op: number, node: number, chain: number, counter: number, edited: boolean): void {
    const { table } = this.#graph;
    const key = table.key(op);
    const { sequence } = this.text(key);
    if (table.count.get(op) !== 1) {
      return this.#eachHeld(sequence, op, node, chain, counter, (from, at, count) =>
        this.#hide(sequence, node, key, from, at, count, edited),
      );
    }
    // A keystroke makes no function of its own.
    if (!this.#resolve(table.ref.get(op), table.at.get(op), node, chain, counter)) return;
    if (sequence.has(this.#chain, this.#counter)) {
      this.#hide(sequence, node, key, this.#chain, this.#counter, 1, edited);
    }
  }

  #hide(
    sequence: Sequence,
    node: number,
    key: number,
    chain: number,
    counter: number,
    count: number,
    edited: boolean,
  ): void {
    this.touched?.hiding('text', node, key, { chain, counter, count }, sequence, edited);
    if (!edited) sequence.delete(chain, counter, count);
    this.hash.elementsChanged('text', key, chain, counter, count);
  }

  #deleteItems(op: number, node: number, chain: number, counter: number, edited: boolean): void {
    const key = this.#graph.table.key(op);
    const list = this.list(key);
    this.#eachHeld(list.sequence, op, node, chain, counter, (from, at, count) => {
      for (let i = 0; i < count; i++) {
        const item = { chain: from, counter: at + i };
        if (this.touched && list.has(item))
          this.touched.hiding('list', node, key, { ...list.seatOf(item), count: 1 }, list.sequence, edited);
        list.delete(item);
        this.#seatsChanged(key, list.seatsOf(item));
      }
    });
  }

  /** With `edited`, the new seat is in the sequence. */
  #move(op: number, node: number, chain: number, counter: number, edited: boolean): void {
    const { table } = this.#graph;
    const key = table.key(op);
    const list = this.list(key);
    if (!this.#resolve(table.ref.get(op), table.at.get(op), node, chain, counter)) return;
    const item = { chain: this.#chain, counter: this.#counter };
    if (!list.has(item)) return;
    const { ref, at } = table.anchor(op);
    if (!edited && !this.#insert(list.sequence, table.kind(op), ref, at, 1, node, chain, counter)) return;
    const seat = { chain, counter };
    this.touched?.hiding('list', node, key, { ...list.seatOf(item), count: 1 }, list.sequence, false);
    this.touched?.inserted('list', node, key, { ...seat, count: 1 });
    const { won, rival } = list.move(item, seat);
    this.#seatsChanged(key, [seat, ...list.seatsOf(item)]);
    if (!rival) return;
    const other = this.elements.nodeOf(rival.chain, rival.counter);
    this.#contested('move', key, won ? node : other, won ? other : node);
  }

  /** Marks are not among saved values: they are in the log, and read from it when somebody asks. */
  #readMarks(): void {
    if (this.#unreadOps === 0) return;
    const { table } = this.#graph;
    const ops = table.marksBefore(this.#unreadOps);
    this.#unreadOps = 0;
    for (const op of ops) {
      const node = table.nodeOf(op);
      let counter = table.counter.get(node);
      for (let before = table.firstOp(node); before < op; before++) counter += table.elements(before);
      this.#mark(op, node, this.#graph.chain.get(node), counter);
    }
  }

  /** Answers the mark when its range shows it now. */
  #mark(op: number, node: number, chain: number, counter: number): WrittenMark | undefined {
    this.#readMarks();
    const { table } = this.#graph;
    const key = table.key(op);
    const to = table.anchor(op);
    const from = this.#endOf(key, table.ref.get(op), table.at.get(op), node, chain, counter);
    const end = from === false ? false : this.#endOf(key, to.ref, to.at, node, chain, counter);
    if (from === false || end === false) return undefined;
    const mark = markAt(this.#graph, node, op, from, end);
    const marks = (this.text(key).marks ??= new Marks(this.#graph));
    const beaten = marks.add(mark);
    return beaten === false ? undefined : { mark, beaten: beaten === true ? undefined : beaten };
  }

  /** The element at an end of a mark, undefined for an end of the text; false when its author cannot have known it. */
  #endOf(
    key: number,
    ref: number,
    at: number,
    node: number,
    chain: number,
    counter: number,
  ): ElementNumber | undefined | false {
    if (ref === NONE) return undefined;
    if (!this.#resolve(ref, at, node, chain, counter)) return false;
    const element = { chain: this.#chain, counter: this.#counter };
    return this.#texts[key]?.sequence.has(element.chain, element.counter) ? element : false;
  }

  #seatsChanged(key: number, seats: readonly ElementNumber[]): void {
    for (const { chain, counter } of seats) this.hash.elementsChanged('list', key, chain, counter, 1);
  }

  readonly #overwritten = (key: number, winner: number, loser: number): void => {
    this.lost?.push(loser);
    this.#contested('overwrite', key, winner, loser);
  };

  /** Writes that did not know each other are a conflict; writing over what one has seen is none. */
  #contested(kind: Conflict['kind'], key: number, winner: number, loser: number): void {
    if (this.#past.includes(winner, loser) || this.#past.includes(loser, winner)) return;
    this.conflicts.add(kind, key, winner, loser);
  }

  /** Which node a register's value, or the element at a position of a text or list, comes from. */
  why(name: string, position?: { readonly in: 'text' | 'list'; readonly at: number }): Origin | undefined {
    const key = this.#graph.table.keys.find(name);
    if (key === undefined) return undefined;
    const node = position ? this.#nodeAt(name, position) : this.registers.nodeOf(key);
    if (node < 0) return undefined;
    return {
      node: this.#graph.idOf(node),
      author: this.#graph.authorOf(node),
      lamport: this.#graph.lamport.get(node),
      wallMs: this.#graph.table.walls.get(node),
      beat: this.conflicts.losersTo(key, node).map((loser) => this.#graph.idOf(loser)),
    };
  }

  /**
   * Values of a register that did not know of each other, the one that won first; none where nobody disagrees. A later write
   * that knows of them ends it. [CF3]
   */
  concurrent(name: string): ConcurrentValue[] {
    const key = this.#graph.table.keys.find(name);
    if (key === undefined) return [];
    const won = this.registers.nodeOf(key);
    if (won < 0) return [];
    const unseen = this.conflicts.contenders(key).filter((node) => !this.#past.includes(won, node));
    const last = unseen.filter((node) => !unseen.some((later) => later !== node && this.#past.includes(later, node)));
    const lost = last.sort((a, b) => compareNodes(this.#graph, b, a)).flatMap((node) => this.#written(node, key));
    return lost.length === 0 ? [] : [this.#valueOf(won, this.registers.value(key)), ...lost];
  }

  /** What a node has written last under a key; nothing where its ops are no longer held. */
  #written(node: number, key: number): ConcurrentValue[] {
    const { table } = this.#graph;
    for (let op = table.opsEnd.get(node) - 1; op >= table.firstOp(node); op--)
      if (table.key(op) === key && isRegisterOp(table.kind(op)))
        return [this.#valueOf(node, this.registers.written(op))];
    return [];
  }

  #valueOf(node: number, held: Uint8Array | BlobRef | undefined): ConcurrentValue {
    return {
      node: this.#graph.idOf(node),
      author: this.#graph.authorOf(node),
      wallMs: this.#graph.table.walls.get(node),
      value: readValue(held),
    };
  }

  #nodeAt(name: string, { in: kind, at }: { readonly in: 'text' | 'list'; readonly at: number }): number {
    const value = kind === 'text' ? this.textNamed(name) : this.listNamed(name);
    if (!value || !Number.isInteger(at) || at < 0 || at >= value.length) return -1;
    value.sequence.elementAt(at);
    return this.elements.nodeOf(value.sequence.foundChain, value.sequence.foundCounter);
  }

  /** False, and nothing is done, when the anchor is not in the author's past or not of this sequence. */
  #insert(
    sequence: Sequence,
    kind: number,
    ref: number,
    at: number,
    count: number,
    node: number,
    chain: number,
    counter: number,
  ): boolean {
    const side = isLeft(kind) ? LEFT : RIGHT;
    if (ref === NONE) {
      sequence.insert(chain, counter, count, ROOT_CHAIN, 0, side);
      return true;
    }
    if (!this.#resolve(ref, at, node, chain, counter)) return false;
    if (!sequence.has(this.#chain, this.#counter)) return false;
    sequence.insert(chain, counter, count, this.#chain, this.#counter, side);
    return true;
  }

  /** Elements of a deletion that this sequence holds; none when the last is not in the past. */
  #eachHeld(
    sequence: Sequence,
    op: number,
    node: number,
    chain: number,
    counter: number,
    visit: (chain: number, counter: number, count: number) => void,
  ): void {
    const { table } = this.#graph;
    const count = table.count.get(op);
    if (!this.#resolve(table.ref.get(op), table.at.get(op), node, chain, counter)) return;
    const last = this.#counter;
    const first = last - count + 1;
    if (first < 0) return;
    if (count === 1) {
      if (sequence.has(this.#chain, last)) visit(this.#chain, last, 1);
      return;
    }
    // Collected first: hiding elements may join the very runs that are being walked.
    const runs: [chain: number, counter: number, count: number][] = [];
    for (const piece of this.branches.pieces(this.#chain, first, last)) {
      const { chain: held, counter: from } = piece;
      sequence.forEachRun(held, from, from + piece.count, (at, length) => runs.push([held, at, length]));
    }
    for (const run of runs) visit(...run);
  }

  /** Finds the element that an op names, in `#chain` and `#counter`; false when its author cannot have known it. */
  #resolve(ref: number, at: number, node: number, chain: number, counter: number): boolean {
    if (ref === OWN) {
      if (at >= counter) return false;
      this.#chain = this.branches.chainOf(chain, at);
      this.#counter = at;
      return true;
    }
    if (ref < 0 || !this.#past.includes(node, ref)) return false;
    if (at >= this.#graph.table.elementsOf(ref)) return false;
    this.#chain = this.#graph.chain.get(ref);
    this.#counter = this.#graph.table.counter.get(ref) + at;
    return true;
  }
}

function saveEach<T>(out: ByteWriter, values: readonly (T | undefined)[], save: (value: T) => void): void {
  const held = [...values.entries()].flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  out.varint(held.length);
  for (const [key, value] of held) {
    out.varint(key);
    save(value);
  }
}

function loadEach<T>(input: ByteReader, keys: number, values: (T | undefined)[], load: () => T): void {
  for (let left = input.count(2, keys); left > 0; left--) {
    const key = input.varint();
    if (key >= keys) throw new DecodeError('a saved value has a key that is not there');
    values[key] = load();
  }
}
