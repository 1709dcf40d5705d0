/**
 * The values of one room: registers, texts and lists, each a fold of the graph. [MP2]
 *
 * An op that names elements outside its author's causal past, or of another key, has no effect. Whether it does
 * depends on the past of its node alone, so every replica ignores the same ops.
 */
import { toHex } from '../codec/bytes.js';
import type { Anchor, ElementRef, Op } from '../codec/op.js';
import { elementsOf } from '../codec/op.js';
import { Branches } from '../graph/branches.js';
import { CausalPast } from '../graph/causal-past.js';
import type { Dag, Placed } from '../graph/dag.js';
import type { NodeId, PublicKey } from '../graph/node.js';
import { type Conflict, Conflicts } from './conflicts.js';
import { Elements } from './elements.js';
import { List } from './list.js';
import { Registers } from './registers.js';
import type { Sequence } from './sequence/sequence.js';
import { StateHash, type ValueKind } from './state-hash.js';
import { LEFT, RIGHT, ROOT_CHAIN } from './sequence/span-layout.js';
import { Text } from './text.js';

/** Where a value comes from: its node, and which nodes it won over that its author had not seen. [WY1] */
export interface Origin {
  readonly node: NodeId;
  readonly author: PublicKey;
  readonly lamport: number;
  readonly wallMs: number | undefined;
  readonly beat: readonly NodeId[];
}

type ListMove = Op & { readonly kind: 'list-move' };

interface Element {
  readonly chain: number;
  readonly counter: number;
}

export class Document {
  readonly registers = new Registers();
  readonly elements = new Elements();
  readonly conflicts = new Conflicts();
  readonly branches: Branches;
  readonly hash: StateHash;
  readonly #graph: Dag;
  readonly #past: CausalPast;
  readonly #texts = new Map<string, Text>();
  readonly #lists = new Map<string, List>();

  constructor(graph: Dag) {
    this.#graph = graph;
    this.#past = new CausalPast(graph);
    this.branches = new Branches(graph);
    this.hash = new StateHash(this);
    this.branches.onBranch((chain, counter) => this.hash.branched(chain, counter));
  }

  /** The text of a key; empty when nobody has written to it. */
  text(key: string): Text {
    let text = this.#texts.get(key);
    if (!text) this.#texts.set(key, (text = new Text(this.elements)));
    return text;
  }

  list(key: string): List {
    let list = this.#lists.get(key);
    if (!list) this.#lists.set(key, (list = new List(this.elements)));
    return list;
  }

