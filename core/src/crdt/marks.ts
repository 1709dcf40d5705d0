/**
 * Marks of one text: what ranges of it are called, bold or a link, each a register of its range. [MK1]
 *
 * A range begins and ends beside elements, so it stays with characters, and what is typed inside comes under it. Writes of
 * one name on one range are weighed as those of a register; of ranges of one name that overlap, the greatest decides
 * for each character. So a write that another one of the same range has beaten says nothing any more, and is forgotten.
 */
import { BEHIND_FROM, BEHIND_TO } from '../codec/nodes/canonical-node.js';
import { markOf } from '../codec/nodes/mark-content.js';
import type { Graph } from '../graph/graph.js';
import { compareNodes } from '../graph/order.js';
import type { ElementNumber } from './elements.js';

/** The end of a range: an element, before or behind which it lies, or an end of the text. */
export interface MarkEnd {
  readonly element: ElementNumber | undefined;
  readonly isBehind: boolean;
}

/** The write that a range shows. */
export interface Mark {
  readonly node: number;
  readonly op: number;
  readonly name: string;
  readonly from: MarkEnd;
  readonly to: MarkEnd;
}

export function markAt(
  { table }: Graph,
  node: number,
  op: number,
  from: ElementNumber | undefined,
  to: ElementNumber | undefined,
): Mark {
  const sides = table.count.get(op);
  return {
    node,
    op,
    name: markOf(table.contentOf(op)).name,
    from: { element: from, isBehind: (sides & BEHIND_FROM) !== 0 },
    to: { element: to, isBehind: (sides & BEHIND_TO) !== 0 },
  };
}

/** MessagePack bytes of what a mark says; undefined when it takes the mark away. */
export function valueOf({ table }: Graph, { op }: Mark): Uint8Array | undefined {
  const { value } = markOf(table.contentOf(op));
  return value[0] === NIL ? undefined : value.slice();
}

const NIL = 0xc0;
/** Value that takes a mark away. */
export const NIL_VALUE: Uint8Array = Uint8Array.of(NIL);

/** A write, and the one of the same range that it has beaten. */
export interface WrittenMark {
  readonly mark: Mark;
  readonly beaten: Mark | undefined;
}

export class Marks {
  readonly graph: Graph;
  readonly #marks = new Map<string, Mark>();

  constructor(graph: Graph) {
    this.graph = graph;
  }

  get size(): number {
    return this.#marks.size;
  }

  /** Whether no other write of its range has beaten it. */
  shows(mark: Mark): boolean {
    return this.#marks.get(rangeOf(mark)) === mark;
  }

  all(): Iterable<Mark> {
    return this.#marks.values();
  }

  /** False when a write of the same range has beaten it; else answers the write that it has beaten, if any. */
  add(mark: Mark): Mark | boolean {
    const range = rangeOf(mark);
    const held = this.#marks.get(range);
    if (held && this.compare(mark, held) <= 0) return false;
    this.#marks.set(range, mark);
    return held ?? true;
  }

  /** [MP1] The order of all writes. */
  readonly compare = (a: Mark, b: Mark): number =>
    a.node === b.node ? a.op - b.op : compareNodes(this.graph, a.node, b.node);
}

function rangeOf({ name, from, to }: Mark): string {
  return `${endName(from)} ${endName(to)} ${name}`;
}

function endName({ element, isBehind }: MarkEnd): string {
  return `${element ? `${element.chain}:${element.counter}` : ''}${isBehind ? '>' : '<'}`;
}
