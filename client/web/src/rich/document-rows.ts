/**
 * Rows of a document: each block that holds text, or nothing, with what it says of itself in a marked text.
 *
 * A row is a line of the text seen from the document: a line break, named by `block`, and the characters behind it.
 */
import type { Node } from 'prosemirror-model';
import type { Span } from '@weft/core/bindings';
import { type Marking, NEWLINE, OBJECT, OBJECT_CHARACTER } from './lines.js';
import type { BlockName, Names, NodeName } from './names.js';

export interface Row {
  readonly node: Node;
  /** Position before it in the document. */
  readonly pos: number;
  /** Undefined for the block of which nothing needs to be said. */
  readonly block: BlockName | undefined;
  readonly text: RowText;
}

interface RowText {
  readonly units: string;
  readonly spans: readonly Span[];
}

export class Rows {
  readonly names: Names;
  readonly #rows = new WeakMap<Node, readonly Row[]>();
  readonly #documents = new WeakMap<Node, readonly Row[]>();
  readonly #texts = new WeakMap<Node, RowText>();

  constructor(names: Names) {
    this.names = names;
  }

  /** Rows of a whole document. */
  of(doc: Node): readonly Row[] {
    const known = this.#documents.get(doc);
    if (known) return known;
    const rows: Row[] = [];
    doc.forEach((child, offset) => {
      for (const { node, pos, block, text } of this.#of(child)) rows.push({ node, pos: pos + offset, block, text });
    });
    this.#documents.set(doc, rows);
    return rows;
  }

  /** Rows of a child of the document, as if it began the document. */
  #of(child: Node): readonly Row[] {
    const known = this.#rows.get(child);
    if (known) return known;
    const rows: Row[] = [];
    const within: NodeName[] = [];
    /** How many nodes that are open have a row. */
    let begun = 0;
    const visit = (node: Node, pos: number): void => {
      if (node.isTextblock || node.childCount === 0) {
        const name = this.names.nodeName(node);
        const outer = within.length > 0 ? { within: [...within] } : {};
        const joins = begun > 0 ? { joins: begun } : {};
        const isPlain = node.type === this.names.plain && !name.attrs && within.length === 0;
        rows.push({
          node,
          pos,
          block: isPlain ? undefined : { ...name, ...outer, ...joins },
          text: this.#textOf(node),
        });
        begun = within.length;
        return;
      }
      within.push(this.names.nodeName(node));
      node.forEach((inner, offset) => visit(inner, pos + 1 + offset));
      within.pop();
      begun = Math.min(begun, within.length);
    };
    visit(child, 0);
    this.#rows.set(child, rows);
    return rows;
  }

  #textOf(node: Node): RowText {
    const known = this.#texts.get(node);
    if (known) return known;
    const spans: Span[] = [];
    node.forEach((child) => {
      const marks: Record<string, unknown> = {};
      for (const mark of child.marks) marks[this.names.markName(mark)] = this.names.markValue(mark);
      if (!child.isText)
        spans.push({ text: OBJECT_CHARACTER, marks: { ...marks, [OBJECT]: this.names.objectName(child) } });
      else
        for (const text of (child.text ?? '').split(/(\n+)/))
          if (text !== '') spans.push({ text, marks: withNewline(text, marks) });
    });
    const text = { units: spans.map((span) => span.text).join(''), spans };
    this.#texts.set(node, text);
    return text;
  }
}

function withNewline(text: string, marks: Marking): Marking {
  return text.startsWith('\n') ? { ...marks, [NEWLINE]: true } : marks;
}

/** Units of a block's text before an offset in its content. */
export function unitsBefore(node: Node, offset: number): number {
  let units = 0;
  let at = 0;
  for (let i = 0; i < node.childCount && at < offset; i++) {
    const child = node.child(i);
    units += child.isText ? Math.min(child.nodeSize, offset - at) : 1;
    at += child.nodeSize;
  }
  return units;
}

/** Offset in a block's content behind so many units of its text. */
export function offsetOf(node: Node, units: number): number {
  let offset = 0;
  let left = units;
  for (let i = 0; i < node.childCount && left > 0; i++) {
    const child = node.child(i);
    const taken = child.isText ? Math.min(child.nodeSize, left) : 1;
    offset += child.isText ? taken : child.nodeSize;
    left -= taken;
  }
  return offset;
}
