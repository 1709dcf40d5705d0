/**
 * Nodes as columns: what a pack brings, and what a graph holds. No object, no array, no text per node or op.
 *
 * Nodes and ops are numbered in the order in which they were added. A node is made of the ops and parents added since the
 * node before, and of what `close` is told. Wherever a node names another, a reference stands: the place of a node of
 * this table, or an id outside of it.
 */
import type { ByteReader } from '../bytes/byte-reader.js';
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError } from '../bytes/bytes.js';
import { IntColumn } from '../bytes/columns.js';
import { DIGEST_WORDS } from '../sha256/words.js';
import { IdIndex } from './id-index.js';
import { Identities, Identity } from './identity.js';
import { KeyTable } from './key-table.js';
import { expectAlike, expectBefore, expectEnds, expectWithin } from './loaded-columns.js';
import { DORMANT, KINDS } from './op-kinds.js';
import { Withheld } from './withheld.js';

/** A reference to nothing: no `prev`, or the start of a text or list. */
export const NONE = -1;
/** An element of the author's own chain, named by its counter. */
export const OWN = -2;

/** Below all references: they are saved as their distance from it. */
const OUTSIDE_LEAST = -(2 ** 31);
const MOST_IDENTITIES = 2 ** 26;

/** The reference of the n-th id outside, and back: an involution. */
export function outside(n: number): number {
  return OWN - 1 - n;
}

/** The second element that an op names: the new place of a moved item, or where a mark ends. */
interface Anchored {
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
  /** Eight words for each. */
  readonly ids: IntColumn;
  readonly outside = new IntColumn();
  readonly index: IdIndex;
  readonly outsideIndex = new IdIndex(this.outside);

  // Columns of nodes: number of the identity, references, ends of parents and ops, elements that the chain had inserted before.
  readonly identity: IntColumn;
  readonly prev: IntColumn;
  readonly parentsEnd: IntColumn;
  readonly opsEnd: IntColumn;
  readonly counter: IntColumn;
  readonly parents = new IntColumn();
  readonly walls = new Map<number, number>();
  /** Known by their headers alone. */
  readonly withheld = new Withheld();

  // Columns of ops: kind and key; what it names, by reference and counter or offset; how many elements it inserts or deletes;
  // where its content ends, which begins where the one before ends.
  readonly #heads: IntColumn;
  readonly ref: IntColumn;
  readonly at: IntColumn;
  readonly count: IntColumn;
  readonly contentEnd: IntColumn;
  readonly #anchors = new Map<number, Anchored>();
  #content: ByteWriter;
  /** Bytes of values that lie in the log alone. */
  #dormantBytes = 0;
  /** Values of dormant ops, for one call. */
  #lent: ReadonlyMap<number, Uint8Array> | undefined;

  constructor(nodes = 0, ops = nodes, keys = new KeyTable(), content = new ByteWriter(0)) {
    this.keys = keys;
    this.#content = content;
    this.ids = new IntColumn(nodes * DIGEST_WORDS);
    this.index = new IdIndex(this.ids);
    this.identity = new IntColumn(nodes);
    this.prev = new IntColumn(nodes);
    this.parentsEnd = new IntColumn(nodes);
    this.opsEnd = new IntColumn(nodes);
    this.counter = new IntColumn(nodes);
    this.#heads = new IntColumn(ops);
    this.ref = new IntColumn(ops);
    this.at = new IntColumn(ops);
    this.count = new IntColumn(ops);
    this.contentEnd = new IntColumn(ops);
  }

  /** Closed nodes. */
  get size(): number {
    return this.identity.length;
  }

  /** Ops, those of the open node included. */
  get ops(): number {
    return this.#heads.length;
  }

  /** Texts in UTF-8, values, hashes. What is read of it in one turn may be elsewhere in the next: see `letGo`. */
  get content(): ByteWriter {
    return this.#content;
  }

  get dormantBytes(): number {
    return this.#dormantBytes;
  }

  isDormant(op: number): boolean {
    return this.kind(op) === DORMANT;
  }

  /**
   * Makes ops dormant, each of which sets a value: whoever wants it reads it from the log, and lends it. Ops keep their numbers,
   * and what was read of the content before stays as it was.
   */
  letGo(ops: Iterable<number>): void {
    const before = this.#content;
    let gone = 0;
    for (const op of ops) {
      if (this.isDormant(op)) continue;
      if (this.kind(op) !== KINDS.set) throw new Error('an op that sets no value has none to let go');
      const length = this.contentEnd.values[op]! - this.contentStart(op);
      this.#heads.values[op] = this.key(op) * 16 + DORMANT;
      this.count.values[op] = length;
      gone += length;
    }
    const kept = new ByteWriter(before.length - gone);
    let [start, from] = [0, 0];
    for (let op = 0; op < this.ops; op++) {
      const end = this.contentEnd.values[op]!;
      if (end > start && this.isDormant(op)) {
        kept.copy(before.buffer, from, start);
        from = end;
      }
      this.contentEnd.values[op] = kept.length + (end - from);
      start = end;
    }
    kept.copy(before.buffer, from, before.length);
    this.#content = kept;
    this.#dormantBytes += gone;
  }