  /** Call for each node once, in log order. `edited`: the sequences hold its inserts and deletes already. */
  apply(placed: Placed, edited = false): void {
    this.#past.add(placed);
    this.branches.add(placed);
    this.elements.add(placed);
    this.registers.apply(placed, (key, winner, loser) => this.#contested('overwrite', key, winner.node, loser.node));
    let { counter } = placed;
    for (const op of placed.node.ops) {
      this.#keepContent(op, placed.chain, counter);
      if (!edited) this.#applyOp(op, placed, counter);
      else if (op.kind === 'list-move') this.#move(op, placed, counter);
      this.#touch(op, placed, counter);
      counter += elementsOf(op);
    }
  }

  /** What the op may have changed is to be hashed again. */
  #touch(op: Op, placed: Placed, counter: number): void {
    const kind = kindOfValue(op);
    if (kind === 'register') return this.hash.registerChanged(op.key);
    const elements = elementsOf(op);
    const { sequence } = kind === 'text' ? this.text(op.key) : this.list(op.key);
    if (elements > 0 && sequence.has(placed.chain, counter)) {
      this.hash.elementsChanged(kind, op.key, placed.chain, counter, elements);
    }
    if (op.kind === 'list-move')
      this.list(op.key).eachPlaceOf(this.#resolve(op.item, placed, counter), (chain, at) => {
        this.hash.elementsChanged('list', op.key, chain, at, 1);
      });
    if (!('last' in op)) return;
    this.#eachHeld(sequence, op, placed, counter, (chain, at, count) => {
      this.hash.elementsChanged(kind, op.key, chain, at, count);
      if (kind === 'text') return;
      for (let i = 0; i < count; i++) {
        this.list(op.key).eachPlaceOf({ chain, counter: at + i }, (holder, place) => {
          this.hash.elementsChanged('list', op.key, holder, place, 1);
        });
      }
    });
  }

  #keepContent(op: Op, chain: number, counter: number): void {
    if (op.kind === 'text-insert') this.elements.setText(chain, counter, op.text);
    if (op.kind === 'list-insert') op.values.forEach((value, i) => this.elements.setItem(chain, counter + i, value));
  }

  #applyOp(op: Op, placed: Placed, counter: number): void {
    const { chain } = placed;
    switch (op.kind) {
      case 'text-insert':
        this.#insert(this.text(op.key).sequence, op.anchor, op.text.length, placed, counter);
        return;
      case 'list-insert': {
        const list = this.list(op.key);
        if (this.#insert(list.sequence, op.anchor, op.values.length, placed, counter)) {
          list.inserted(chain, counter, op.values.length);
        }
        return;
      }
      case 'text-delete': {
        const { sequence } = this.text(op.key);
        this.#eachHeld(sequence, op, placed, counter, (from, at, count) => sequence.delete(from, at, count));
        return;
      }
      case 'list-delete': {
        const list = this.list(op.key);
        this.#eachHeld(list.sequence, op, placed, counter, (from, at, count) => {
          for (let i = 0; i < count; i++) list.delete(from, at + i);
        });
        return;
      }
      case 'list-move':
        if (!this.#itemOf(op, placed, counter)) return;
        if (this.#insert(this.list(op.key).sequence, op.anchor, 1, placed, counter)) this.#move(op, placed, counter);
        return;
      default:
        return; // registers have their own fold
    }
  }

  /** The new place is in the sequence. */
  #move(op: ListMove, placed: Placed, counter: number): void {
    const item = this.#itemOf(op, placed, counter);
    if (!item) return;
    const rival = this.list(op.key).moved(item.chain, item.counter, { chain: placed.chain, counter });
    const other = rival.place && this.elements.nodeOf(rival.place.chain, rival.place.counter)?.node.id;
    if (!other) return;
    const [winner, loser] = rival.won ? [placed.node.id, other] : [other, placed.node.id];
    this.#contested('move', op.key, winner, loser);
  }

  /** Writes that did not know each other are a conflict; writing over what one has seen is none. */
  #contested(kind: Conflict['kind'], key: string, winner: NodeId, loser: NodeId): void {
    const [won, lost] = [this.#graph.find(winner), this.#graph.find(loser)];
    if (!won || !lost || this.#past.includes(won, lost) || this.#past.includes(lost, won)) return;
    this.conflicts.add({ kind, key, winner, loser });
  }

  /** Which node a register's value, or the element at a position of a text or list, comes from. */
  why(key: string, position?: { readonly in: 'text' | 'list'; readonly at: number }): Origin | undefined {
    const placed = position ? this.#nodeAt(key, position) : this.#nodeOf(key);
    if (!placed) return undefined;
    const { id, author, wallMs } = placed.node;
    const beat = this.conflicts.all.filter((conflict) => conflict.key === key && conflict.winner === id);
    return { node: id, author, lamport: placed.lamport, wallMs, beat: beat.map(({ loser }) => loser) };
  }

  #nodeOf(key: string): Placed | undefined {
    const register = this.registers.find(key);
    return register && this.#graph.find(register.node);
  }

  #nodeAt(key: string, { in: kind, at }: { readonly in: 'text' | 'list'; readonly at: number }): Placed | undefined {
    const value = kind === 'text' ? this.text(key) : this.list(key);
    if (!Number.isInteger(at) || at < 0 || at >= value.length) return undefined;
    value.sequence.elementAt(at);
    return this.elements.nodeOf(value.sequence.foundChain, value.sequence.foundCounter);
  }

  /** The item that a move names, if its author can have known it as one of this list. */
  #itemOf(op: ListMove, placed: Placed, counter: number): Element | undefined {
    const item = this.#resolve(op.item, placed, counter);
    return item && this.list(op.key).has(item.chain, item.counter) ? item : undefined;
  }

  /** False, and nothing is done, when the anchor is not in the author's past or not of this sequence. */
  #insert(sequence: Sequence, anchor: Anchor, count: number, placed: Placed, counter: number): boolean {
    const side = anchor.side === 'left' ? LEFT : RIGHT;
    if (anchor.ref === null) {
      sequence.insert(placed.chain, counter, count, ROOT_CHAIN, 0, side);
      return true;
    }
    const parent = this.#resolve(anchor.ref, placed, counter);
    if (!parent || !sequence.has(parent.chain, parent.counter)) return false;
    sequence.insert(placed.chain, counter, count, parent.chain, parent.counter, side);
    return true;
  }

  /** Those of `count` elements up to `last` that this sequence holds; none when the last is not in the past. */
  #eachHeld(
    sequence: Sequence,
    op: { readonly last: ElementRef; readonly count: number },
    placed: Placed,
    counter: number,
    visit: (chain: number, counter: number, count: number) => void,
  ): void {
    const last = this.#resolve(op.last, placed, counter);
    const first = last && last.counter - op.count + 1;
    if (!last || first === undefined || first < 0) return;
    // Collected first: hiding elements may join the very runs that are being walked.
    const runs: [chain: number, counter: number, count: number][] = [];
    for (const { chain, counter: at, count } of this.branches.pieces(last.chain, first, last.counter)) {
      sequence.forEachRun(chain, at, at + count, (from, length) => runs.push([chain, from, length]));
    }
    for (const run of runs) visit(...run);
  }

  /** The element that an op names, or undefined when its author cannot have known it. */
  #resolve(ref: ElementRef, placed: Placed, counter: number): Element | undefined {
    if (typeof ref === 'number') {
      return ref < counter ? { chain: this.branches.chainOf(placed.chain, ref), counter: ref } : undefined;
    }
    const node = this.#graph.find(toHex(ref.node) as NodeId);
    if (!node || ref.offset >= node.elements || !this.#past.includes(placed, node)) return undefined;
    return { chain: node.chain, counter: node.counter + ref.offset };
  }
}

function kindOfValue(op: Op): ValueKind {
  if (op.kind.startsWith('text')) return 'text';
  return op.kind.startsWith('list') ? 'list' : 'register';
}
