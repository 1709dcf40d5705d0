/**
 * One hash for everything that a room resolves to. [SH1]
 *
 * A Merkle tree commits to a leaf per key: registers by their bytes, texts and lists by trees of their own over blocks
 * of elements. What a leaf hashes depends on the set of nodes alone. Only keys that changed are hashed again, on demand,
 * and of a text only the blocks that changed; nothing is noted down before the hash is asked for first.
 */
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { toHex } from '../codec/bytes/bytes.js';
import type { Branches } from '../graph/branches.js';
import type { Graph } from '../graph/graph.js';
import { BlockHashes } from './block-hashes.js';
import type { Elements } from './elements.js';
import type { List } from './list.js';
import { MarkHashes } from './mark-hashes.js';
import type { Mark, Marks } from './marks.js';
import { writeRegister } from './register-content.js';
import type { Registers } from './registers.js';
import type { Sequence } from './sequence/sequence.js';
import { type ValueKind, pathOf, writeBlocksLeaf, writePath, writeRegisterLeaf } from './state-leaf.js';
import { Entries } from './state-tree/entries.js';
import { LEAF_BYTES, PATH_BYTES } from './state-tree/node-body.js';
import { StateTree } from './state-tree/state-tree.js';
import type { Text } from './text.js';

type SequenceKind = Exclude<ValueKind, 'register'>;

/** What the hash is of; the document that owns it. */
export interface HashedState {
  readonly registers: Registers;
  readonly branches: Branches;
  readonly elements: Elements;
  text(key: number): Text;
  list(key: number): List;
  marks(key: number): Marks | undefined;
  sequences(): Iterable<readonly [kind: SequenceKind, key: number, sequence: Sequence]>;
}

/** Hash of all values, as those who change them know it. */
export interface ValuesHash {
  /** Resolves when it can be asked for. */
  ready(): Promise<void>;
  clear(): void;
  loaded(root?: string): void;
  registerChanged(key: number): void;
  elementsChanged(kind: SequenceKind, key: number, chain: number, counter: number, count: number): void;
  /** A range of a text shows this write now. */
  marked(key: number, mark: Mark): void;
  branched(chain: number, counter: number): void;
  root(): string;
  advance(most: number): boolean;
  prove(kind: ValueKind, key: string): Uint8Array;
}

export type HashMaker = new (graph: Graph, state: HashedState) => ValuesHash;

/** A text or list that has something to hash. */
interface Hashed {
  readonly kind: SequenceKind;
  readonly key: number;
  readonly blocks: BlockHashes;
  marks: MarkHashes | undefined;
  isDirty: boolean;
}

// Scratch for a single key, for one call at a time.
const one = new Entries(1);

export class StateHash implements ValuesHash {
  readonly #graph: Graph;
  readonly #state: HashedState;
  #tree = new StateTree();
  /** Registers that changed since they were hashed. */
  readonly #registers = new Set<number>();
  /** Keys from this number on were never hashed. */
  #from = 0;
  /** Root of values that were loaded, and have not changed since. */
  #loadedRoot: string | undefined;
  /** Whether texts and lists are there of which nothing is noted down. */
  #isLoaded = false;
  /** Block hashes by number of the key. */
  readonly #hashed: Readonly<Record<SequenceKind, (Hashed | undefined)[]>> = { text: [], list: [] };
  readonly #dirty: Hashed[] = [];
  /** The key whose register `#writeContent` writes. */
  #key = 0;

