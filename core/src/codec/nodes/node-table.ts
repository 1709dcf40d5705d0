/**
 * Nodes as columns: what a pack brings, and what a graph holds. No object, no array, no text per node or op.
 *
 * Nodes and ops are numbered in the order in which they were added. A node is made of the ops and parents added since the
 * node before, and of what `close` is told. Wherever a node names another, a reference stands: the place of a node of
 * this table, or an id outside of it.
 */
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError } from '../bytes/bytes.js';
import { IntColumn } from '../bytes/columns.js';
import { LogColumn } from '../bytes/log-column.js';
import { DIGEST_WORDS } from '../sha256/words.js';
import { type FiledIds, IDS_A_PAGE } from './filed-ids.js';
import { IdIndex } from './id-index.js';
import { Identities } from './identity.js';
import { KeyTable } from './key-table.js';
import {
  DORMANT,
  OP_LIST_DELETE,
  OP_LIST_MOVE_LEFT,
  OP_TEXT_DELETE,
  OP_TEXT_INSERT_RIGHT,
  OP_TEXT_MARK,
} from './op-kinds.js';
import { Withheld } from './withheld.js';

/** A reference to nothing: no `prev`, or the start of a text or list. */
export const NONE = -1;
/** An element of the author's own chain, named by its counter. */
export const OWN = -2;

/** The reference of the n-th id outside, and back: an involution. */
export function outside(n: number): number {
  return OWN - 1 - n;
}

/** The second element that an op names: the new place of a moved item, or where a mark ends. */
export interface Anchored {
  readonly ref: number;
  readonly at: number;
}

/** Content that a table can have: numbers of 31 bits name every byte of it. */
const MOST_CONTENT = 2 ** 31 - 1;

/** Throws for an end of content that a column would hold as another number. */
function expectNumbered(contentEnd: number): void {
  if (contentEnd > MOST_CONTENT) throw new DecodeError('the values of one room take more than 2 GiB');
}

export class NodeTable {
  readonly identities = new Identities();
  readonly keys: KeyTable;
  /** Eight words for each, but for those that lie in files. */
  readonly ids: IntColumn;
  readonly outside = new IntColumn();
  index: IdIndex;
  readonly outsideIndex = new IdIndex(this.outside);

  // Columns of nodes: number of the identity, references, ends of parents and ops, elements that the chain had inserted before.
  identity: LogColumn;
  prev: LogColumn;
  parentsEnd: LogColumn;
  opsEnd: LogColumn;
  counter: LogColumn;
  parents = new LogColumn();
  readonly walls = new Map<number, number>();
  /** Known by their headers alone. */
  readonly withheld = new Withheld();

  // Columns of ops: kind and key; what it names, by reference and counter or offset; how many elements it inserts or deletes;
  // where its content ends, which begins where the one before ends.
  heads: LogColumn;
  ref: LogColumn;
  at: LogColumn;
  count: LogColumn;
  contentEnd: LogColumn;
  readonly #anchors = new Map<number, Anchored>();
  /** Texts in UTF-8, values, hashes. What is read of it in one turn may be elsewhere in the next: see `letGo`. */
  content: ByteWriter;
  /** Ids of the first nodes, where they lie in files, and how many those are: see `filed-table.ts`. */
  filed: FiledIds | undefined;
  filedTo = 0;
  /** Bytes of values that lie in the log alone. */
  dormantBytes = 0;
  /** Values of dormant ops, for one call: see `lending`. */
  lent: ReadonlyMap<number, Uint8Array> | undefined;

  constructor(nodes = 0, ops = nodes, keys = new KeyTable(), content = new ByteWriter(0)) {
    this.keys = keys;
    this.content = content;
    this.ids = new IntColumn(nodes * DIGEST_WORDS);
    this.index = new IdIndex(this.ids);
    this.identity = new LogColumn(nodes);
    this.prev = new LogColumn(nodes);
    this.parentsEnd = new LogColumn(nodes);
    this.opsEnd = new LogColumn(nodes);
    this.counter = new LogColumn(nodes);
    this.heads = new LogColumn(ops);
    this.ref = new LogColumn(ops);
    this.at = new LogColumn(ops);
    this.count = new LogColumn(ops);
    this.contentEnd = new LogColumn(ops);
  }

  /** Closed nodes. */
  get size(): number {
    return this.identity.length;
  }

  /** Ops, those of the open node included. */
  get ops(): number {
    return this.heads.length;
  }

  isDormant(op: number): boolean {
    return this.kind(op) === DORMANT;
  }

  /** The value of a dormant op, which somebody lends. */
  lentValue(op: number): Uint8Array {
    const value = this.lent?.get(op);
    if (!value) throw new Error('a value that was overwritten lies in the log alone: it is to be read there first');
    return value;
  }