  /** Takes the values of all dormant ops back, which are lent. */
  takeBack(): void {
    const before = this.#content;
    const all = new ByteWriter(before.length + this.#dormantBytes);
    let [start, from] = [0, 0];
    for (let op = 0; op < this.ops; op++) {
      const end = this.contentEnd.values[op]!;
      if (this.isDormant(op)) {
        all.copy(before.buffer, from, start);
        from = start;
        all.bytes(this.lentValue(op));
        this.#heads.values[op] = this.key(op) * 16 + KINDS.set;
        this.count.values[op] = 0;
      }
      this.contentEnd.values[op] = all.length + (end - from);
      start = end;
    }
    all.copy(before.buffer, from, before.length);
    this.#content = all;
    this.#dormantBytes = 0;
  }

  /** Has these values at hand for as long as a call takes. */
  lending<T>(values: ReadonlyMap<number, Uint8Array>, make: () => T): T {
    this.#lent = values;
    try {
      return make();
    } finally {
      this.#lent = undefined;
    }
  }

  /** The value of a dormant op, which somebody lends. */
  lentValue(op: number): Uint8Array {
    const value = this.#lent?.get(op);
    if (!value) throw new Error('a value that was overwritten lies in the log alone: it is to be read there first');
    return value;
  }

  /** Bytes of a node's values, those that lie in the log alone too. */
  bytesOf(place: number): number {
    const [first, end] = [this.firstOp(place), this.opsEnd.values[place]!];
    let bytes = this.contentStart(end) - this.contentStart(first);
    for (let op = first; this.#dormantBytes > 0 && op < end; op++)
      if (this.isDormant(op)) bytes += this.count.values[op]!;
    return bytes;
  }

  /** Makes room at once for what another table holds. */
  reserveFor(other: NodeTable): void {
    this.ids.reserve(other.ids.length);
    for (const column of [this.identity, this.prev, this.parentsEnd, this.opsEnd, this.counter])
      column.reserve(other.size);
    for (const column of [this.#heads, this.ref, this.at, this.count, this.contentEnd]) column.reserve(other.ops);
  }

  /** The content that the next op brings is written to `content` before. */
  addOp(kind: number, key: number, ref: number, at: number, count: number, contentEnd = this.#content.length): void {
    expectNumbered(contentEnd);
    this.#heads.push(key * 16 + kind);
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
    contentEnd = this.#content.length,
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
    const contentBefore = this.#content.length;
    expectNumbered(contentBefore + other.contentStart(ops));
    for (const column of [this.#heads, this.ref, this.at, this.count, this.contentEnd]) column.reserve(ops);
    for (let op = 0; op < ops; op++) {
      const ref = other.ref.values[op]!;
      this.#heads.values[first + op] = keyOf(other.key(op)) * 16 + other.kind(op);
      this.ref.values[first + op] = ref === NONE || ref === OWN ? ref : refOf(ref);
      this.contentEnd.values[first + op] = contentBefore + other.contentEnd.values[op]!;
    }
    this.at.values.set(other.at.values.subarray(0, ops), first);
    this.count.values.set(other.count.values.subarray(0, ops), first);
    for (const column of [this.#heads, this.ref, this.at, this.count, this.contentEnd]) column.length += ops;
    for (const [op, { ref, at }] of other.#anchors)
      if (op < ops) this.#anchors.set(first + op, { ref: ref === NONE || ref === OWN ? ref : refOf(ref), at });
    this.#content.copy(other.content.buffer, 0, other.contentStart(ops));
  }

  /**
   * Closes the first nodes of another table here, each the `prev` of the next and of one author. Their ops were added just
   * before; their parents are added next.
   */
  addNodesOf(other: NodeTable, nodes: number, identity: number, prev: number, counter: number): void {
    const first = this.size;
    const parentsBefore = this.parents.length;
    const opsBefore = this.ops - other.firstOp(nodes);
    const columns = [this.identity, this.prev, this.counter, this.parentsEnd, this.opsEnd];
    for (const column of columns) column.reserve(nodes);
    let inserted = counter;
    for (let place = 0; place < nodes; place++) {
      this.prev.values[first + place] = place === 0 ? prev : first + place - 1;
      this.counter.values[first + place] = inserted;
      this.parentsEnd.values[first + place] = parentsBefore + other.parentsEnd.values[place]!;
      this.opsEnd.values[first + place] = opsBefore + other.opsEnd.values[place]!;
      inserted += other.elementsOf(place);
    }
    this.identity.values.fill(identity, first, first + nodes);
    for (const column of columns) column.length += nodes;
  }

  /** All closed nodes with their ids, for what never leaves this machine: see `IntColumn.save`. */
  save(out: ByteWriter): void {
    out.varint(this.identities.list.length);
    for (const { room, author } of this.identities.list) {
      out.bytes(room);
      out.bytes(author);
    }
    this.keys.save(out);
    for (const column of this.#saved) column.save(out);
    out.sized(this.#content.view());
    for (const notes of [this.walls, this.withheld]) {
      out.varint(notes.size);
      for (const [place, note] of notes) {
        out.varint(place);
        out.varint(note);
      }
    }
    out.varint(this.#anchors.size);
    for (const [op, { ref, at }] of this.#anchors) {
      out.varint(op);
      out.varint(ref - OUTSIDE_LEAST);
      out.varint(at);
    }
  }

  /** Into an empty table. */
  load(input: ByteReader): void {
    for (let left = input.count(64, MOST_IDENTITIES); left > 0; left--)
      this.identities.number(new Identity(input.bytes(32).slice(), input.bytes(32).slice()));
    this.keys.load(input);
    for (const column of this.#saved) column.load(input);
    this.#content.bytes(input.sized());
    this.#expectSound();
    for (let op = 0; op < this.ops; op++) if (this.isDormant(op)) this.#dormantBytes += this.count.values[op]!;
    for (const notes of [this.walls, this.withheld])
      for (let left = input.count(2, this.size); left > 0; left--) notes.set(this.#placeIn(input), input.varint());
    for (let left = input.count(3, this.ops); left > 0; left--)
      this.#anchors.set(input.varint(), { ref: input.varint() + OUTSIDE_LEAST, at: input.varint() });
  }

  #placeIn(input: ByteReader): number {
    const place = input.varint();
    if (place >= this.size) throw new DecodeError('a saved table has a note on no node');
    return place;
  }

  /** Throws `DecodeError` for columns that cannot be those of a graph, whose nodes stand on nodes before them. */
  #expectSound(): void {
    const { size, ops } = this;
    expectAlike(size * DIGEST_WORDS, [this.ids]);
    expectAlike(size, [this.prev, this.parentsEnd, this.opsEnd, this.counter]);
    expectAlike(ops, [this.ref, this.at, this.count, this.contentEnd]);
    if (this.outside.length % DIGEST_WORDS > 0) throw new DecodeError('a saved table has part of an id');
    expectWithin(this.identity, 0, this.identities.list.length);
    expectBefore(this.prev, NONE);
    expectEnds(this.parentsEnd, this.parents.length);
    expectWithin(this.parents, 0, size);
    this.#expectParentsBefore();
    expectEnds(this.opsEnd, ops);
    expectWithin(this.#heads, 0, this.keys.names.length * 16);
    expectWithin(this.ref, outside(this.outside.length / DIGEST_WORDS - 1), size);
    expectEnds(this.contentEnd, this.#content.length);
  }

  #expectParentsBefore(): void {
    for (let node = 0, i = 0; node < this.size; node++)
      for (; i < this.parentsEnd.values[node]!; i++)
        if (this.parents.values[i]! >= node) throw new DecodeError('a saved table has a node on a later one');
  }

  get #saved(): readonly IntColumn[] {
    const nodes = [this.ids, this.identity, this.prev, this.parentsEnd, this.opsEnd, this.counter, this.parents];
    return [...nodes, this.outside, this.#heads, this.ref, this.at, this.count, this.contentEnd];
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
    for (const column of [this.identity, this.prev, this.counter, this.parentsEnd, this.opsEnd]) column.truncate(size);
    this.ids.truncate(size * DIGEST_WORDS);
    this.parents.truncate(parents);
    for (const column of [this.#heads, this.ref, this.at, this.count, this.contentEnd]) column.truncate(ops);
    this.#content.truncate(this.contentStart(ops));
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
    for (const column of [this.identity, this.prev, this.counter, this.parentsEnd, this.opsEnd])
      column.truncate(end.nodes);
    this.ids.truncate(end.nodes * DIGEST_WORDS);
    this.parents.truncate(end.parents);
    for (const column of [this.#heads, this.ref, this.at, this.count, this.contentEnd]) column.truncate(end.ops);
    this.#content.truncate(end.content);
    return places;
  }

  /** Calls what the marked nodes name by other references, while every id is still where it was. */
  #rename(kept: Uint8Array, moved: (ref: number) => number): void {
    for (let place = 0; place < this.size; place++) {
      if (kept[place] !== 1) continue;
      this.prev.values[place] = moved(this.prev.values[place]!);
      for (let i = this.firstParent(place); i < this.parentsEnd.values[place]!; i++)
        this.parents.values[i] = moved(this.parents.values[i]!);
      for (let op = this.firstOp(place); op < this.opsEnd.values[place]!; op++) {
        this.ref.values[op] = moved(this.ref.values[op]!);
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
      for (let op = this.firstOp(place); op < this.opsEnd.values[place]!; op++, ops++) {
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
    for (const { values } of [this.identity, this.prev, this.counter, this.parentsEnd, this.opsEnd])
      values.copyWithin(end.nodes, from, to);
    this.ids.values.copyWithin(end.nodes * DIGEST_WORDS, from * DIGEST_WORDS, to * DIGEST_WORDS);
    this.parents.values.copyWithin(end.parents, parents, parentsEnd);
    for (const { values } of [this.#heads, this.ref, this.at, this.count, this.contentEnd])
      values.copyWithin(end.ops, ops, opsEnd);
    this.#content.buffer.copyWithin(end.content, content, contentEnd);
    for (let place = end.nodes; place < end.nodes + to - from; place++) {
      this.parentsEnd.values[place]! -= parents - end.parents;
      this.opsEnd.values[place]! -= ops - end.ops;
    }
    for (let op = end.ops; op < end.ops + opsEnd - ops; op++) this.contentEnd.values[op]! -= content - end.content;
    end.nodes += to - from;
    end.parents += parentsEnd - parents;
    end.ops += opsEnd - ops;
    end.content += contentEnd - content;
  }

  #outsideOf(place: number): number {
    return outside(this.outsideNumber(this.ids.values, place * DIGEST_WORDS));
  }

  /** Forgets all nodes and the ids outside; keys and identities keep their numbers. */
  reset(): void {
    this.truncate(0);
    this.outsideIndex.truncate(0);
    this.outside.truncate(0);
  }

  firstParent(place: number): number {
    return place === 0 ? 0 : this.parentsEnd.values[place - 1]!;
  }

  firstOp(place: number): number {
    return place === 0 ? 0 : this.opsEnd.values[place - 1]!;
  }

  kind(op: number): number {
    return this.#heads.values[op]! & 15;
  }

  key(op: number): number {
    return this.#heads.values[op]! >> 4;
  }

  contentStart(op: number): number {
    return op === 0 ? 0 : this.contentEnd.values[op - 1]!;
  }

  /** A view of an op's content. */
  contentOf(op: number): Uint8Array {
    if (this.isDormant(op)) return this.lentValue(op);
    return this.#content.buffer.subarray(this.contentStart(op), this.contentEnd.values[op]);
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
    const marks = [...this.#anchors.keys()].filter((op) => op < end && this.kind(op) === KINDS['text-mark']);
    return marks.sort((a, b) => a - b);
  }

  /** The closed node that an op is of. */
  nodeOf(op: number): number {
    let low = 0;
    for (let high = this.size; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.opsEnd.values[middle]! <= op) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many elements an op inserts: what it adds to the counter of its author's chain. */
  elements(op: number): number {
    const kind = this.kind(op);
    return kind < KINDS['text-insert-right'] ||
      kind === KINDS['text-delete'] ||
      kind === KINDS['list-delete'] ||
      kind > KINDS['list-move-left']
      ? 0
      : this.count.values[op]!;
  }

  /** Whether of a withheld node the ops are there as far as they were not erased; they insert its elements then. */
  hasRemains(place: number): boolean {
    return this.withheld.has(place) && this.firstOp(place) < this.opsEnd.values[place]!;
  }

  /** Whether any node was erased in part: what is written down of it then is refused by versions that know no such nodes. */
  get hasAnyRemains(): boolean {
    for (const place of this.withheld.keys()) if (this.hasRemains(place)) return true;
    return false;
  }

  /** How many elements a node inserts. */
  elementsOf(place: number): number {
    let sum = this.withheld.size === 0 ? 0 : (this.withheld.get(place) ?? 0);
    for (let op = this.firstOp(place); op < this.opsEnd.values[place]!; op++) sum += this.elements(op);
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

  /** The column that holds the id of a reference to a node, and where in it. */
  idColumn(ref: number): IntColumn {
    return ref >= 0 ? this.ids : this.outside;
  }

  idAt(ref: number): number {
    return (ref >= 0 ? ref : outside(ref)) * DIGEST_WORDS;
  }
}