  constructor(graph: Graph, state: HashedState) {
    this.#graph = graph;
    this.#state = state;
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  /** Forgets everything, as if there were no values. */
  clear(): void {
    this.#tree = new StateTree();
    this.#registers.clear();
    this.#from = 0;
    this.#hashed.text.length = 0;
    this.#hashed.list.length = 0;
    this.#dirty.length = 0;
    this.#loadedRoot = undefined;
    this.#isLoaded = false;
  }

  /** Values were loaded into the empty document; `root` is their hash, if that is known. */
  loaded(root?: string): void {
    this.#loadedRoot = root;
    this.#isLoaded = true;
  }

  registerChanged(key: number): void {
    this.#loadedRoot = undefined;
    if (key < this.#from) this.#registers.add(key);
  }

  elementsChanged(kind: SequenceKind, key: number, chain: number, counter: number, count: number): void {
    this.#loadedRoot = undefined;
    const hashed = (this.#hashed[kind][key] ??= this.#hash(kind, key));
    hashed.blocks.touch(chain, counter, count);
    this.#soil(hashed);
  }

  marked(key: number, mark: Mark): void {
    this.#loadedRoot = undefined;
    const hashed = (this.#hashed.text[key] ??= this.#hash('text', key));
    hashed.marks?.touch(mark);
    this.#soil(hashed);
  }

  /** A chain has branched: whoever has elements of it behind that counter names them differently now. */
  branched(chain: number, counter: number): void {
    this.#loadedRoot = undefined;
    for (const values of [this.#hashed.text, this.#hashed.list]) {
      for (const hashed of values) if (hashed?.blocks.branched(chain, counter)) this.#soil(hashed);
    }
  }

  /** 64 hex characters. */
  root(): string {
    if (this.#loadedRoot !== undefined) return this.#loadedRoot;
    this.#update();
    return toHex(this.#tree.root());
  }

  #update(): void {
    if (this.#isLoaded) this.#noteSequences();
    this.#hashNew(Infinity);
    this.#hashRegisters(this.#registers, this.#registers.size);
    this.#registers.clear();
    for (let hashed = this.#dirty.pop(); hashed; hashed = this.#dirty.pop()) this.#hashBlocks(hashed);
  }

  /**
   * A part of what the next `root` or `prove` has to do: so many registers or nodes of the tree, or one text or list.
   * Answers whether more is left. Of a large room that is seconds in one piece.
   */
  advance(most: number): boolean {
    if (this.#loadedRoot !== undefined) return false;
    if (this.#isLoaded) this.#noteSequences();
    if (this.#hashNew(most)) return true;
    const some: number[] = [];
    for (const key of this.#registers) {
      if (some.length === most) break;
      some.push(key);
    }
    this.#hashRegisters(some, some.length);
    for (const key of some) this.#registers.delete(key);
    if (some.length > 0) return true;
    const hashed = this.#dirty.pop();
    if (hashed) this.#hashBlocks(hashed);
    return hashed !== undefined || this.#tree.advance(most);
  }

  /** Hashes so many of the keys that were never hashed, at most; false when there are none. */
  #hashNew(most: number): boolean {
    const from = this.#from;
    const count = Math.min(most, this.#graph.table.keys.names.length - from);
    this.#from = from + count;
    this.#hashRegisters(numbersFrom(from, count), count);
    return count > 0;
  }

  #hashBlocks(hashed: Hashed): void {
    const { kind, key, blocks } = hashed;
    const name = this.#graph.table.keys.bytes(key);
    const marks = kind === 'text' ? this.#state.marks(key) : undefined;
    if (marks) hashed.marks ??= new MarkHashes(this.#graph, this.#state.elements);
    hashed.isDirty = false;
    writePath(kind, name, one.bytes, 0);
    writeBlocksLeaf(kind, name, blocks.digest(), marks && hashed.marks?.digest(marks), one.bytes, PATH_BYTES);
    this.#tree.setAll(one, 1);
  }

  #noteSequences(): void {
    this.#isLoaded = false;
    const root = this.#loadedRoot;
    for (const [kind, key, sequence] of this.#state.sequences()) {
      if (kind === 'text' && this.#state.marks(key)) this.#soil((this.#hashed.text[key] ??= this.#hash(kind, key)));
      sequence.forEachSpan((chain, counter, count) => this.elementsChanged(kind, key, chain, counter, count));
    }
    this.#loadedRoot = root;
  }

  /** Proves the leaf of a key, or that there is none, under the present root. */
  prove(kind: ValueKind, key: string): Uint8Array {
    this.#update();
    return this.#tree.prove(pathOf(kind, key));
  }

  #hashRegisters(keys: Iterable<number>, count: number): void {
    if (count === 0) return;
    const table = this.#graph.table.keys;
    const entries = count === 1 ? one : new Entries(count);
    const { bytes } = entries;
    let live = 0;
    for (const key of keys) {
      const at = live * LEAF_BYTES;
      this.#key = key;
      const name = table.bytes(key);
      writePath('register', name, bytes, at);
      if (writeRegisterLeaf(name, this.#writeContent, bytes, at + PATH_BYTES)) live++;
      else this.#tree.delete(bytes.subarray(at, at + PATH_BYTES));
    }
    this.#tree.setAll(entries, live);
  }

  readonly #writeContent = (message: ByteWriter): boolean =>
    writeRegister(message, this.#state.registers, this.#graph, this.#key);

  #soil(hashed: Hashed): void {
    if (hashed.isDirty) return;
    hashed.isDirty = true;
    this.#dirty.push(hashed);
  }

  #hash(kind: SequenceKind, key: number): Hashed {
    const { branches } = this.#state;
    const value = kind === 'text' ? this.#state.text(key) : this.#state.list(key);
    const blocks = new BlockHashes(this.#graph, value.sequence, branches, (...run) => value.writeContent(...run));
    return { kind, key, blocks, marks: undefined, isDirty: false };
  }
}

function* numbersFrom(first: number, count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield first + i;
}
