/**
 * Rewriting of a replica's own nodes when a server has refused some of them for good: those are given up, and what
 * stands on them is written anew. [RE3]
 *
 * Edits are written on what they stood on before, but for what is gone, so they win and lose against those of others as
 * they did. What was inserted beside an element that is gone, or marked up to there, comes to where that was inserted; what
 * deleted or moved it does that no more.
 */
import { DecodeError } from '../../codec/bytes/bytes.js';
import { BEHIND_FROM, BEHIND_TO, NODE_BOUNDS } from '../../codec/nodes/canonical-node.js';
import { NONE, type NodeTable, OWN, outside } from '../../codec/nodes/node-table.js';
import {
  OP_LIST_DELETE,
  OP_LIST_MOVE_LEFT,
  OP_LIST_MOVE_RIGHT,
  OP_TEXT_DELETE,
  OP_TEXT_MARK,
  isLeft,
} from '../../codec/nodes/op-kinds.js';
import type { Graph } from '../../graph/graph.js';
import { Incoming } from '../../graph/incoming.js';

const GONE = -1;

/** A node that is given up or written anew. */
interface Changed {
  /** Changed nodes along its chain by ascending counter, and how many of them there are up to itself. */
  readonly path: number[];
  readonly depth: number;
  /** The node written for it, or what that stands on now: NONE for nothing. */
  node: number;
  /** What a node that stands on it takes for parents besides. */
  parents: readonly number[];
  /** Elements that its chain has inserted before it by now. */
  counter: number;
  /** Offsets of its elements now, by their offsets before, or GONE. */
  readonly offsets: Int32Array;
}

/** Spot where something is inserted: beside an element as a node names it; `left` is the side. */
interface Beside {
  readonly ref: number;
  readonly at: number;
  readonly left: boolean;
}

/** Numbers that nodes have since some were given up. */
export interface Rewritten {
  /** The number that a node has now, or -1 for one that is gone or written anew. */
  numberOf(node: number): number;
  /** The nodes that were written, in order. */
  readonly written: readonly number[];
}

export class Rewriting implements Rewritten {
  readonly #graph: Graph;
  readonly #old: NodeTable;
  readonly #identity: number;
  readonly #incoming: Incoming;
  readonly #changed = new Map<number, Changed>();
  readonly #numbers: Int32Array;
  readonly written: number[] = [];

