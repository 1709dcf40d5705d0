/**
 * Fold of lines into a document of a schema: the same for the same lines and schema, whatever has been edited in which order.
 *
 * What the schema has no name or no place for is shown as something that it has (a plain block, its parent's other children,
 * an object character) and stays in the text as it is. Blocks whose lines are the same objects are the same nodes.
 */
import { type Attrs, Fragment, type Node, type NodeType } from 'prosemirror-model';
import { BLOCK, type Line, OBJECT, OBJECT_CHARACTER } from './lines.js';
import { type BlockName, type Names, attrsFor, made } from './names.js';

export interface Folded {
  readonly doc: Node;
  /** Line of each row of the document, -1 where the schema asks for a row that is none; undefined where each row is the line of its number. */
  readonly lineOf: readonly number[] | undefined;
}

/** A node, and the line of each of its rows. */
interface Placed {
  readonly node: Node;
  readonly lines: readonly number[];
}

interface Group {
  readonly lines: readonly Line[];
  /** With lines counted from the first of the group. */
  placed: readonly Placed[];
}

const NO_BLOCK: BlockName = { type: '', within: [], joins: 0 };

export class Folding {
  readonly names: Names;
  readonly #blocks = new WeakMap<Line, BlockName>();
  readonly #groups = new WeakMap<Line, Group>();

  constructor(names: Names) {
    this.names = names;
  }

  fold(lines: readonly Line[], like?: Node): Folded {
    const placed: Placed[] = [];
    for (const { from, group } of this.#grouped(lines))
      for (const one of group.placed)
        placed.push(from === 0 ? one : { node: one.node, lines: one.lines.map((line) => line + from) });
    const { topNodeType } = this.names.schema;
    const { nodes, lines: lineOf } = this.#fit(topNodeType, placed);
    const doc = topNodeType.create(like?.attrs ?? null, nodes, like?.marks);
    const isInOrder = lineOf.length === lines.length && lineOf.every((line, index) => line === index);
    return { doc, lineOf: isInOrder ? undefined : lineOf };
  }

  /** Takes the nodes of a document that is what the lines fold to, so that they are found to be the same from then on. */
  adopt(lines: readonly Line[], doc: Node): void {
    let index = 0;
    for (const { group } of this.#grouped(lines))
      group.placed = group.placed.map(({ lines: own }) => ({ node: doc.child(index++), lines: own }));
  }

  *#grouped(lines: readonly Line[]): Generator<{ readonly from: number; readonly group: Group }> {
    for (let from = 0; from < lines.length;) {
      let to = from + 1;
      while (to < lines.length && this.#shared(lines, to) > 0) to++;
      const known = this.#groups.get(lines[from]!);
      const isKnown =
        known?.lines.length === to - from && known.lines.every((line, index) => line === lines[from + index]);
      const group = isKnown ? known : this.#group(lines.slice(from, to));
      yield { from, group };
      from = to;
    }
  }

  #group(lines: readonly Line[]): Group {
    const group = { lines, placed: this.#within(lines, 0, lines.length, 0) };
    this.#groups.set(lines[0]!, group);
    return group;
  }

  #blockOf(line: Line): BlockName {
    const known = this.#blocks.get(line);
    if (known) return known;
    const block = this.names.blockName(line.lead?.[BLOCK]) ?? NO_BLOCK;
    this.#blocks.set(line, block);
    return block;
  }

  /** How many nodes a line is in that the line before it is in too. */
  #shared(lines: readonly Line[], index: number): number {
    const { within = [], joins = 0 } = this.#blockOf(lines[index]!);
    const before = this.#blockOf(lines[index - 1]!).within ?? [];
    let shared = 0;
    while (shared < Math.min(joins, within.length, before.length) && within[shared]!.type === before[shared]!.type)
      shared++;
    return shared;
  }

