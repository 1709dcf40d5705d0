/**
 * What a set of nodes means, worked out from core/SPEC.md as plainly as can be: one object per element, every causal
 * past as a set, everything sorted when it is read. It shares nothing with the engine but the decoded nodes.
 */
import { type ElementRef, type Op, type PackedNode, toHex } from '@weft/core';

/** A node with what follows from its links. */
interface Known {
  readonly id: string;
  readonly author: string;
  readonly ops: readonly Op[];
  readonly prev: Known | undefined;
  readonly lamport: number;
  /** Numbers of elements: those that its chain had inserted before it, and those that it inserts itself. */
  readonly counter: number;
  readonly elements: number;
  /** All ancestors, itself included. */
  readonly past: ReadonlySet<string>;
}

/** A written register, or an element of a text or list. */
interface Mark {
  readonly node: Known;
  /** Index of the op, or place among the elements of the node. */
  readonly index: number;
}

interface Write extends Mark {
  /** MessagePack bytes in hex, `blob:` and a hash, or undefined for a delete. */
  readonly value: string | undefined;
}

interface Element extends Mark {
  /** One code unit, the bytes of an item, or undefined for a place that a move made. */
  readonly content: string | Uint8Array | undefined;
  readonly left: Element[];
  readonly right: Element[];
  /** Places to which moves put it. */
  readonly moves: Element[];
  deleted: boolean;
}

/** The end of a mark: an element and a side of it, or an end of the text. */
interface Border {
  readonly element: Element | undefined;
  readonly side: 'left' | 'right';
}

interface Range extends Mark {
  readonly name: string;
  /** Undefined takes the mark away. */
  readonly value: string | undefined;
  readonly from: Border;
  readonly to: Border;
}

type Tree = Map<string, Element>;
const ROOT = 'root';

/** [MP1] [SQ2] [LS1] All ties of registers, siblings and moves are broken alike. */
function compare(a: Mark, b: Mark): number {
  if (a.node.lamport !== b.node.lamport) return a.node.lamport - b.node.lamport;
  if (a.node.author !== b.node.author) return a.node.author < b.node.author ? -1 : 1;
  if (a.node.id !== b.node.id) return a.node.id < b.node.id ? -1 : 1;
  return a.index - b.index;
}
const greatest = <T extends Mark>(marks: readonly T[]): T | undefined => marks.toSorted(compare).at(-1);
const nameOf = ({ node, index }: Mark): string => `${node.id}:${index}`;

export class ReferenceModel {
  readonly #nodes = new Map<string, Known>();
  readonly #registers = new Map<string, Write[]>();
  readonly #trees = new Map<string, Tree>();
  readonly #ranges = new Map<string, Range[]>();