  /** Empties the graph and fills it again. `lost` are nodes of the author, whose others may be written anew. */
  constructor(graph: Graph, identity: number, lost: ReadonlySet<number>) {
    const old = graph.empty();
    this.#graph = graph;
    this.#old = old;
    this.#identity = identity;
    this.#incoming = new Incoming(graph, old);
    this.#numbers = new Int32Array(old.size).fill(GONE);
    for (let node = 0; node < old.size; node++) {
      if (!lost.has(node) && !this.#standsOnChanged(node)) this.#numbers[node] = this.#incoming.append(node);
      else this.#change(node, lost.has(node) || old.identity.get(node) !== identity);
    }
  }

  numberOf(node: number): number {
    return this.#numbers[node]!;
  }

  #standsOnChanged(node: number): boolean {
    const { prev, parents, parentsEnd } = this.#old;
    if (this.#changed.size === 0) return false;
    if (this.#changed.has(prev.get(node))) return true;
    for (let i = this.#old.firstParent(node); i < parentsEnd.get(node); i++)
      if (this.#changed.has(parents.get(i))) return true;
    return false;
  }

  #change(node: number, isLost: boolean): void {
    const { prev, parents: joined } = this.#basisOf(node);
    const path = this.#pathTo(node);
    const changed: Changed = {
      path,
      depth: path.length,
      node: prev,
      parents: joined,
      counter: prev === NONE ? 0 : this.#graph.counterAfter(prev),
      offsets: new Int32Array(this.#old.elementsOf(node)).fill(GONE),
    };
    this.#changed.set(node, changed);
    if (!isLost) this.#writeAnew(node, changed);
  }

  #writeAnew(node: number, changed: Changed): void {
    const { table } = this.#graph;
    const parents = [...changed.parents];
    while (parents.length > NODE_BOUNDS.parents) this.#write(changed, parents.splice(0, NODE_BOUNDS.parents));
    changed.parents = parents;
    this.#writeOps(node, changed);
    if (table.ops === table.firstOp(table.size)) return;
    try {
      this.#write(changed, parents, this.#old.walls.get(node));
      changed.parents = [];
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      changed.offsets.fill(GONE); // what is left of its deletions is too much for one node: it is given up as well
    }
  }

  #write(changed: Changed, parents: number[], wallMs?: number): void {
    changed.node = this.#graph.writeOn(this.#identity, changed.node, parents, wallMs);
    this.written.push(changed.node);
  }

  /** What stands for a node's `prev` and parents. */
  #basisOf(node: number): { readonly prev: number; readonly parents: readonly number[] } {
    const old = this.#old;
    const ref = old.prev.get(node);
    const before = this.#changed.get(ref);
    const prev = before ? before.node : ref === NONE ? NONE : this.#numbers[ref]!;
    const parents = new Set(before?.parents);
    for (let i = old.firstParent(node); i < old.parentsEnd.get(node); i++) {
      const parent = this.#changed.get(old.parents.get(i));
      for (const joined of parent ? [parent.node, ...parent.parents] : [this.#numbers[old.parents.get(i)]!])
        if (joined !== NONE) parents.add(joined);
    }
    parents.delete(prev);
    return { prev, parents: [...parents] };
  }

  #pathTo(node: number): number[] {
    const before = this.#changed.get(this.#old.prev.get(node));
    if (!before) return [node];
    const path = before.depth === before.path.length ? before.path : before.path.slice(0, before.depth);
    path.push(node);
    return path;
  }

  #writeOps(node: number, { offsets }: Changed): void {
    const old = this.#old;
    const { table } = this.#graph;
    let offset = 0;
    let inserted = 0;
    for (let op = old.firstOp(node); op < old.opsEnd.get(node); op++) {
      const elements = old.elements(op);
      const ops = table.ops;
      this.#writeOp(node, op);
      if (table.ops > ops) for (let i = 0; i < elements; i++) offsets[offset + i] = inserted++;
      offset += elements;
    }
  }

  #writeOp(node: number, op: number): void {
    const old = this.#old;
    const { table } = this.#graph;
    const [kind, key] = [old.kind(op), old.key(op)];
    const [ref, at, count] = [old.ref.get(op), old.at.get(op), old.count.get(op)];
    if (kind === OP_TEXT_DELETE || kind === OP_LIST_DELETE) return this.#writeDeletion(node, op);
    if (kind === OP_LIST_MOVE_RIGHT || kind === OP_LIST_MOVE_LEFT) {
      const item = this.#nameOf(node, ref, at);
      const anchor = old.anchor(op);
      const to = this.#beside(node, { ...anchor, left: isLeft(kind) });
      return item && table.addMove(sided(kind, to.left), key, item.ref, item.at, to.ref, to.at);
    }
    if (kind === OP_TEXT_MARK) return this.#writeMark(node, op);
    table.content.copy(old.content.buffer, old.contentStart(op), old.contentEnd.get(op));
    if (old.elements(op) === 0) return table.addOp(kind, key, NONE, 0, 0);
    const to = this.#beside(node, { ref, at, left: isLeft(kind) });
    table.addOp(sided(kind, to.left), key, to.ref, to.at, count);
  }

