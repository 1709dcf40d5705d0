/**
 * The content of texts and lists as hashes of blocks. [SH3]
 *
 * A block is what one branch of an author's chain has of one key within 512 counters. It names elements by (author,
 * branch, counter), never by chain numbers or spans, which are facts of one replica. Only blocks that were touched are
 * hashed again; combining them costs 32 bytes of hashing per 512 elements.
 */
import { ByteWriter } from '../codec/byte-writer.js';
import { toUtf8 } from '../codec/bytes.js';
import { sha256 } from '../codec/hash.js';
import { DIGEST_BYTES, DIGEST_WORDS } from '../codec/sha256/words.js';
import type { Branches } from '../graph/branches.js';
import type { Graph } from '../graph/graph.js';
import type { Elements } from './elements.js';
import type { Sequence } from './sequence/sequence.js';
import { MAX_ELEMENTS, ROOT_CHAIN } from './sequence/span-layout.js';

const BLOCK = 512;
const TAG = toUtf8('weft-block-v1\0');

interface Block {
  /** Author, branch and number: what blocks are sorted by. */
  readonly name: string;
  readonly chain: number;
  readonly from: number;
  readonly to: number;
  /** Which one it is in the order of names, while that is known. */
  index: number;
  /** Of its present content. */
  hash: Uint8Array | undefined;
}

/** What else a block holds of visible elements besides their place: text units, or items. */
export type WriteContent = (out: ByteWriter, chain: number, counter: number, count: number) => void;

export class BlockHashes {
  readonly #graph: Graph;
  readonly #sequence: Sequence;
  readonly #elements: Elements;
  readonly #branches: Branches;
  readonly #content: WriteContent;
  /** By chain and first counter. */
  readonly #blocks = new Map<number, Block>();
  readonly #dirty: Block[] = [];
  /** The hashes of all blocks, until there is a new one. */
  #hashes: Uint8Array | undefined;
  /** The block touched last: typing touches it again. */
  #last: Block | undefined;
  readonly #out = new ByteWriter(4096);

  constructor(graph: Graph, sequence: Sequence, elements: Elements, branches: Branches, content: WriteContent) {
    this.#graph = graph;
    this.#sequence = sequence;
    this.#elements = elements;
    this.#branches = branches;
    this.#content = content;
  }

  /** These elements of the sequence are new, or were hidden. */
  touch(chain: number, counter: number, count: number): void {
    const end = counter + count;
    for (let at = counter; at < end;) {
      const block = this.#blockAt(chain, at);
      this.#soil(block);
      at = block.to;
    }
  }

  /**
   * From this counter on, the chain's elements lie on another branch than was thought, and whatever names one of them
   * names it otherwise. Forks are rare, so everything is hashed again.
   */
  branched(chain: number, counter: number): void {
    const moved = [...this.#blocks].filter(([, block]) => block.chain === chain && block.to > counter);
    for (const [place] of moved) this.#blocks.delete(place);
    for (const block of this.#blocks.values()) block.hash = undefined;
    this.#hashes = undefined;
    this.#last = undefined;
    for (const [, { from, to }] of moved) {
      this.#sequence.forEachRun(chain, from, to, (at, count) => this.touch(chain, at, count));
    }
  }

  digest(): Uint8Array {
    this.#hashes ??= this.#arrange();
    for (const block of this.#dirty.splice(0)) {
      block.hash = this.#hash(block);
      this.#hashes.set(block.hash, TAG.length + block.index * DIGEST_BYTES);
    }
    return sha256(this.#hashes);
  }

  /** The hashes of all blocks in the order of their names, behind the tag; with room for those that are to be hashed. */
  #arrange(): Uint8Array {
    const sorted = [...this.#blocks.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const hashes = new Uint8Array(TAG.length + sorted.length * DIGEST_BYTES);
    hashes.set(TAG);
    this.#dirty.length = 0;
    for (const [index, block] of sorted.entries()) {
      block.index = index;
      if (block.hash) hashes.set(block.hash, TAG.length + index * DIGEST_BYTES);
      else this.#dirty.push(block);
    }
    return hashes;
  }

  #soil(block: Block): void {
    if (!block.hash) return; // among the dirty ones already, or new
    block.hash = undefined;
    this.#dirty.push(block);
  }

  #blockAt(chain: number, counter: number): Block {
    const last = this.#last;
    if (last?.chain === chain && counter >= last.from && counter < last.to) return last;
    return (this.#last = this.#findBlock(chain, counter));
  }

  #findBlock(chain: number, counter: number): Block {
    const number = Math.floor(counter / BLOCK);
    const starts = this.#branches.startsOf(chain);
    const start = starts.findLast((at) => at <= counter) ?? 0;
    const next = starts.find((at) => at > counter) ?? Number.POSITIVE_INFINITY;
    const from = Math.max(number * BLOCK, start);
    const place = chain * (MAX_ELEMENTS + 1) + from;
    const known = this.#blocks.get(place);
    if (known) return known;
    const author = this.#graph.authorOf(this.#elements.nodeOf(chain, counter));
    const branch = this.#graph.idOf(this.#branches.branchOf(chain, counter));
    const name = `${author} ${branch} ${number.toString(16).padStart(8, '0')}`;
    const block = { name, chain, from, to: Math.min((number + 1) * BLOCK, next), index: 0, hash: undefined };
    this.#blocks.set(place, block);
    this.#hashes = undefined;
    return block;
  }

  #hash({ name, chain, from, to }: Block): Uint8Array {
    const out = this.#out;
    const branch = this.#branches.branchOf(chain, from);
    out.reset();
    out.bytes(TAG);
    out.bytes(toUtf8(name));
    this.#sequence.forEachRun(chain, from, to, (counter, count, parentChain, parentCounter, side, deleted) => {
      const start = parentChain === ROOT_CHAIN;
      // A branch has one author, so it names both.
      const parent = start ? -1 : this.#branches.branchOf(parentChain, parentCounter);
      const near = parent === branch;
      out.varint(counter);
      out.varint(count);
      out.byte(side | (deleted ? 2 : 0) | (near ? 4 : 0) | (start ? 8 : 0));
      if (!start) out.varint(parentCounter);
      if (!start && !near) out.digest(this.#graph.table.ids.values, parent * DIGEST_WORDS);
      if (!deleted) this.#content(out, chain, counter, count);
    });
    return sha256(out.finish());
  }
}
