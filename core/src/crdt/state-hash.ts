/**
 * One hash for everything that a room resolves to. [SH1]
 *
 * A Merkle tree commits to a leaf per key: registers by their bytes, texts and lists by the hashes of blocks of their
 * elements. What a leaf hashes depends on the set of nodes alone. Only keys that changed are hashed again, on demand,
 * and of a text only the blocks that changed.
 */
import { ByteWriter } from '../codec/byte-writer.js';
import { fromHex, toHex, toUtf8 } from '../codec/bytes.js';
import { sha256 } from '../codec/hash.js';
import type { Branches } from '../graph/branches.js';
import { BlockHashes } from './block-hashes.js';
import type { Elements } from './elements.js';
import type { List } from './list.js';
import { BlobRef, type Registers } from './registers.js';
import { StateTree } from './state-tree/state-tree.js';
import type { Text } from './text.js';

export type ValueKind = 'register' | 'text' | 'list';

const KIND_CODES: Readonly<Record<ValueKind, number>> = { register: 0, text: 1, list: 2 };
const CONTENT_BYTES = 0;
const CONTENT_BLOB = 1;
const CONTENT_BLOCKS = 2;
const LEAF_TAG = toUtf8('weft-leaf-v1\0');
const PATH_TAG = toUtf8('weft-path-v1\0');

/** Where a key stands in the tree. */
export function pathOf(kind: ValueKind, key: string): Uint8Array {
  return sha256(named(PATH_TAG, kind, key).finish());
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
  return sha256(out.finish());
}

function named(tag: Uint8Array, kind: ValueKind, key: string): ByteWriter {
  const out = new ByteWriter(128);
  const bytes = toUtf8(key);
  out.bytes(tag);
  out.byte(KIND_CODES[kind]);
  out.varint(bytes.length);
  out.bytes(bytes);
  return out;
}

/** What the hash is of; the document that owns it. */
export interface HashedState {
  readonly registers: Registers;
  readonly elements: Elements;
  readonly branches: Branches;
  text(key: string): Text;
  list(key: string): List;
}

interface Dirty {
  readonly kind: ValueKind;
  readonly key: string;
}

export class StateHash {
  readonly #state: HashedState;
  readonly #tree = new StateTree();
  readonly #blocks = new Map<string, BlockHashes>();
  readonly #dirty = new Map<string, Dirty>();

  constructor(state: HashedState) {
    this.#state = state;
  }

  registerChanged(key: string): void {
    this.#dirty.set(`register ${key}`, { kind: 'register', key });
  }

  elementsChanged(kind: 'text' | 'list', key: string, chain: number, counter: number, count: number): void {
    this.#dirty.set(`${kind} ${key}`, { kind, key });
    this.#blocksOf(kind, key).touch(chain, counter, count);
  }

  /** A chain has branched: whoever has elements of it behind that counter names them differently now. */
  branched(chain: number, counter: number): void {
    for (const [name, blocks] of this.#blocks) {
      blocks.branched(chain, counter);
      const [kind = '', ...key] = name.split(' ');
      this.#dirty.set(name, { kind: kind === 'text' ? 'text' : 'list', key: key.join(' ') });
    }
  }

  /** 64 hex characters. */
  root(): string {
    for (const { kind, key } of this.#dirty.values()) {
      const leaf = this.#leaf(kind, key);
      if (leaf) this.#tree.set(pathOf(kind, key), leaf);
      else this.#tree.delete(pathOf(kind, key));
    }
    this.#dirty.clear();
    return toHex(this.#tree.root());
  }

  /** Proves the leaf of a key, or that there is none, under the present root. */
  prove(kind: ValueKind, key: string): Uint8Array {
    this.root();
    return this.#tree.prove(pathOf(kind, key));
  }

  #leaf(kind: ValueKind, key: string): Uint8Array | undefined {
    if (kind !== 'register') return leafOf(kind, key, CONTENT_BLOCKS, this.#blocksOf(kind, key).digest());
    const value = this.#state.registers.find(key)?.value;
    return value && registerLeaf(key, value);
  }

  #blocksOf(kind: 'text' | 'list', key: string): BlockHashes {
    const name = `${kind} ${key}`;
    const known = this.#blocks.get(name);
    if (known) return known;
    const { elements, branches } = this.#state;
    const value = kind === 'text' ? this.#state.text(key) : this.#state.list(key);
    const made = new BlockHashes(value.sequence, elements, branches, (...run) => value.writeContent(...run));
    this.#blocks.set(name, made);
    return made;
  }
}