  /** Nodes of lines that are in one node at a depth. */
  #within(lines: readonly Line[], from: number, to: number, depth: number): Placed[] {
    const placed: Placed[] = [];
    for (let start = from; start < to;) {
      const line = lines[start]!;
      const name = this.#blockOf(line).within?.[depth];
      let end = start + 1;
      if (!name) placed.push({ node: this.#rowOf(line), lines: [start] });
      else {
        while (end < to && this.#shared(lines, end) > depth) end++;
        placed.push(...this.#around(name.type, name.attrs, this.#within(lines, start, end, depth + 1)));
      }
      start = end;
    }
    return placed;
  }

  /** Nodes in one that is named so; as they are, where the schema has no such node. */
  #around(name: string, said: unknown, inner: readonly Placed[]): readonly Placed[] {
    const type = this.names.typeOf(name);
    if (!type?.isBlock || type.isTextblock || type.isLeaf) return inner;
    const attrs = attrsFor(type, said) ?? attrsFor(type, undefined);
    return attrs ? [this.#filled(type, attrs, inner)] : inner;
  }

  #filled(type: NodeType, attrs: Attrs | null, inner: readonly Placed[]): Placed {
    const { nodes, lines } = this.#fit(type, inner);
    return { node: type.create(attrs, nodes), lines };
  }

  #rowOf(line: Line): Node {
    const { type: name, attrs: said } = this.#blockOf(line);
    const type = this.names.typeOf(name);
    const attrs = type?.isBlock ? attrsFor(type, said) : undefined;
    if (type && attrs) {
      if (type.isTextblock) {
        const content = this.#textOf(type, line);
        if (content) return type.create(attrs, content);
      } else if (line.length === 0 && type.validContent(Fragment.empty)) return type.create(attrs);
    }
    return this.names.plain.create(null, this.#textOf(this.names.plain, line));
  }

  /** Content of a block of text; undefined where it may hold no text at all. */
  #textOf(type: NodeType, line: Line): Fragment | undefined {
    const content = this.#content(type, line, true);
    if (type.validContent(content)) return content;
    const text = this.#content(type, line, false);
    return type.validContent(text) ? text : undefined;
  }

  #content(type: NodeType, { spans }: Line, hasObjects: boolean): Fragment {
    const nodes: Node[] = [];
    for (const { text, marks } of spans) {
      const set = this.names.marksOf(marks, type);
      const object = hasObjects && OBJECT in marks ? this.names.objectOf(marks[OBJECT]) : undefined;
      // An object is its own character; whatever else is marked so is text.
      for (const part of object ? text.split(/(\ufffc)/) : [text])
        if (part !== '')
          nodes.push(object && part === OBJECT_CHARACTER ? object.mark(set) : this.names.schema.text(part, set));
    }
    return Fragment.fromArray(nodes);
  }

  /** What a node can hold of other nodes, in their order, with what it asks for besides. */
  #fit(type: NodeType, inner: readonly Placed[]): { readonly nodes: Node[]; readonly lines: number[] } {
    const nodes: Node[] = [];
    const lines: number[] = [];
    let match = type.contentMatch;
    const add = (node: Node, own: readonly number[]): void => {
      nodes.push(node);
      for (const line of own) lines.push(line);
      match = match.matchType(node.type)!;
    };
    const fill = (content: Fragment): void => content.forEach((node) => add(node, rowsOf(node)));
    const place = ({ node, lines: own }: Placed): void => {
      if (match.matchType(node.type)) return add(node, own);
      const before = match.fillBefore(Fragment.from(node));
      if (before) {
        fill(before);
        return add(node, own);
      }
      const wrapping = match.findWrapping(node.type);
      const wrapped = wrapping && made(() => this.#wrapped(wrapping, { node, lines: own }));
      if (wrapped && match.matchType(wrapped.node.type)) return add(wrapped.node, wrapped.lines);
      if (node.childCount > 0 && !node.isTextblock) {
        let at = 0;
        node.forEach((child) => {
          const { length } = rowsOf(child);
          place({ node: child, lines: own.slice(at, at + length) });
          at += length;
        });
        return;
      }
      const other = match.defaultType;
      if (other?.isTextblock && other.validContent(node.content)) add(other.create(null, node.content), own);
    };
    for (const one of inner) place(one);
    const rest = match.fillBefore(Fragment.empty, true);
    if (rest) fill(rest);
    return { nodes, lines };
  }

  #wrapped(wrapping: readonly NodeType[], inner: Placed): Placed {
    return wrapping.reduceRight((placed, type) => this.#filled(type, null, [placed]), inner);
  }
}

/** Rows of a node that no line is shown in, for each -1. */
function rowsOf(node: Node): number[] {
  if (node.isTextblock || node.childCount === 0) return [-1];
  const rows: number[] = [];
  node.forEach((child) => void rows.push(...rowsOf(child)));
  return rows;
}
