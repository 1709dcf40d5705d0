/**
 * Writes ops into the open node of a replica's graph, as its author names things. An edit is a node of its own; edits
 * of a batch share nodes.
 */
import { fromHex } from '../../codec/bytes/bytes.js';
import { BEHIND_FROM, BEHIND_TO } from '../../codec/nodes/canonical-node.js';
import { NONE, OWN } from '../../codec/nodes/node-table.js';
import {
  OP_LIST_DELETE,
  OP_LIST_INSERT_LEFT,
  OP_LIST_INSERT_RIGHT,
  OP_LIST_MOVE_LEFT,
  OP_LIST_MOVE_RIGHT,
  OP_SET,
  OP_TEXT_DELETE,
  OP_TEXT_INSERT_LEFT,
  OP_TEXT_INSERT_RIGHT,
  OP_TEXT_MARK,
} from '../../codec/nodes/op-kinds.js';
import type { Elements } from '../../crdt/elements.js';
import type { ElementNumber } from '../../crdt/elements.js';
import type { MarkEnd } from '../../crdt/marks.js';
import type { Sequence } from '../../crdt/sequence/sequence.js';
import { LEFT, ROOT_CHAIN } from '../../crdt/sequence/span-layout.js';
import type { Graph } from '../../graph/graph.js';

/** About how many canonical bytes a node of a batch has at most: it must stay below 1 MiB whatever comes last. */
const NODE_WEIGHT = 256 * 1024;
/** What an op has besides its key and content, at most. */
const OP_WEIGHT = 128;

/** Key of what introduces a key: `DELEGATE`, which a page loads later with all else that is said of keys. */
const INTRODUCES = '\0delegate/';
/** How MessagePack begins the 176 bytes of a mandate. */
const MANDATE_HEAD = 'c4b0';

const NO_BYTES: Uint8Array = new Uint8Array(0);

export class Authorship {
  readonly #graph: Graph;
  readonly elements: Elements;
  /** Its number in the graph. */
  readonly identity: number;
  readonly #wake: () => void;
  readonly #clock: () => number | undefined;
  readonly #written: (node: number) => void;
  readonly #ended: () => void;
  /** A subject's mandate, in hex, by which its first node in the room introduces it. [SU1] */
  #delegation: string | undefined;
  /** The last node written here, or the author's newest: what the same author wrote elsewhere is another chain. */
  #prev = NONE;
  /** The chain that the open node will stand on, and the counter of its next element. */
  #chain = -1;
  #counter = 0;
  /** The graph's size when that was looked up. */
  #size = -1;
  #weight = 0;
  #epoch = 0;
  #batching = false;
  /** Whether an edit of several nodes is under way. */
  #isWhole = false;
  // What `#name` found.
  #ref = NONE;
  #at = 0;

  /**
   * `wake` makes sure that the graph is there, `clock` answers for nodes that begin a run, `written` takes each node, and
   * `ended` is called when an edit, or a batch of them, is complete.
   */
  constructor(
    graph: Graph,
    elements: Elements,
    identity: number,
    wake: () => void,
    clock: () => number | undefined,
    written: (node: number) => void,
    ended: () => void,
    delegation?: string,
  ) {
    this.#wake = wake;
    this.#clock = clock;
    this.#graph = graph;
    this.elements = elements;
    this.identity = identity;
    this.#written = written;
    this.#ended = ended;
    this.#delegation = delegation;
  }

  /** The chain of the next element that this author inserts. */
  get chain(): number {
    this.#look();
    return this.#chain;
  }

  /** Its counter. */
  get counter(): number {
    this.#look();
    return this.#counter;
  }

  /** Another number once elements have other names. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The graph was filled anew. */
  begin(): void {
    this.#prev = NONE;
    this.#size = -1;
    this.#epoch++;
  }