  /** Bytes of a node's values, those that lie in the log alone too. */
  bytesOf(place: number): number {
    const [first, end] = [this.firstOp(place), this.opsEnd.get(place)];
    let bytes = this.contentStart(end) - this.contentStart(first);
    for (let op = first; this.dormantBytes > 0 && op < end; op++) if (this.isDormant(op)) bytes += this.count.get(op);
    return bytes;
  }

  /** Makes room at once for what another table holds. */
  reserveFor(other: NodeTable): void {
    this.ids.reserve(other.ids.length);
    for (const column of this.columns.nodes) column.reserve(other.size);
    for (const column of this.columns.ops) column.reserve(other.ops);
  }

  /** The content that the next op brings is written to `content` before. */
  addOp(kind: number, key: number, ref: number, at: number, count: number, contentEnd = this.content.length): void {
    expectNumbered(contentEnd);
    this.heads.push(key * 16 + kind);
    this.ref.push(ref);
    this.at.push(at);
    this.count.push(count);
    this.contentEnd.push(contentEnd);
  }

  /** The move of an item: (ref, at) to beside (anchorRef, anchorAt). */
  addMove(kind: number, key: number, ref: number, at: number, anchorRef: number, anchorAt: number): void {
    this.addPair(kind, key, ref, at, 1, anchorRef, anchorAt, this.contentStart(this.ops));
  }

  /** An op that names two elements, with content that was written before. */
  addPair(
    kind: number,
    key: number,
    ref: number,
    at: number,
    count: number,
    anchorRef: number,
    anchorAt: number,
    contentEnd = this.content.length,
  ): void {
    this.addOp(kind, key, ref, at, count, contentEnd);
    this.#anchors.set(this.ops - 1, { ref: anchorRef, at: anchorAt });
  }

  /** Ends the open node. Its id is pushed next. */
  close(identity: number, prev: number, counter: number): number {
    this.identity.push(identity);
    this.prev.push(prev);
    this.counter.push(counter);
    this.parentsEnd.push(this.parents.length);
    this.opsEnd.push(this.ops);
    return this.size - 1;
  }

