/**
 * The content of a text or list as one hash over blocks of its elements. [SH3]
 *
 * A block is what one branch of an author's chain has of one key within 64 counters. It names elements by branch and
 * counter, never by chain numbers or spans, which are facts of one replica. Blocks are the leaves of a tree, so a change
 * costs its block and one path, whatever the length. Only blocks that were touched are hashed again, and nothing is
 * noted down before the hash is asked for first.
 */
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import type { Branches } from '../graph/branches.js';
import type { Graph } from '../graph/graph.js';
import type { Sequence } from './sequence/sequence.js';
import { MAX_ELEMENTS, ROOT_CHAIN } from './sequence/span-layout.js';
import { Tagged } from './state-leaf.js';
import { Entries } from './state-tree/entries.js';
import { LEAF_BYTES, PATH_BYTES } from './state-tree/node-body.js';
import { StateTree } from './state-tree/state-tree.js';

const BLOCK = 64;
const CHAIN_ELEMENTS = MAX_ELEMENTS + 1;

const DELETED = 2;
const NEAR = 4;
const AT_START = 8;

const path = new Tagged('weft-block-path-v1');
const leaf = new Tagged('weft-block-v1');
// Scratch for one block, for one call at a time.
const one = new Entries(1);

/** Writer of what a block holds of visible elements besides where they are: text units, or items. */
export type WriteContent = (out: ByteWriter, chain: number, counter: number, count: number) => void;

export class BlockHashes {
  readonly #graph: Graph;
  readonly #sequence: Sequence;
  readonly #branches: Branches;
  readonly #content: WriteContent;
  #tree = new StateTree();
  /** Chain and first counter of the blocks that were touched, as one number; of all of them while `#isStale`. */
  readonly #touched = new Set<number>();
  #isStale = true;
  /** The block that `#find` found last: typing touches it again. */
  #chain = -1;
  #from = 0;
  #to = 0;

  constructor(graph: Graph, sequence: Sequence, branches: Branches, content: WriteContent) {
    this.#graph = graph;
    this.#sequence = sequence;
    this.#branches = branches;
    this.#content = content;
  }

  /** Notes that these elements of the sequence are new, or were hidden. */
  touch(chain: number, counter: number, count: number): void {
    if (this.#isStale) return;
    for (let at = counter; at < counter + count; at = this.#to) {
      if (chain === this.#chain && at >= this.#from && at < this.#to) continue;
      this.#find(chain, at);
      this.#touched.add(chain * CHAIN_ELEMENTS + this.#from);
    }
  }

  /**
   * From this counter on, the chain's elements lie on another branch than was thought, and whatever names one of them
   * names it otherwise. Forks are rare, so everything is hashed again; false when there are no such elements here.
   */
  branched(chain: number, counter: number): boolean {
    if (!this.#isStale) this.#sequence.forEachRun(chain, counter, MAX_ELEMENTS, () => (this.#isStale = true));
    return this.#isStale;
  }

  digest(): Uint8Array {
    if (this.#isStale) this.#touchAll();
    const entries = this.#touched.size === 1 ? one : new Entries(this.#touched.size);
    let count = 0;
    for (const element of this.#touched) {
      const chain = Math.floor(element / CHAIN_ELEMENTS);
      this.#find(chain, element % CHAIN_ELEMENTS);
      this.#hash(chain, this.#from, this.#to, entries.bytes, count * LEAF_BYTES);
      count++;
    }
    this.#tree.setAll(entries, count);
    this.#touched.clear();
    this.#chain = -1;
    return this.#tree.root();
  }

  #touchAll(): void {
    this.#isStale = false;
    this.#tree = new StateTree();
    this.#touched.clear();
    this.#chain = -1;
    this.#sequence.forEachSpan((chain, counter, count) => this.touch(chain, counter, count));
  }

  /** The block of an element: 64 counters, or less where a branch begins or ends within them. */
  #find(chain: number, counter: number): void {
    const first = counter - (counter % BLOCK);
    this.#chain = chain;
    this.#from = Math.max(first, this.#branches.startOf(chain, counter));
    this.#to = Math.min(first + BLOCK, this.#branches.endOf(chain, counter));
  }

  #hash(chain: number, from: number, to: number, entry: Uint8Array, at: number): void {
    const first = from - (from % BLOCK);
    const branch = this.#branches.branchOf(chain, from);
    this.#begin(path, branch, first);
    const out = this.#begin(leaf, branch, first);
    this.#sequence.forEachRun(chain, from, to, (counter, count, parentChain, parentCounter, side, deleted) => {
      const start = parentChain === ROOT_CHAIN;
      const parent = start ? -1 : this.#branches.branchOf(parentChain, parentCounter);
      const near = parent === branch;
      out.byte(counter - first);
      out.byte(count);
      out.byte(side | (deleted ? DELETED : 0) | (near ? NEAR : 0) | (start ? AT_START : 0));
      if (!start) out.varint(parentCounter);
      if (!start && !near) out.digest(this.#graph.table.idWords(parent), this.#graph.table.idAt(parent));
      if (!deleted) this.#content(out, chain, counter, count);
    });
    path.digestInto(entry, at);
    leaf.digestInto(entry, at + PATH_BYTES);
  }

  /** A message about the block of a branch that begins at, or would begin at, this counter. */
  #begin(tagged: Tagged, branch: number, first: number): ByteWriter {
    const message = tagged.begin();
    message.digest(this.#graph.table.idWords(branch), this.#graph.table.idAt(branch));
    message.varint(first / BLOCK);
    return message;
  }
}
