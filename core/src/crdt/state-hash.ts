/**
 * One hash for everything that a room resolves to. [SH1]
 *
 * A Merkle tree commits to a leaf per key: registers by their bytes, texts and lists by the hashes of blocks of their
 * elements. What a leaf hashes depends on the set of nodes alone. Only keys that changed are hashed again, on demand,
 * and of a text only the blocks that changed.
 */
import { ByteWriter } from '../codec/byte-writer.js';
import { fromHex, toHex, toUtf8 } from '../codec/bytes.js';
import { digestInto } from '../codec/sha256/digest-into.js';
import { DIGEST_BYTES } from '../codec/sha256/words.js';
import type { Branches } from '../graph/branches.js';
import type { Graph } from '../graph/graph.js';
import { BlockHashes } from './block-hashes.js';
import type { Elements } from './elements.js';
import type { List } from './list.js';
import { BlobRef, type Registers } from './registers.js';
import { StateTree } from './state-tree/state-tree.js';
import type { Text } from './text.js';

export type ValueKind = 'register' | 'text' | 'list';
type SequenceKind = Exclude<ValueKind, 'register'>;

const KIND_CODES: Readonly<Record<ValueKind, number>> = { register: 0, text: 1, list: 2 };
const CONTENT_BYTES = 0;
const CONTENT_BLOB = 1;
const CONTENT_BLOCKS = 2;
const LEAF_TAG = toUtf8('weft-leaf-v1\0');
const PATH_TAG = toUtf8('weft-path-v1\0');

/** Where a key stands in the tree. */
export function pathOf(kind: ValueKind, key: string): Uint8Array {
  return digest(named(PATH_TAG, kind, key));
}

/** The leaf of a register that holds these MessagePack bytes, or names this blob. */
export function registerLeaf(key: string, value: Uint8Array | BlobRef): Uint8Array {
  const blob = value instanceof BlobRef;
  return leafOf('register', key, blob ? CONTENT_BLOB : CONTENT_BYTES, blob ? fromHex(value.hash) : value);
}

function leafOf(kind: ValueKind, key: string, form: number, content: Uint8Array): Uint8Array {
  const out = named(LEAF_TAG, kind, key);
  out.byte(form);
  out.bytes(content);
  return digest(out);
}

// For one call at a time: a room of a million keys makes two million of these.
const scratch = new ByteWriter(256);

function named(tag: Uint8Array, kind: ValueKind, key: string): ByteWriter {
  scratch.reset();
  scratch.bytes(tag);
  scratch.byte(KIND_CODES[kind]);
  const bytes = toUtf8(key);
  scratch.sized(bytes);
  return scratch;
}

function digest(out: ByteWriter): Uint8Array {
  const bytes = new Uint8Array(DIGEST_BYTES);
  digestInto(out.view(), bytes, 0);
  return bytes;
}

/** What the hash is of; the document that owns it. */
export interface HashedState {
  readonly registers: Registers;
  readonly elements: Elements;
  readonly branches: Branches;
  text(key: number): Text;
  list(key: number): List;
}

/** A text or list that has something to hash. */
interface Hashed {
  readonly kind: SequenceKind;
  readonly key: number;
  readonly blocks: BlockHashes;
  isDirty: boolean;
}

export class StateHash {
  readonly #graph: Graph;
  readonly #state: HashedState;
  #tree = new StateTree();
  readonly #registers = new Set<number>();
  /** By number of the key. */
  readonly #hashed: Readonly<Record<SequenceKind, (Hashed | undefined)[]>> = { text: [], list: [] };
  readonly #dirty: Hashed[] = [];

  constructor(graph: Graph, state: HashedState) {
    this.#graph = graph;
    this.#state = state;
  }

  /** As if there were no values. */
  clear(): void {
    this.#tree = new StateTree();
    this.#registers.clear();
    this.#hashed.text.length = 0;
    this.#hashed.list.length = 0;
    this.#dirty.length = 0;
  }

  registerChanged(key: number): void {
    this.#registers.add(key);
  }

  elementsChanged(kind: SequenceKind, key: number, chain: number, counter: number, count: number): void {
    const hashed = (this.#hashed[kind][key] ??= this.#hash(kind, key));
    hashed.blocks.touch(chain, counter, count);
    this.#soil(hashed);
  }

  /** A chain has branched: whoever has elements of it behind that counter names them differently now. */
  branched(chain: number, counter: number): void {
    for (const hashed of [...this.#hashed.text, ...this.#hashed.list]) {
      if (!hashed) continue;
      hashed.blocks.branched(chain, counter);
      this.#soil(hashed);
    }
  }

  /** 64 hex characters. */
  root(): string {
    const { names } = this.#graph.table.keys;
    for (const key of this.#registers) {
      const name = names[key]!;
      const value = this.#state.registers.value(key);
      if (value === undefined) this.#tree.delete(pathOf('register', name));
      else this.#tree.set(pathOf('register', name), registerLeaf(name, value));
    }
    this.#registers.clear();
    for (const hashed of this.#dirty.splice(0)) {
      const { kind, blocks } = hashed;
      const name = names[hashed.key]!;
      hashed.isDirty = false;
      this.#tree.set(pathOf(kind, name), leafOf(kind, name, CONTENT_BLOCKS, blocks.digest()));
    }
    return toHex(this.#tree.root());
  }

  /** Proves the leaf of a key, or that there is none, under the present root. */
  prove(kind: ValueKind, key: string): Uint8Array {
    this.root();
    return this.#tree.prove(pathOf(kind, key));
  }

  #soil(hashed: Hashed): void {
    if (hashed.isDirty) return;
    hashed.isDirty = true;
    this.#dirty.push(hashed);
  }

  #hash(kind: SequenceKind, key: number): Hashed {
    const { elements, branches } = this.#state;
    const value = kind === 'text' ? this.#state.text(key) : this.#state.list(key);
    const blocks = new BlockHashes(this.#graph, value.sequence, elements, branches, (...run) =>
      value.writeContent(...run),
    );
    return { kind, key, blocks, isDirty: false };
  }
}