  /**
   * Adds the ops of another table's first nodes, with their content; `keyOf` and `refOf` say what keys and references are
   * called here. For whole runs: columns are copied as columns where nothing changes.
   */
  addOpsOf(other: NodeTable, nodes: number, keyOf: (key: number) => number, refOf: (ref: number) => number): void {
    const ops = other.firstOp(nodes);
    const first = this.ops;
    const contentBefore = this.content.length;
    expectNumbered(contentBefore + other.contentStart(ops));
    for (const column of this.columns.ops) column.reserve(ops);
    const heads = other.heads.whole();
    const refs = other.ref.whole();
    const ats = other.at.whole();
    const counts = other.count.whole();
    const ends = other.contentEnd.whole();
    for (let op = 0; op < ops; op++) {
      const head = heads[op]!;
      const ref = refs[op]!;
      this.heads.push(keyOf(head >> 4) * 16 + (head & 15));
      this.ref.push(ref === NONE || ref === OWN ? ref : refOf(ref));
      this.at.push(ats[op]!);
      this.count.push(counts[op]!);
      this.contentEnd.push(contentBefore + ends[op]!);
    }
    for (const [op, { ref, at }] of other.#anchors)
      if (op < ops) this.#anchors.set(first + op, { ref: ref === NONE || ref === OWN ? ref : refOf(ref), at });
    this.content.copy(other.content.buffer, 0, other.contentStart(ops));
  }

  /**
   * Closes the first nodes of another table here, each the `prev` of the next and of one author. Their ops were added just
   * before; their parents are added next.
   */
  addNodesOf(other: NodeTable, nodes: number, identity: number, prev: number, counter: number): void {
    const first = this.size;
    const parentsBefore = this.parents.length;
    const opsBefore = this.ops - other.firstOp(nodes);
    for (const column of this.columns.nodes) column.reserve(nodes);
    const parentsEnds = other.parentsEnd.whole();
    const opsEnds = other.opsEnd.whole();
    let inserted = counter;
    for (let place = 0; place < nodes; place++) {
      this.identity.push(identity);
      this.prev.push(place === 0 ? prev : first + place - 1);
      this.counter.push(inserted);
      this.parentsEnd.push(parentsBefore + parentsEnds[place]!);
      this.opsEnd.push(opsBefore + opsEnds[place]!);
      inserted += other.elementsOf(place);
    }
  }

  /** Columns of nodes, of ops, and of parents: what is written down of them, and packed. */
  get columns(): { readonly nodes: readonly LogColumn[]; readonly ops: readonly LogColumn[] } {
    return {
      nodes: [this.identity, this.prev, this.parentsEnd, this.opsEnd, this.counter],
      ops: [this.heads, this.ref, this.at, this.count, this.contentEnd],
    };
  }

  /** Second elements, by the ops that name them. */
  get anchors(): Map<number, Anchored> {
    return this.#anchors;
  }

  /** Forgets the open node. */
  drop(): void {
    this.truncate(this.size);
  }

  /** Forgets the nodes from `size` on, and the open one. */
  truncate(size: number): void {
    this.index.truncate(size);
    for (const notes of [this.walls, this.withheld])
      for (let place = size; notes.size > 0 && place < this.size; place++) notes.delete(place);
    const parents = this.firstParent(size);
    const ops = this.firstOp(size);
    for (let op = ops; this.#anchors.size > 0 && op < this.ops; op++) this.#anchors.delete(op);
    for (const column of this.columns.nodes) column.truncate(size);
    this.ids.truncate((size - this.filedTo) * DIGEST_WORDS);
    this.parents.truncate(parents);
    for (const column of this.columns.ops) column.truncate(ops);
    this.content.truncate(this.contentStart(ops));
  }

  /**
   * Forgets the nodes that are not marked; the others move up, and what they name of those is outside from then on. Answers
   * where each one is now. Columns are moved in place: this is for a table that is filled at one end and emptied elsewhere.
   */
  retain(kept: Uint8Array): Int32Array {
    const places = new Int32Array(this.size);
    let nodes = 0;
    for (let place = 0; place < this.size; place++) places[place] = kept[place] === 1 ? nodes++ : NONE;
    if (nodes === 0) this.reset();
    if (nodes === 0 || nodes === this.size) return places;
    this.#rename(kept, (ref) => (ref < 0 ? ref : kept[ref] === 1 ? places[ref]! : this.#outsideOf(ref)));
    this.#renumber(places);
    this.index.truncate(0);
    const end = { nodes: 0, parents: 0, ops: 0, content: 0 };
    for (let from = kept.indexOf(1); from >= 0;) {
      const gap = kept.indexOf(0, from);
      const to = gap < 0 || gap > this.size ? this.size : gap;
      this.#moveUp(from, to, end);
      from = kept.indexOf(1, to);
    }
    for (const column of this.columns.nodes) column.truncate(end.nodes);
    this.ids.truncate(end.nodes * DIGEST_WORDS);
    this.parents.truncate(end.parents);
    for (const column of this.columns.ops) column.truncate(end.ops);
    this.content.truncate(end.content);
    return places;
  }

  /** Calls what the marked nodes name by other references, while every id is still where it was. */
  #rename(kept: Uint8Array, moved: (ref: number) => number): void {
    for (let place = 0; place < this.size; place++) {
      if (kept[place] !== 1) continue;
      this.prev.set(place, moved(this.prev.get(place)));
      for (let i = this.firstParent(place); i < this.parentsEnd.get(place); i++)
        this.parents.set(i, moved(this.parents.get(i)));
      for (let op = this.firstOp(place); op < this.opsEnd.get(place); op++) {
        this.ref.set(op, moved(this.ref.get(op)));
        const anchor = this.#anchors.size === 0 ? undefined : this.#anchors.get(op);
        if (anchor) this.#anchors.set(op, { ref: moved(anchor.ref), at: anchor.at });
      }
    }
  }

  /** What is kept beside the columns goes with its node or op. */
  #renumber(places: Int32Array): void {
    for (const notes of [this.walls, this.withheld]) {
      const before = [...notes];
      notes.clear();
      for (const [place, note] of before) if (places[place] !== NONE) notes.set(places[place]!, note);
    }
    const anchors = new Map(this.#anchors);
    this.#anchors.clear();
    let ops = 0;
    for (let place = 0; anchors.size > 0 && place < this.size; place++) {
      if (places[place] === NONE) continue;
      for (let op = this.firstOp(place); op < this.opsEnd.get(place); op++, ops++) {
        const anchor = anchors.get(op);
        if (anchor) this.#anchors.set(ops, anchor);
      }
    }
  }

  /** Moves nodes to where the columns end so far, which is before them. */
  #moveUp(from: number, to: number, end: { nodes: number; parents: number; ops: number; content: number }): void {
    const [parents, ops] = [this.firstParent(from), this.firstOp(from)];
    const [parentsEnd, opsEnd] = [this.firstParent(to), this.firstOp(to)];
    const [content, contentEnd] = [this.contentStart(ops), this.contentStart(opsEnd)];
    for (const column of this.columns.nodes) column.moveUp(end.nodes, from, to);
    this.ids.values.copyWithin(end.nodes * DIGEST_WORDS, from * DIGEST_WORDS, to * DIGEST_WORDS);
    this.parents.moveUp(end.parents, parents, parentsEnd);
    for (const column of this.columns.ops) column.moveUp(end.ops, ops, opsEnd);
    this.content.buffer.copyWithin(end.content, content, contentEnd);
    for (let place = end.nodes; place < end.nodes + to - from; place++) {
      this.parentsEnd.set(place, this.parentsEnd.get(place) - (parents - end.parents));
      this.opsEnd.set(place, this.opsEnd.get(place) - (ops - end.ops));
    }
    for (let op = end.ops; op < end.ops + opsEnd - ops; op++)
      this.contentEnd.set(op, this.contentEnd.get(op) - (content - end.content));
    end.nodes += to - from;
    end.parents += parentsEnd - parents;
    end.ops += opsEnd - ops;
    end.content += contentEnd - content;
  }

