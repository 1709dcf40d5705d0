/**
 * The model that the real sequence is tested against: one object per element, children in sorted arrays, and the
 * document by walking the whole tree. Slow on purpose; plain enough to be right by reading.
 */
import type { ElementOrder } from '../sibling-search.js';
import { LEFT, RIGHT } from '../span-layout.js';
import type { Side } from '../span-layout.js';

export interface NaiveElement {
  readonly chain: number;
  readonly counter: number;
  readonly parent: NaiveElement | undefined;
  readonly side: Side;
  readonly left: NaiveElement[];
  readonly right: NaiveElement[];
  deleted: boolean;
}

export class NaiveTree {
  readonly #order: ElementOrder;
  readonly #root = element(-1, 0, undefined, RIGHT);
  readonly #byId = new Map<string, NaiveElement>();

  constructor(order: ElementOrder) {
    this.#order = order;
  }

  insert(chain: number, counter: number, count: number, parentChain: number, parentCounter: number, side: Side): void {
    let parent = parentChain === -1 ? this.#root : this.get(parentChain, parentCounter);
    let at = side;
    for (let i = 0; i < count; i++) {
      const added = element(chain, counter + i, parent, at);
      const siblings = at === LEFT ? parent.left : parent.right;
      siblings.push(added);
      siblings.sort((a, b) => this.#order(a.chain, a.counter, b.chain, b.counter));
      this.#byId.set(`${chain}:${counter + i}`, added);
      parent = added;
      at = RIGHT;
    }
  }

  delete(chain: number, counter: number, count: number): number {
    let hidden = 0;
    for (let i = 0; i < count; i++) {
      const held = this.get(chain, counter + i);
      if (!held.deleted) hidden++;
      held.deleted = true;
    }
    return hidden;
  }

  get(chain: number, counter: number): NaiveElement {
    const held = this.#byId.get(`${chain}:${counter}`);
    if (!held) throw new Error(`naive tree does not hold ${chain}:${counter}`);
    return held;
  }

  /** All elements in document order, deleted ones included. */
  document(): NaiveElement[] {
    const result: NaiveElement[] = [];
    const todo: { element: NaiveElement; childrenDone: boolean }[] = [{ element: this.#root, childrenDone: false }];
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { element: current, childrenDone } = next;
      if (childrenDone) {
        if (current !== this.#root) result.push(current);
        continue;
      }
      for (const child of current.right.toReversed()) todo.push({ element: child, childrenDone: false });
      todo.push({ element: current, childrenDone: true });
      for (const child of current.left.toReversed()) todo.push({ element: child, childrenDone: false });
    }
    return result;
  }
}

function element(chain: number, counter: number, parent: NaiveElement | undefined, side: Side): NaiveElement {
  return { chain, counter, parent, side, left: [], right: [], deleted: false };
}
