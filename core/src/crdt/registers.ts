/**
 * Map registers: the last writer wins by (lamport, author, node id, index in the node). [MP1]
 *
 * The winner is a maximum under a total order, so the result depends on the set of nodes alone,
 * never on the order in which they came. Deletes are tombstones: an older set cannot come back.
 */
import type { ByteReader } from '../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../codec/bytes/byte-writer.js';
import { DecodeError, fromHex, toHex } from '../codec/bytes/bytes.js';
import { IntColumn } from '../codec/bytes/columns.js';
import { decodeValue } from '../codec/bytes/msgpack.js';
import { MOST_ELEMENTS } from '../codec/nodes/canonical-node.js';
import { DORMANT, OP_DELETE, OP_SET_BLOB } from '../codec/nodes/op-kinds.js';
import type { Graph } from '../graph/graph.js';
import { type NodeId, roomOf } from '../graph/node.js';
import { compareNodes } from '../graph/order.js';
import { isSystemKey } from './system-keys.js';

/** A register that names a blob by the SHA-256 of its bytes. */
export class BlobRef {
  /** 64 hex characters. */
  readonly hash: string;

  constructor(hash: string) {
    this.hash = hash;
  }
}

/** What keys of the system begin with that are asked for by prefix. */
const SYSTEM = '\0';

const SAVED_NOTHING = 0;
const SAVED_BLOB = 1;
const SAVED_BYTES = 2;

/** What can be read of values, whether durable ones or a batch laid over them. */
export interface RegisterView {
  get(key: string): unknown;
}

/** Follower that is told of each write that met another one: which node won, and which lost. */
export type Contest = (key: number, winner: number, loser: number) => void;

export class Registers implements RegisterView {
  readonly #graph: Graph;
  /** The room whose system keys act here; those of all rooms when it is not said. */
  readonly #room: NodeId | undefined;
  /** Kind of each key, by its number: 0 not looked at, 1 a usual one, 2 the system's. */
  readonly #kinds = new IntColumn();
  /** Node and op that won, each + 1, by number of the key; 0 where nothing was written. */
  readonly nodes = new IntColumn();
  readonly ops = new IntColumn();
  /** Keys of the system among the first so many. */
  #system: number[] = [];
  #looked = 0;

  /** Values of dormant winners by their ops: these are registers of the past, and their values were overwritten since. */
  kept: Map<number, Uint8Array> | undefined;
  /** Values as they were saved, by number of the key, until the graph is there again. */
  #saved: Map<number, Uint8Array | BlobRef> | undefined;

  constructor(graph: Graph, room?: NodeId) {
    this.#graph = graph;
    this.#room = room;
  }

