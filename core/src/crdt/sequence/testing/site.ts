/**
 * One author's replica in a test: a real sequence and a naive tree fed with the same edits, the edits the author has
 * made, and how much of everybody's edits has arrived.
 */
import { Sequence } from '../sequence.js';
import type { ElementOrder } from '../sibling-search.js';
import { LEFT, RIGHT } from '../span-layout.js';
import type { Side } from '../span-layout.js';
import { mustEqual } from './compare.js';
import { NaiveTree } from './naive-tree.js';
import type { Random } from './random.js';

type Change =
  | { kind: 'insert'; chain: number; counter: number; count: number; parent: [chain: number, counter: number, Side] }
  | { kind: 'delete'; chain: number; counter: number; count: number };

/** What one edit changed, and how many edits of each author were there when it was made. */
export interface Edit {
  readonly seen: readonly number[];
  readonly changes: readonly Change[];
}

/** A total order that has nothing to do with arrival: random stamps per edit, then the ids. */
export class Stamps {
  readonly #stamps = new Map<number, Map<number, number>>();

  give(chain: number, counter: number, count: number, stamp: number): void {
    let chainStamps = this.#stamps.get(chain);
    if (!chainStamps) this.#stamps.set(chain, (chainStamps = new Map()));
    for (let i = 0; i < count; i++) chainStamps.set(counter + i, stamp);
  }

  readonly order: ElementOrder = (chainA, a, chainB, b) =>
    this.#of(chainA, a) - this.#of(chainB, b) || chainA - chainB || a - b;

  #of(chain: number, counter: number): number {
    const stamp = this.#stamps.get(chain)?.get(counter);
    if (stamp === undefined) throw new Error(`no stamp for ${chain}:${counter}`);
    return stamp;
  }
}

export class Site {
  readonly edits: Edit[] = [];
  readonly arrived: number[];
  readonly tree: NaiveTree;
  sequence: Sequence;
  readonly #author: number;
  readonly #stamps: Stamps;
  #chain: number;
  #counter = 0;
  #forks = 0;
  #caret = 0;

  constructor(author: number, authors: number, stamps: Stamps) {
    this.#author = author;
    this.#stamps = stamps;
    this.#chain = author;
    this.arrived = new Array<number>(authors).fill(0);
    this.sequence = new Sequence(stamps.order);
    this.tree = new NaiveTree(stamps.order);
  }

  /** Makes a random edit of the kinds that people and programs make. */
  edit(random: Random): void {
    // Other texts share the chain's counters, and a forked author continues on another chain.
    if (random.chance(5)) this.#counter += random.below(600);
    if (random.chance(1)) {
      this.#chain = this.#author + 10 * ++this.#forks;
      this.#counter = random.below(3);
    }
    const seen = this.arrived.slice();
    const changes: Change[] = [];
    const kind = random.below(100);
    const { length } = this.sequence;
    if (length > 0 && kind < 30) this.#deleteSomewhere(random, changes);
    else if (kind < 45) this.#insertUnderAnything(random, changes);
    else this.#typeSomewhere(random, changes);
    this.edits.push({ seen, changes });
    this.arrived[this.#author]!++;
  }

  /** Takes the next edit of an author if everything it builds on is here. */
  receive(author: number, edit: Edit | undefined): boolean {
    if (!edit || edit.seen.some((count, other) => count > this.arrived[other]!)) return false;
    for (const change of edit.changes) {
      const { chain, counter, count } = change;
      if (change.kind === 'insert') {
        this.sequence.insert(chain, counter, count, ...change.parent);
        this.tree.insert(chain, counter, count, ...change.parent);
      } else
        mustEqual(this.sequence.delete(chain, counter, count), this.tree.delete(chain, counter, count), 'newly hidden');
    }
    this.arrived[author]!++;
    return true;
  }

  #typeSomewhere(random: Random, changes: Change[]): void {
    if (random.chance(35)) this.#caret = random.below(this.sequence.length + 1);
    this.#caret = Math.min(this.#caret, this.sequence.length);
    const count = random.chance(70) ? 1 : 1 + random.below(6);
    const position = this.#caret;
    const counter = this.#take(count, random);
    this.sequence.insertAt(position, this.#chain, counter, count);
    const { originChain, originCounter, originSide } = this.sequence;
    this.#insertInTree(counter, count, [originChain, originCounter, originSide], changes);
    this.sequence.elementAt(position);
    const { foundChain, foundCounter } = this.sequence;
    mustEqual(`${foundChain}:${foundCounter}`, `${this.#chain}:${counter}`, `typed at ${position}`);
    if (random.chance(70)) this.#caret += count;
  }

  /** Any element may be named as parent, a deleted one too; this is what makes many siblings. */
  #insertUnderAnything(random: Random, changes: Change[]): void {
    const elements = this.tree.document();
    const under =
      elements.length > 0 && random.chance(90) ? random.pick(elements.slice(0, 1 + random.below(40))) : undefined;
    const count = 1 + random.below(3);
    const counter = this.#take(count, random);
    const side = under && random.chance(50) ? LEFT : RIGHT;
    const parent: [number, number, Side] = under ? [under.chain, under.counter, side] : [-1, 0, RIGHT];
    this.sequence.insert(this.#chain, counter, count, ...parent);
    this.#insertInTree(counter, count, parent, changes);
  }

  #deleteSomewhere(random: Random, changes: Change[]): void {
    const { length } = this.sequence;
    const count = Math.min(length, random.chance(60) ? 1 : 1 + random.below(8));
    const position = random.chance(50)
      ? Math.max(0, Math.min(this.#caret, length) - count)
      : random.below(length - count + 1);
    let total = 0;
    this.sequence.deleteAt(position, count, (chain, counter, span) => {
      changes.push({ kind: 'delete', chain, counter, count: span });
      total += this.tree.delete(chain, counter, span);
    });
    mustEqual(total, count, 'newly hidden');
    this.#caret = position;
  }

  #insertInTree(counter: number, count: number, parent: [number, number, Side], changes: Change[]): void {
    this.tree.insert(this.#chain, counter, count, ...parent);
    changes.push({ kind: 'insert', chain: this.#chain, counter, count, parent });
  }

  #take(count: number, random: Random): number {
    const counter = this.#counter;
    this.#counter += count;
    this.#stamps.give(this.#chain, counter, count, random.below(1000));
    return counter;
  }
}