  /** An end beside an element that is gone lies where that was inserted, and so as far back as it takes. */
  #writeMark(node: number, op: number): void {
    const old = this.#old;
    const { table } = this.#graph;
    const sides = old.count.get(op);
    const end = ({ ref, at }: { readonly ref: number; readonly at: number }, isBehind: boolean): Beside => {
      const left = !isBehind;
      if (ref === NONE) return { ref, at, left };
      const to = this.#beside(node, { ref, at, left });
      // What was inserted at the start has the start on its left.
      return to.ref === NONE ? { ...to, left: false } : to;
    };
    const from = end({ ref: old.ref.get(op), at: old.at.get(op) }, (sides & BEHIND_FROM) !== 0);
    const to = end(old.anchor(op), (sides & BEHIND_TO) !== 0);
    // The start ends no mark: there is nothing left of it.
    if (to.ref === NONE && !to.left) return;
    table.content.copy(old.content.buffer, old.contentStart(op), old.contentEnd.get(op));
    const written = (from.left ? 0 : BEHIND_FROM) | (to.left ? 0 : BEHIND_TO);
    table.addPair(old.kind(op), old.key(op), from.ref, from.at, written, to.ref, to.at);
  }

  /** Deletes those that are left of a deletion's elements. */
  #writeDeletion(node: number, op: number): void {
    const old = this.#old;
    const { table } = this.#graph;
    const [ref, last, count] = [old.ref.get(op), old.at.get(op), old.count.get(op)];
    const add = (on: number, at: number, many: number): void => table.addOp(old.kind(op), old.key(op), on, at, many);
    if (ref !== OWN || this.#holderOf(node, last) === undefined) {
      const end = this.#nameOf(node, ref, last);
      // Names of a run end at its last element: on a changed branch of the author's own, only that one is found.
      if (end) add(end.ref, end.at, this.#changed.has(ref) ? 1 : count);
      return;
    }
    // Those that are left have consecutive counters: what is gone is not counted any more.
    let [end, left] = [0, 0];
    for (let at = last - count + 1; at <= last; at++) {
      const name = this.#nameOf(node, OWN, at);
      if (!name) continue;
      end = name.at;
      left++;
    }
    if (left > 0) add(OWN, end, left);
  }

  /** The spot itself, or where the element was inserted that is gone, as far back as it takes. */
  #beside(node: number, wanted: Beside): Beside {
    let next = wanted;
    for (;;) {
      const name = this.#nameOf(node, next.ref, next.at);
      if (name) return { ...name, left: next.left };
      const holder = next.ref === OWN ? this.#holderOf(node, next.at)! : next.ref;
      const offset = next.ref === OWN ? next.at - this.#old.counter.get(holder) : next.at;
      const origin = this.#originOf(holder, offset);
      // On another branch of the author's own, a counter means something else.
      const isElsewhere = origin.ref === OWN && !this.#isOnPath(node, holder);
      next = isElsewhere ? { ref: NONE, at: 0, left: false } : origin;
    }
  }

  /** Spot at which a node has inserted an element. */
  #originOf(node: number, offset: number): Beside {
    const old = this.#old;
    let op = old.firstOp(node);
    for (let left = offset; left >= old.elements(op); op++) left -= old.elements(op);
    const left = isLeft(old.kind(op));
    const isMove = old.kind(op) === OP_LIST_MOVE_RIGHT || old.kind(op) === OP_LIST_MOVE_LEFT;
    return isMove ? { ...old.anchor(op), left } : { ref: old.ref.get(op), at: old.at.get(op), left };
  }

  /** What an element that a node names is called now; undefined when it is gone. */
  #nameOf(node: number, ref: number, at: number): { readonly ref: number; readonly at: number } | undefined {
    if (ref === NONE) return { ref, at };
    if (ref === OWN) {
      const holder = this.#holderOf(node, at);
      if (holder === undefined) return { ref, at };
      const { counter, offsets } = this.#changed.get(holder)!;
      const offset = offsets[at - this.#old.counter.get(holder)] ?? GONE;
      return offset === GONE ? undefined : { ref, at: counter + offset };
    }
    const changed = this.#changed.get(ref);
    if (changed) {
      const offset = changed.offsets[at] ?? GONE;
      return offset === GONE ? undefined : { ref: changed.node, at: offset };
    }
    return { ref: ref >= 0 ? this.#numbers[ref]! : this.#outside(ref), at };
  }

  #outside(ref: number): number {
    return outside(this.#graph.table.outsideNumber(this.#old.idWords(ref), this.#old.idAt(ref)));
  }

  #isOnPath(node: number, holder: number): boolean {
    return this.#changed.get(node)!.path[this.#changed.get(holder)!.depth - 1] === holder;
  }

  /** The changed node that has inserted the element which a changed one knows by this counter; undefined for another. */
  #holderOf(node: number, counter: number): number | undefined {
    const { path, depth } = this.#changed.get(node)!;
    const { counter: counters } = this.#old;
    let low = 0;
    for (let high = depth; low < high;) {
      const middle = (low + high) >>> 1;
      if (counters.get(path[middle]!) <= counter) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? undefined : path[low - 1];
  }
}

/** The kind that does the same on the given side. */
function sided(kind: number, left: boolean): number {
  return kind + Number(left) - Number(isLeft(kind));
}