  /** The order of the nodes does not matter; every ancestor must be among them. */
  constructor(nodes: Iterable<PackedNode>) {
    for (let waiting = [...nodes]; waiting.length > 0;) {
      const ready = waiting.filter((node) => linksOf(node).every((id) => this.#nodes.has(id)));
      if (ready.length === 0) throw new Error('an ancestor is missing');
      for (const node of ready) this.#add(node);
      waiting = waiting.filter(({ id }) => !this.#nodes.has(toHex(id)));
    }
  }

  /** Live keys in the order of their code units. [MP3] */
  get keys(): string[] {
    return [...this.#registers.keys()].filter((key) => this.register(key) !== undefined).sort();
  }

  register(key: string): string | undefined {
    return greatest(this.#registers.get(key) ?? [])?.value;
  }

  writer(key: string): string | undefined {
    return greatest(this.#registers.get(key) ?? [])?.node.id;
  }

  text(key: string): string {
    const shown = inOrder(this.#tree('text', key)).filter(({ deleted }) => !deleted);
    return shown.map(({ content }) => content).join('');
  }

  /** Marks of each character of a text, by name, as MessagePack in hex. [MK1] */
  marks(key: string): Record<string, string>[] {
    const all = inOrder(this.#tree('text', key));
    return all.flatMap((element, at) => {
      if (element.deleted || element.content === undefined) return [];
      const over = (this.#ranges.get(key) ?? []).filter(
        ({ from, to }) => borderOf(from, all, 0) <= at && at < borderOf(to, all, all.length),
      );
      const names = [...new Set(over.map(({ name }) => name))].sort();
      const said = names.map((name) => [name, greatest(over.filter((one) => one.name === name))?.value] as const);
      return [Object.fromEntries(said.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))];
    });
  }

  /** Items of a list, as MessagePack bytes. */
  list(key: string): Uint8Array[] {
    const tree = this.#tree('list', key);
    const items = [...tree.values()].filter(({ content, deleted }) => content instanceof Uint8Array && !deleted);
    const standing = new Map(items.map((item) => [greatest(item.moves) ?? item, item.content]));
    return inOrder(tree).flatMap((place) => {
      const content = standing.get(place);
      return content instanceof Uint8Array ? [content] : [];
    });
  }

  get frontier(): string[] {
    const below = new Set([...this.#nodes.values()].flatMap(({ id, past }) => [...past].filter((each) => each !== id)));
    return [...this.#nodes.keys()].filter((id) => !below.has(id)).sort();
  }

  #add(packed: PackedNode): void {
    const id = toHex(packed.id);
    const prev = packed.prev && this.#nodes.get(toHex(packed.prev));
    const links = linksOf(packed).flatMap((link) => this.#nodes.get(link) ?? []);
    const node: Known = {
      id,
      author: toHex(packed.author),
      ops: packed.ops,
      prev,
      lamport: 1 + Math.max(0, ...links.map(({ lamport }) => lamport)), // [ND3]
      counter: prev ? prev.counter + prev.elements : 0,
      elements: packed.ops.reduce((sum, op) => sum + contentsOf(op).length, 0),
      past: new Set([id, ...links.flatMap(({ past }) => [...past])]),
    };
    this.#nodes.set(id, node);
    let at = 0;
    for (const [index, op] of node.ops.entries()) {
      this.#apply(op, node, index, at);
      at += contentsOf(op).length;
    }
  }

  /** `at`: elements that the node has inserted before this op, those without effect included. [SQ3] */
  #apply(op: Op, node: Known, index: number, at: number): void {
    if (op.kind === 'set') return this.#write(op.key, { node, index, value: toHex(op.value) });
    if (op.kind === 'set-blob') return this.#write(op.key, { node, index, value: `blob:${toHex(op.hash)}` });
    if (op.kind === 'delete') return this.#write(op.key, { node, index, value: undefined });
    if (op.kind === 'text-mark') return this.#mark(op, node, index, at);
    const tree = this.#tree(op.kind.startsWith('text') ? 'text' : 'list', op.key);
    if ('last' in op) {
      for (const mark of backwards(this.#resolve(op.last, node, at), op.count)) {
        const element = tree.get(nameOf(mark));
        if (element) element.deleted = true;
      }
      return;
    }
    const moved = op.kind === 'list-move' ? this.#held(tree, op.item, node, at) : undefined;
    if (op.kind === 'list-move' && !(moved?.content instanceof Uint8Array)) return;
    let parent = op.anchor.ref === null ? tree.get(ROOT) : this.#held(tree, op.anchor.ref, node, at);
    for (const [offset, content] of contentsOf(op).entries()) {
      if (!parent) return;
      const element: Element = { ...emptyElement(node, at + offset), content };
      (op.anchor.side === 'left' && offset === 0 ? parent.left : parent.right).push(element);
      tree.set(nameOf(element), element);
      moved?.moves.push(element);
      parent = element;
    }
  }

  #mark(op: Extract<Op, { kind: 'text-mark' }>, node: Known, index: number, at: number): void {
    const [from, to] = [op.from, op.to].map(({ ref, side }) => {
      const element = ref === null ? undefined : this.#held(this.#tree('text', op.key), ref, node, at);
      return ref === null || element ? { element, side } : undefined;
    });
    if (!from || !to) return;
    const value = op.value[0] === 0xc0 ? undefined : toHex(op.value);
    const range = { node, index, name: op.name, value, from, to };
    this.#ranges.set(op.key, [...(this.#ranges.get(op.key) ?? []), range]);
  }

  #write(key: string, write: Write): void {
    this.#registers.set(key, [...(this.#registers.get(key) ?? []), write]);
  }

  #held(tree: Tree, ref: ElementRef, node: Known, at: number): Element | undefined {
    const mark = this.#resolve(ref, node, at);
    return mark && tree.get(nameOf(mark));
  }

  /** The element that an op names, if it lies in the causal past of its node. */
  #resolve(ref: ElementRef, node: Known, at: number): Mark | undefined {
    if (typeof ref === 'number') {
      if (ref >= node.counter + at) return undefined;
      let holder: Known | undefined = node;
      while (holder && ref < holder.counter) holder = holder.prev;
      return holder && { node: holder, index: ref - holder.counter };
    }
    const holder = this.#nodes.get(toHex(ref.node));
    if (!holder || !node.past.has(holder.id) || ref.offset >= holder.elements) return undefined;
    return { node: holder, index: ref.offset };
  }

  #tree(kind: 'text' | 'list', key: string): Tree {
    const name = `${kind} ${key}`;
    const tree: Tree = this.#trees.get(name) ?? new Map([[ROOT, emptyElement(NOBODY, 0)]]);
    this.#trees.set(name, tree);
    return tree;
  }
}

const NOBODY: Known = {
  id: '',
  author: '',
  ops: [],
  prev: undefined,
  lamport: 0,
  counter: 0,
  elements: 0,
  past: new Set(),
};

const emptyElement = (node: Known, index: number): Element => ({
  node,
  index,
  content: undefined,
  left: [],
  right: [],
  moves: [],
  deleted: false,
});

/** How many elements stand before a border. */
function borderOf({ element, side }: Border, all: readonly Element[], end: number): number {
  return element ? all.indexOf(element) + (side === 'right' ? 1 : 0) : end;
}

const linksOf = ({ prev, parents }: PackedNode): string[] => [...(prev ? [prev] : []), ...parents].map(toHex);

/** Contents that an op inserts, element by element. */
function contentsOf(op: Op): readonly (string | Uint8Array | undefined)[] {
  if (op.kind === 'text-insert') return op.text.split('');
  if (op.kind === 'list-insert') return op.values;
  return op.kind === 'list-move' ? [undefined] : [];
}

/** The element before this one along `prev` links. */
function before({ node, index }: Mark): Mark | undefined {
  if (index > 0) return { node, index: index - 1 };
  let holder = node.prev;
  while (holder && holder.elements === 0) holder = holder.prev;
  return holder && { node: holder, index: holder.elements - 1 };
}

/** [ND7] A deletion goes back from its last element; one that would begin before the first has no effect. */
function backwards(last: Mark | undefined, count: number): Mark[] {
  const marks: Mark[] = [];
  for (let at = last; at && marks.length < count; at = before(at)) marks.push(at);
  return marks.length === count ? marks : [];
}

/** Traversal in order: left children, element, right children, deleted ones and the root included. [SQ1] */
function inOrder(tree: Tree): Element[] {
  const visit = (element: Element): Element[] => [
    ...element.left.toSorted(compare).flatMap(visit),
    element,
    ...element.right.toSorted(compare).flatMap(visit),
  ];
  const root = tree.get(ROOT);
  return root ? visit(root) : [];
}
