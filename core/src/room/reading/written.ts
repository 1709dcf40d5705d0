/** Writes of a room's nodes: ops, keys and values by log position. Positions in the log are the graph's numbers. */
import type { BlobHash } from '../../codec/bytes/blob-hash.js';
import { toHex } from '../../codec/bytes/bytes.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { OP_SET, OP_SET_BLOB } from '../../codec/nodes/op-kinds.js';
import { type Op, opAt } from '../../codec/nodes/op.js';
import { rangeOf } from '../../codec/nodes/places.js';
import { type BlobRef, isRegisterOp } from '../../crdt/registers.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import { type NodeId, type PublicKey, roomOf } from '../../graph/node.js';
import type { DormantValues } from './dormant-values.js';
import type { RoomState } from '../state/room-state.js';

/** A register that was written, and what it holds now. */
export interface ChangedRegister {
  readonly key: string;
  /** MessagePack bytes, a blob, or nothing. */
  readonly held: Uint8Array | BlobRef | undefined;
  readonly node: NodeId;
  /** Where that node stands. */
  readonly at: number;
  readonly author: PublicKey;
}

const NO_ROOMS: ReadonlySet<NodeId> = new Set();

export class Written {
  readonly #state: RoomState;
  readonly #dormant: DormantValues;

  constructor(state: RoomState, dormant: DormantValues) {
    this.#state = state;
    this.#dormant = dormant;
  }

  /** The ops of a node under such keys, values that lie in the log alone read from there. */
  read(seq: number, isSuch: (key: string) => boolean): Op[] | Promise<Op[]> {
    const make = (): Op[] => this.opsOf(seq, isSuch);
    return this.#dormant.isIn(seq) ? this.#dormant.lend(rangeOf(seq, seq + 1), make) : make();
  }

  /** What a node has done to such keys, by the kinds of its ops. */
  kindsOf(seq: number, isSuch: (key: string) => boolean): Op['kind'][] {
    const { table } = this.#state.graph;
    const kinds: Op['kind'][] = [];
    for (let op = table.firstOp(seq); op < table.opsEnd.get(seq); op++)
      if (isSuch(table.keys.names[table.key(op)]!)) kinds.push(table.isDormant(op) ? 'set' : opAt(table, op).kind);
    return kinds;
  }

  /** The ops of a node under such keys. Throws where values of these lie in the log alone: those of the system never do. */
  opsOf(seq: number, isSuch: (key: string) => boolean): Op[] {
    const { table } = this.#state.graph;
    const ops: Op[] = [];
    for (let op = table.firstOp(seq); op < table.opsEnd.get(seq); op++)
      if (isSuch(table.keys.names[table.key(op)]!)) ops.push(opAt(table, op));
    return ops;
  }

  /** How many ops nodes [from, to) have. */
  opsIn(from: number, to: number): number {
    const { table } = this.#state.graph;
    return table.firstOp(to) - table.firstOp(from);
  }

  /** The keys that nodes [from, to) touch, but for the system's, and nodes that were written for some other rooms. */
  keysTouched(from: number, to: number, others: ReadonlySet<NodeId> = NO_ROOMS): ReadonlySet<string> {
    const { table } = this.#state.graph;
    const keys = new Set<number>();
    for (let node = from; node < to; node++) {
      if (others.size > 0 && others.has(roomOf(table, node))) continue;
      for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) keys.add(table.key(op));
    }
    return new Set([...keys].map((key) => table.keys.names[key]!).filter((name) => !isSystemKey(name)));
  }

  /** Where nodes [from, to) have touched each of these keys last, as `keysTouched` counts them. */
  lastTouches(
    keys: { has(key: string): boolean },
    [from, to]: readonly [from: number, to: number],
    others: ReadonlySet<NodeId> = NO_ROOMS,
  ): ReadonlyMap<string, number> {
    const { table } = this.#state.graph;
    const last = new Map<number, number>();
    for (let node = from; node < to; node++) {
      if (others.size > 0 && others.has(roomOf(table, node))) continue;
      for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) last.set(table.key(op), node);
    }
    const named = [...last].map(([key, node]) => [table.keys.names[key]!, node] as const);
    return new Map(named.filter(([name]) => keys.has(name)));
  }

  /** Adds the keys that nodes [from, to) have written; stops behind so many ops. Answers where it has come to. */
  collectKeys(from: number, to: number, keys: Set<string>, most: number): number {
    const { table } = this.#state.graph;
    const end = table.firstOp(from) + most;
    let node = from;
    while (node < to && table.firstOp(node) < end) {
      for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) keys.add(table.keys.names[table.key(op)]!);
      node++;
    }
    return node;
  }

  /** Whether a node from a position on has written to such a key. */
  hasWritten(from: number, isSuch: (key: string) => boolean): boolean {
    const { graph, seq } = this.#state;
    const { table } = graph;
    for (let op = table.firstOp(seq) - 1; op >= table.firstOp(from); op--)
      if (isSuch(table.keys.names[table.key(op)]!)) return true;
    return false;
  }

  /** What nodes [from, to) have set registers under a prefix to, in log order, overwritten values too. */
  valuesSet(from: number, to: number, prefix: string): { readonly key: string; readonly value: unknown }[] {
    const { table } = this.#state.graph;
    const found: { key: string; value: unknown }[] = [];
    for (let op = table.firstOp(from); op < table.firstOp(to); op++) {
      const key = table.keys.names[table.key(op)]!;
      if (table.kind(op) === OP_SET && key.startsWith(prefix))
        found.push({ key, value: decodeValue(table.contentOf(op)) });
    }
    return found;
  }

  /** Blobs that nodes [from, to) have set a register to, one of the system's aside. */
  blobsNamed(from: number, to: number): ReadonlySet<BlobHash> {
    const { table } = this.#state.graph;
    const hashes = new Set<BlobHash>();
    for (let op = table.firstOp(from); op < table.firstOp(to); op++)
      if (table.kind(op) === OP_SET_BLOB && !isSystemKey(table.keys.names[table.key(op)]!))
        hashes.add(toHex(table.contentOf(op)) as BlobHash);
    return hashes;
  }

  /** Registers under a prefix that nodes [from, to) have written, each once, with what they hold now. */
  registersChanged(from: number, to: number, prefix: string): ChangedRegister[] {
    const { graph, values } = this.#state;
    const { table } = graph;
    const keys = new Set<number>();
    for (let op = table.firstOp(from); op < table.firstOp(to); op++)
      if (isRegisterOp(table.kind(op)) && table.keys.names[table.key(op)]!.startsWith(prefix)) keys.add(table.key(op));
    return [...keys].map((key) => {
      const node = values.registers.nodeOf(key);
      const value = values.registers.value(key);
      return {
        key: table.keys.names[key]!,
        held: value instanceof Uint8Array ? value.slice() : value,
        node: graph.idOf(node),
        at: node,
        author: graph.authorOf(node),
      };
    });
  }
}