  /** Whether an op of a node counts here: system keys of nodes of other rooms do not. [TP3] */
  acts(node: number, op: number): boolean {
    if (this.#room === undefined) return true;
    const key = this.#graph.table.key(op);
    this.#kinds.extendTo(key + 1);
    if (this.#kinds.values[key] === 0)
      this.#kinds.values[key] = isSystemKey(this.#graph.table.keys.names[key]!) ? 2 : 1;
    return this.#kinds.values[key] === 1 || roomOf(this.#graph.table, node) === this.#room;
  }

  /** Forgets everything, as if nothing had been written. */
  clear(): void {
    [this.#system, this.#looked] = [[], 0];
    this.nodes.truncate(0);
    this.ops.truncate(0);
  }

  /** Winners with what they hold, tombstones too. */
  save(out: ByteWriter): void {
    const written: number[] = [];
    for (let key = 0; key < this.ops.length; key++) if (this.ops.values[key]! > 0) written.push(key);
    out.varint(written.length);
    for (const key of written) {
      const value = this.value(key);
      out.varint(key);
      out.varint(this.nodeOf(key));
      out.varint(this.opOf(key));
      out.byte(value === undefined ? SAVED_NOTHING : value instanceof BlobRef ? SAVED_BLOB : SAVED_BYTES);
      if (value !== undefined) out.sized(value instanceof BlobRef ? fromHex(value.hash) : value);
    }
  }

  load(input: ByteReader): void {
    this.#saved = new Map();
    for (let left = input.count(4, MOST_ELEMENTS); left > 0; left--) {
      const key = this.#savedNumber(input, this.#graph.table.keys.names.length);
      this.nodes.extendTo(key + 1);
      this.ops.extendTo(key + 1);
      this.nodes.values[key] = this.#savedNumber(input) + 1;
      this.ops.values[key] = this.#savedNumber(input) + 1;
      const form = input.byte();
      if (form > SAVED_BYTES) throw new DecodeError('a saved register has an unknown form');
      if (form === SAVED_NOTHING) continue;
      const value = input.sized();
      this.#saved.set(key, form === SAVED_BLOB ? new BlobRef(toHex(value)) : value);
    }
  }

  #savedNumber(input: ByteReader, limit = MOST_ELEMENTS): number {
    const number = input.varint();
    if (number >= limit) throw new DecodeError('a saved register names what is not there');
    return number;
  }

  /** The graph is there again: it has all values. */
  wake(): void {
    this.#saved = undefined;
  }

  /** The node that wrote what a register holds, or that it holds nothing; -1 when it was never written. */
  nodeOf(key: number): number {
    return key < this.nodes.length ? this.nodes.values[key]! - 1 : -1;
  }

  opOf(key: number): number {
    return key < this.ops.length ? this.ops.values[key]! - 1 : -1;
  }

  /** MessagePack bytes, a blob's name, or undefined after a delete and where nothing is. */
  value(key: number): Uint8Array | BlobRef | undefined {
    return this.#saved ? this.#saved.get(key) : this.written(this.opOf(key));
  }

  /** What an op that writes a register has written. */
  written(op: number): Uint8Array | BlobRef | undefined {
    return this.kept?.get(op) ?? valueOf(this.#graph, op);
  }

  /** What `value` answers, by name. */
  find(name: string): Uint8Array | BlobRef | undefined {
    const key = this.#graph.table.keys.find(name);
    return key === undefined ? undefined : this.value(key);
  }

  get(name: string): unknown {
    return readValue(this.find(name));
  }

  /** An op that writes a register. */
  apply(node: number, op: number, contest: Contest): void {
    const key = this.#graph.table.key(op);
    this.nodes.extendTo(key + 1);
    this.ops.extendTo(key + 1);
    const held = this.nodes.values[key]! - 1;
    const wins = held < 0 || beats(this.#graph, node, op, held, this.ops.values[key]! - 1);
    if (wins) {
      this.nodes.values[key] = node + 1;
      this.ops.values[key] = op + 1;
    }
    if (held >= 0) contest(key, wins ? node : held, wins ? held : node);
  }

  /** Few among many: they are asked for by their prefix again and again. */
  #systemKeys(): readonly number[] {
    const { names } = this.#graph.table.keys;
    for (; this.#looked < this.ops.length; this.#looked++)
      if (names[this.#looked]!.startsWith(SYSTEM)) this.#system.push(this.#looked);
    return this.#system;
  }

  /**
   * Live keys in code-point order of their UTF-16 text, which is stable everywhere. Those of the room itself come only by a prefix of
   * theirs.
   */
  *live(prefix = ''): Generator<[name: string, value: Uint8Array | BlobRef]> {
    const { names } = this.#graph.table.keys;
    const live: string[] = [];
    const look = (key: number): void => {
      if (this.ops.values[key]! > 0 && names[key]!.startsWith(prefix)) live.push(names[key]!);
    };
    if (prefix.startsWith(SYSTEM)) this.#systemKeys().forEach(look);
    else names.forEach((name, key) => name.startsWith(SYSTEM) || look(key));
    for (const name of live.sort()) {
      const value = this.find(name);
      if (value !== undefined) yield [name, value];
    }
  }
}

export function isRegisterOp(kind: number): boolean {
  return kind <= OP_DELETE || kind === OP_SET_BLOB || kind === DORMANT;
}

export function readValue(value: Uint8Array | BlobRef | undefined): unknown {
  return value instanceof Uint8Array ? decodeValue(value) : value;
}

export function valueOf({ table }: Graph, op: number): Uint8Array | BlobRef | undefined {
  if (op < 0 || table.kind(op) === OP_DELETE) return undefined;
  return table.kind(op) === OP_SET_BLOB ? new BlobRef(toHex(table.contentOf(op))) : table.contentOf(op);
}

/** Ops of one node are numbered in its order. */
export function beats(graph: Graph, node: number, op: number, held: number, heldOp: number): boolean {
  return node === held ? op > heldOp : compareNodes(graph, node, held) > 0;
}