  #outsideOf(place: number): number {
    return outside(this.outsideNumber(this.idWords(place), this.idAt(place)));
  }

  /** Forgets all nodes and the ids outside; keys and identities keep their numbers. */
  reset(): void {
    this.truncate(0);
    this.outsideIndex.truncate(0);
    this.outside.truncate(0);
  }

  firstParent(place: number): number {
    return place === 0 ? 0 : this.parentsEnd.get(place - 1);
  }

  firstOp(place: number): number {
    return place === 0 ? 0 : this.opsEnd.get(place - 1);
  }

  kind(op: number): number {
    return this.heads.get(op) & 15;
  }

  key(op: number): number {
    return this.heads.get(op) >> 4;
  }

  contentStart(op: number): number {
    return op === 0 ? 0 : this.contentEnd.get(op - 1);
  }

  /** A view of an op's content. */
  contentOf(op: number): Uint8Array {
    if (this.isDormant(op)) return this.lentValue(op);
    return this.content.buffer.subarray(this.contentStart(op), this.contentEnd.get(op));
  }

  anchor(op: number): Anchored {
    const anchor = this.#anchors.get(op);
    if (!anchor) throw new Error('an op that is no move and no mark has no second element');
    return anchor;
  }

  /** Whether any node marks a text: what is written down of it then is refused by versions that know no marks. */
  get hasMarks(): boolean {
    return this.marksBefore(this.ops).length > 0;
  }

  /** Marks among the first ops, in their order. */
  marksBefore(end: number): number[] {
    const marks = [...this.#anchors.keys()].filter((op) => op < end && this.kind(op) === OP_TEXT_MARK);
    return marks.sort((a, b) => a - b);
  }

  /** The closed node that an op is of. */
  nodeOf(op: number): number {
    let low = 0;
    for (let high = this.size; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.opsEnd.get(middle) <= op) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many elements an op inserts: what it adds to the counter of its author's chain. */
  elements(op: number): number {
    const kind = this.kind(op);
    return kind < OP_TEXT_INSERT_RIGHT || kind === OP_TEXT_DELETE || kind === OP_LIST_DELETE || kind > OP_LIST_MOVE_LEFT
      ? 0
      : this.count.get(op);
  }

  /** Whether of a withheld node the ops are there as far as they were not erased; they insert its elements then. */
  hasRemains(place: number): boolean {
    return this.withheld.has(place) && this.firstOp(place) < this.opsEnd.get(place);
  }

  /** Whether any node was erased in part: what is written down of it then is refused by versions that know no such nodes. */
  get hasAnyRemains(): boolean {
    for (const place of this.withheld.keys()) if (this.hasRemains(place)) return true;
    return false;
  }

  /** How many elements a node inserts. */
  elementsOf(place: number): number {
    let sum = this.withheld.size === 0 ? 0 : (this.withheld.get(place) ?? 0);
    for (let op = this.firstOp(place); op < this.opsEnd.get(place); op++) sum += this.elements(op);
    return sum;
  }

  /** The reference for an id: a node of this table, or one outside, which is remembered. */
  refTo(words: Int32Array, at: number): number {
    const place = this.index.find(words, at);
    return place >= 0 ? place : outside(this.outsideNumber(words, at));
  }

  outsideNumber(words: Int32Array, at: number): number {
    const known = this.outsideIndex.find(words, at);
    if (known >= 0) return known;
    for (let i = 0; i < DIGEST_WORDS; i++) this.outside.push(words[at + i]!);
    return this.outside.length / DIGEST_WORDS - 1;
  }

  /** Words among which the id of a reference to a node stands, from `idAt` on. Whoever reads an id asks for both, node by node: not all ids need stand among the words of one. */
  idWords(ref: number): Int32Array {
    if (ref >= this.filedTo) return this.ids.values;
    return ref < 0 ? this.outside.values : this.filed!.page(ref);
  }

  idAt(ref: number): number {
    if (ref >= this.filedTo) return (ref - this.filedTo) * DIGEST_WORDS;
    return (ref < 0 ? outside(ref) : ref % IDS_A_PAGE) * DIGEST_WORDS;
  }
}
