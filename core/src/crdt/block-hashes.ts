/**
 * The content of texts and lists as hashes of blocks. [SH3]
 *
 * A block is what one branch of an author's chain has of one key within 512 counters. It names elements by (author,
 * branch, counter), never by chain numbers or spans, which are facts of one replica. Only blocks that were touched are
 * hashed again; combining them costs 32 bytes of hashing per 512 elements.
 */
import { ByteWriter } from '../codec/byte-writer.js';
import { fromHex, toUtf8 } from '../codec/bytes.js';
import { sha256 } from '../codec/hash.js';
import type { Branches } from '../graph/branches.js';
import type { Elements } from './elements.js';
import type { Sequence } from './sequence/sequence.js';
import { ROOT_CHAIN } from './sequence/span-layout.js';

const BLOCK = 512;
const TAG = toUtf8('weft-block-v1\0');

interface Block {
  /** Author, branch and number: what blocks are sorted by. */
  readonly name: string;
  readonly chain: number;
  readonly from: number;
  readonly to: number;
  hash: Uint8Array | undefined;
}

/** What else a block holds of an element besides its place: its text unit, or its item. */
export type WriteContent = (out: ByteWriter, chain: number, counter: number, count: number) => void;

export class BlockHashes {
  readonly #sequence: Sequence;
  readonly #elements: Elements;
  readonly #branches: Branches;
  readonly #content: WriteContent;
  readonly #blocks = new Map<string, Block>();
  #sorted: Block[] | undefined;
  readonly #out = new ByteWriter(4096);

  constructor(sequence: Sequence, elements: Elements, branches: Branches, content: WriteContent) {
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
      block.hash = undefined;
      at = block.to;
    }
  }

  /**
   * From this counter on, the chain's elements lie on another branch than was thought, and whatever names one of them
   * names it otherwise. Forks are rare, so everything is hashed again.
   */
  branched(chain: number, counter: number): void {
    const moved = [...this.#blocks].filter(([, block]) => block.chain === chain && block.to > counter);
    for (const [name] of moved) this.#blocks.delete(name);
    this.#sorted = undefined;
    for (const block of this.#blocks.values()) block.hash = undefined;
    for (const [, { from, to }] of moved) {
      this.#sequence.forEachRun(chain, from, to, (at, count) => this.touch(chain, at, count));
    }
  }

  digest(): Uint8Array {
    this.#sorted ??= [...this.#blocks.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const hashes = this.#sorted.map((block) => (block.hash ??= this.#hash(block)));
    const out = new ByteWriter(64 + hashes.length * 32);
    out.bytes(TAG);
    for (const hash of hashes) out.bytes(hash);
    return sha256(out.finish());
  }

  #blockAt(chain: number, counter: number): Block {
    const number = Math.floor(counter / BLOCK);
    const starts = this.#branches.startsOf(chain);
    const start = starts.findLast((at) => at <= counter) ?? 0;
    const next = starts.find((at) => at > counter) ?? Number.POSITIVE_INFINITY;
    const from = Math.max(number * BLOCK, start);
    const key = `${chain} ${from}`;
    const known = this.#blocks.get(key);
    if (known) return known;
    const author = this.#elements.nodeOf(chain, counter)?.node.author ?? '';
    const branch = this.#branches.branchOf(chain, counter) ?? '';
    const name = `${author} ${branch} ${number.toString(16).padStart(8, '0')}`;
    const block = { name, chain, from, to: Math.min((number + 1) * BLOCK, next), hash: undefined };
    this.#blocks.set(key, block);
    this.#sorted = undefined;
    return block;
  }

  #hash({ name, chain, from, to }: Block): Uint8Array {
    const out = this.#out;
    const branch = this.#branches.branchOf(chain, from);
    const author = this.#elements.nodeOf(chain, from)?.node.author;
    out.reset();
    out.bytes(TAG);
    out.bytes(toUtf8(name));
    this.#sequence.forEachRun(chain, from, to, (counter, count, parentChain, parentCounter, side, deleted) => {
      const start = parentChain === ROOT_CHAIN;
      const parent = start ? undefined : this.#elements.nodeOf(parentChain, parentCounter)?.node.author;
      const parentBranch = start ? undefined : this.#branches.branchOf(parentChain, parentCounter);
      const near = !start && parent === author && parentBranch === branch;
      out.varint(counter);
      out.varint(count);
      out.byte(side | (deleted ? 2 : 0) | (near ? 4 : 0) | (start ? 8 : 0) | (parentBranch ? 16 : 0));
      if (!start) out.varint(parentCounter);
      if (!start && !near) out.bytes(fromHex(parent ?? ''));
      if (!near && parentBranch) out.bytes(fromHex(parentBranch));
      this.#content(out, chain, counter, count);
    });
    return sha256(out.finish());
  }
}