  /** Edits made by `edit` share nodes, as far as they fit; what it wrote before it threw stays. */
  batch(edit: () => void): void {
    if (this.#batching) return edit();
    this.#batching = true;
    try {
      edit();
    } finally {
      this.#batching = false;
      this.flush();
      this.#end();
    }
  }

  /** One edit that takes several nodes: it ends when all of them are written. */
  whole(edit: () => void): void {
    if (this.#isWhole) return edit();
    this.#isWhole = true;
    try {
      edit();
    } finally {
      this.#isWhole = false;
      this.#end();
    }
  }

  #end(): void {
    if (!this.#batching && !this.#isWhole) this.#ended();
  }

  /** Makes sure that the graph is there, with all that was written. */
  ready(): void {
    this.#wake();
    this.flush();
  }

  /** Closes the open node of a batch: what reads values does that first, so it sees them all. */
  flush(): void {
    const { table } = this.#graph;
    if (table.ops === table.firstOp(table.size)) return;
    this.#weight = 0;
    this.#prev = this.#graph.write(this.identity, this.#prev, this.#clock());
    this.#written(this.#prev);
    this.#end();
  }

  /** Throws `DecodeError`, and nothing has changed, for what is no key. */
  writeRegister(kind: number, key: string, value = NO_BYTES): void {
    const { table } = this.#graph;
    const number = table.keys.number(key);
    this.#begin(number, value.length);
    table.content.bytes(value);
    table.addOp(kind, number, NONE, 0, 0);
    this.#close();
  }

  /** What was just inserted into the sequence at `chain` and `counter`. */
  insertText(key: number, sequence: Sequence, text: string): void {
    const { table } = this.#graph;
    this.#begin(key, text.length * 3);
    const left = this.#nameOrigin(sequence);
    table.content.text(text);
    const kind = left ? OP_TEXT_INSERT_LEFT : OP_TEXT_INSERT_RIGHT;
    table.addOp(kind, key, this.#ref, this.#at, text.length);
    this.#counter += text.length;
    this.#close();
  }

  insertItem(key: number, sequence: Sequence, value: Uint8Array): void {
    const { table } = this.#graph;
    this.#begin(key, value.length);
    const left = this.#nameOrigin(sequence);
    table.content.bytes(value);
    table.addOp(left ? OP_LIST_INSERT_LEFT : OP_LIST_INSERT_RIGHT, key, this.#ref, this.#at, 1);
    this.#counter++;
    this.#close();
  }

  /** `count` elements of a chain up to `last`, which a sequence has just hidden. */
  deleteText(key: number, chain: number, last: number, count: number): void {
    this.#begin(key, 0);
    this.#name(chain, last);
    this.#graph.table.addOp(OP_TEXT_DELETE, key, this.#ref, this.#at, count);
    this.#close();
  }

  /** A mark from one end to the other; `content` is its name and value. */
  mark(key: number, from: MarkEnd, to: MarkEnd, content: Uint8Array): void {
    const { table } = this.#graph;
    this.#begin(key, content.length);
    this.#nameEnd(to);
    const [ref, at] = [this.#ref, this.#at];
    this.#nameEnd(from);
    table.content.bytes(content);
    const sides = (from.isBehind ? BEHIND_FROM : 0) | (to.isBehind ? BEHIND_TO : 0);
    table.addPair(OP_TEXT_MARK, key, this.#ref, this.#at, sides, ref, at);
    this.#close();
  }

  #nameEnd({ element }: MarkEnd): void {
    [this.#ref, this.#at] = [NONE, 0];
    if (element) this.#name(element.chain, element.counter);
  }

  deleteItem(key: number, item: ElementNumber): void {
    this.#begin(key, 0);
    this.#name(item.chain, item.counter);
    this.#graph.table.addOp(OP_LIST_DELETE, key, this.#ref, this.#at, 1);
    this.#close();
  }

  /**
   * Moves an item to the seat that was just inserted into the sequence. It leaves its old seat when the node is closed.
   */
  moveItem(key: number, item: ElementNumber, sequence: Sequence): void {
    this.#begin(key, 0);
    this.#name(item.chain, item.counter);
    const [ref, at] = [this.#ref, this.#at];
    const left = this.#nameOrigin(sequence);
    const kind = left ? OP_LIST_MOVE_LEFT : OP_LIST_MOVE_RIGHT;
    this.#graph.table.addMove(kind, key, ref, at, this.#ref, this.#at);
    this.#counter++;
    this.flush();
  }

  /** Makes room in the open node for an op. */
  #begin(key: number, content: number): void {
    const { keys } = this.#graph.table;
    const weight = OP_WEIGHT + keys.end(key) - keys.start(key) + content;
    if (this.#weight + weight > NODE_WEIGHT) this.flush();
    this.#weight += weight;
    this.#look();
  }

  #close(): void {
    if (!this.#batching || this.#weight > NODE_WEIGHT) this.flush();
  }

  /** Looks up where the author's chain goes on, once per node. */
  #look(): void {
    const graph = this.#graph;
    if (this.#size === graph.size && graph.size > 0) return;
    this.#wake();
    if (this.#prev === NONE) this.#prev = graph.tip(this.identity);
    const delegation = this.#delegation;
    if (this.#prev === NONE && delegation) {
      this.#delegation = undefined;
      // The mandate names the key, behind who gives it.
      this.writeRegister(OP_SET, INTRODUCES + delegation.slice(64, 128), fromHex(MANDATE_HEAD + delegation));
      this.flush();
    }
    this.#size = graph.size;
    this.#chain = graph.chainAfter(this.#prev);
    this.#counter = this.#prev === NONE ? 0 : graph.counterAfter(this.#prev);
  }

  /** Names the origin of the sequence's last insert; answers whether that went to its left. */
  #nameOrigin({ originChain, originCounter, originSide }: Sequence): boolean {
    if (originChain === ROOT_CHAIN) {
      this.#ref = NONE;
      this.#at = 0;
    } else this.#name(originChain, originCounter);
    return originSide === LEFT;
  }

  /** How an op of this author names an element: its own chain's by counter, all others by node and offset. */
  #name(chain: number, counter: number): void {
    if (chain === this.#chain) {
      this.#ref = OWN;
      this.#at = counter;
      return;
    }
    this.#ref = this.elements.nodeOf(chain, counter);
    if (this.#ref < 0) throw new Error('an element without a node');
    this.#at = counter - this.#graph.table.counter.get(this.#ref);
  }
}

/** Positions outside are mistakes of the caller; nothing is changed. */
export function checkRange(position: number, count: number, length: number): void {
  if (
    Number.isInteger(position) &&
    Number.isInteger(count) &&
    position >= 0 &&
    count >= 0 &&
    position + count <= length
  )
    return;
  throw new RangeError(`${position} to ${position + count} is not within 0 to ${length}`);
}
