/**
 * A room's durable nodes, for whoever reads them: by position, by name, by what a reader holds and may see.
 *
 * Positions in the log are the graph's numbers. What is written to the room meanwhile changes nothing of what was read.
 */
import type { BlobHash } from '../../codec/bytes/blob-hash.js';
import { toHex } from '../../codec/bytes/bytes.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { KINDS } from '../../codec/nodes/op-kinds.js';
import { type Op, opAt } from '../../codec/nodes/op.js';
import { type OpenPack, encodePack } from '../../codec/packs/pack.js';
import type { BlobRef } from '../../crdt/registers.js';
import { isRegisterOp } from '../../crdt/registers.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import { frontierOf, frontierRoot } from '../../graph/frontier.js';
import { withAncestors } from '../../graph/graph.js';
import { type NodeId, type PublicKey, roomOf } from '../../graph/node.js';
import type { RoomId } from '../../graph/room-id.js';
import type { NodeLog } from '../../ports/store.js';
import { HeldIds } from '../../reconcile/held-ids.js';
import type { RoomState } from '../state/room-state.js';
import { type Entry, entryOf } from '../writing/commit.js';
import type { Reading } from './history.js';
import type { ReadyPacks } from './ready-packs.js';
import { Sight, type SightRules } from './sight.js';

/** A register that was written, and what it holds now. */
export interface ChangedRegister {
  readonly key: string;
  /** MessagePack bytes, a blob, or nothing. */
  readonly held: Uint8Array | BlobRef | undefined;
  readonly node: NodeId;
  readonly author: PublicKey;
}

/** Nodes on which nothing stands yet, and the hash of them all. */
export interface Heads {
  readonly frontier: readonly NodeId[];
  readonly root: string;
}

const NO_ROOMS: ReadonlySet<NodeId> = new Set();
export interface NodeDescription {
  /** Log position. */
  readonly seq: number;
  readonly lamport: number;
  readonly nodeId: NodeId;
  readonly author: PublicKey;
  readonly wallMs: number | undefined;
}

/** Fewer are packed as fast as they are found. */
const LONG_NODES = 256;

const EMPTY_PACK = encodePack({ nodes: [], seals: [] });

export class RoomNodes {
  readonly #id: RoomId;
  readonly #state: RoomState;
  readonly #log: NodeLog;
  #ids: HeldIds | undefined;
  #heads: (Heads & { readonly seq: number }) | undefined;
  readonly #ready: ReadyPacks;

  constructor(id: RoomId, state: RoomState, log: NodeLog, ready: ReadyPacks) {
    this.#id = id;
    this.#state = state;
    this.#log = log;
    this.#ready = ready;
  }

  get emptyPack(): Uint8Array {
    return EMPTY_PACK;
  }

  get #end(): number {
    return this.#state.seq;
  }

  /** Found once for all who ask between two commits. */
  get heads(): Heads {
    if (this.#heads?.seq === this.#end) return this.#heads;
    const frontier = frontierOf(this.#state.graph);
    this.#heads = { seq: this.#end, frontier, root: frontierRoot(frontier) };
    return this.#heads;
  }

  /** Those of the ids that the room does not hold. */
  lacks(ids: readonly NodeId[]): NodeId[] {
    return ids.filter((id) => !this.#holds(this.#state.graph.find(id)));
  }

  /** Those of the nodes that are held, each once, ascending. */
  numbersOf(ids: readonly NodeId[]): number[] {
    const held = ids.map((id) => this.#state.graph.find(id)).filter((node) => this.#holds(node));
    return [...new Set(held)].sort((a, b) => a - b);
  }

  /** What a node stands on, sorted; undefined for one that is not held. */
  parentsOf(id: NodeId): NodeId[] | undefined {
    const { graph } = this.#state;
    const node = graph.find(id);
    if (!this.#holds(node)) return undefined;
    return [...graph.ancestors(node)].map((parent) => graph.idOf(parent)).sort();
  }

  /** Nodes that only the room holds, and those of the ids that it does not; each sorted. */
  differenceTo(ids: readonly NodeId[]): { readonly here: NodeId[]; readonly there: NodeId[] } {
    const theirs = new Uint8Array(this.#end);
    for (const node of this.numbersOf(ids)) theirs[node] = 1;
    const here: NodeId[] = [];
    for (let node = 0; node < this.#end; node++) if (theirs[node] === 0) here.push(this.#state.graph.idOf(node));
    return { here: here.sort(), there: [...new Set(this.lacks(ids))].sort() };
  }

  #holds(node: number): boolean {
    return node >= 0 && node < this.#end;
  }

  /** By number, all nodes but these: 1 for each. */
  allBut(numbers: readonly number[]): Uint8Array {
    const held = new Uint8Array(this.#end).fill(1);
    for (const node of numbers) held[node] = 0;
    return held;
  }

  /** By number, which nodes somebody holds who holds these: 1 for each; undefined for none. */
  pastOf(ids: readonly NodeId[]): Uint8Array | undefined {
    const numbers = this.numbersOf(ids);
    return numbers.length === 0 ? undefined : withAncestors(this.#state.graph, numbers);
  }

  /** The ids of all nodes, for finding out what somebody else lacks. */
  get ids(): HeldIds {
    return (this.#ids ??= new HeldIds(this.#state.graph));
  }

  /** What a reader sees of the room; undefined for one who sees everything. */
  sight(rules: SightRules): Sight | undefined {
    return rules.subscribed || rules.readable ? new Sight(this.#state.graph, rules) : undefined;
  }

  /** The one at a position of the log. */
  entry(seq: number): Entry {
    return entryOf(this.#state.graph, seq);
  }

  /** Everything in log order from a position, up to what is durable when the end is reached. */
  async *entries(from = 0): AsyncGenerator<Entry> {
    for (let seq = from; seq < this.#end; seq++) yield this.entry(seq);
  }

  /**
   * The history up to now as packs that each stand on what came before. Whoever holds a node holds its
   * ancestors, so those of the `known` ids are left out.
   */
  *packs(known: readonly NodeId[] = []): Generator<Uint8Array> {
    const held = this.pastOf(known);
    const end = this.#end;
    for (let from = 0; from < end;) {
      const to = Math.min(end, this.endOfPart(from));
      const pack = this.#state.history.pack(from, to, held);
      if (pack) yield pack;
      from = to;
    }
  }

  /** Where the part of the log ends that begins at a position: one frame's worth of closed runs. */
  endOfPart(from: number): number {
    return this.#state.history.endOfPart(from);
  }

  /** Of the nodes [from, to), what a reader lacks and may see, as a pack; undefined when that is nothing. */
  async read(from: number, to: number, reading: Reading): Promise<Uint8Array | undefined> {
    if (reading.sight || reading.held?.subarray(from, to).includes(1))
      return this.#state.history.read(from, to, reading);
    if (to > this.#state.history.stored && to - from < LONG_NODES) return this.#state.history.pack(from, to);
    const make = async () => (await this.#stored(from, to)) ?? this.#state.history.pack(from, to);
    return this.#ready.get(`${this.#id} ${from}-${to}`, make);
  }

  /** The segment that holds exactly these nodes, ready to be sent. */
  async #stored(from: number, to: number): Promise<Uint8Array | undefined> {
    if (to > this.#state.history.stored) return undefined;
    for await (const { seq, count, pack } of this.#log.read(this.#id, from))
      return seq === from && count === to - from ? pack : undefined;
    return undefined;
  }

  /** Some nodes, with what makes them believable. */
  select(numbers: readonly number[], sight: Sight | undefined): Promise<Uint8Array> {
    return this.#state.history.select(numbers, sight);
  }

  /** The same in parts that each fit a frame. */
  partsOf(numbers: readonly number[]): readonly (readonly number[])[] {
    return this.#state.history.partsOf(numbers);
  }

  /** The keys that nodes [from, to) touch, but for the system's, and nodes that were written for some other rooms. */
  keysTouched(from: number, to: number, others: ReadonlySet<NodeId> = NO_ROOMS): ReadonlySet<string> {
    const { table } = this.#state.graph;
    const keys = new Set<number>();
    for (let node = from; node < to; node++) {
      if (others.size > 0 && others.has(roomOf(table, node))) continue;
      for (let op = table.firstOp(node); op < table.opsEnd.values[node]!; op++) keys.add(table.key(op));
    }
    return new Set([...keys].map((key) => table.keys.names[key]!).filter((name) => !isSystemKey(name)));
  }

  /** Nodes [from, to) for another room to take, each run closed, with the seals that `closing` gave when `to` was the end. */
  copyOf(from: number, to: number, closing: ReadonlyMap<number, Uint8Array>): OpenPack {
    return this.#state.history.copy(from, to, closing);
  }

  /** The last seal of each chain among all nodes from a position on, by position. */
  closing(from: number): ReadonlyMap<number, Uint8Array> {
    return this.#state.history.closing(from, this.#state.seq);
  }

  /** Blobs that nodes [from, to) have set a register to, one of the system's aside. */
  blobsNamed(from: number, to: number): ReadonlySet<BlobHash> {
    const { table } = this.#state.graph;
    const hashes = new Set<BlobHash>();
    for (let op = table.firstOp(from); op < table.firstOp(to); op++)
      if (table.kind(op) === KINDS['set-blob'] && !isSystemKey(table.keys.names[table.key(op)]!))
        hashes.add(toHex(table.contentOf(op)) as BlobHash);
    return hashes;
  }

  /** How many ops nodes [from, to) have. */
  opsIn(from: number, to: number): number {
    const { table } = this.#state.graph;
    return table.firstOp(to) - table.firstOp(from);
  }

  /** Adds the keys that nodes [from, to) have written; stops behind so many ops. Answers where it has come to. */
  collectKeys(from: number, to: number, keys: Set<string>, most: number): number {
    const { table } = this.#state.graph;
    const end = table.firstOp(from) + most;
    let node = from;
    while (node < to && table.firstOp(node) < end) {
      for (let op = table.firstOp(node); op < table.opsEnd.values[node]!; op++)
        keys.add(table.keys.names[table.key(op)]!);
      node++;
    }
    return node;
  }

  /** Whether a node from a position on has written to such a key. */
  hasWritten(from: number, isSuch: (key: string) => boolean): boolean {
    const { table } = this.#state.graph;
    for (let op = table.firstOp(this.#end) - 1; op >= table.firstOp(from); op--)
      if (isSuch(table.keys.names[table.key(op)]!)) return true;
    return false;
  }

  /** What nodes [from, to) have set registers under a prefix to, in log order, overwritten values too. */
  valuesSet(from: number, to: number, prefix: string): { readonly key: string; readonly value: unknown }[] {
    const { table } = this.#state.graph;
    const found: { key: string; value: unknown }[] = [];
    for (let op = table.firstOp(from); op < table.firstOp(to); op++) {
      const key = table.keys.names[table.key(op)]!;
      if (table.kind(op) === KINDS.set && key.startsWith(prefix))
        found.push({ key, value: decodeValue(table.contentOf(op)) });
    }
    return found;
  }

  /** The ops of a node under such keys. */
  opsOf(seq: number, isSuch: (key: string) => boolean): Op[] {
    const { table } = this.#state.graph;
    const ops: Op[] = [];
    for (let op = table.firstOp(seq); op < table.opsEnd.values[seq]!; op++)
      if (isSuch(table.keys.names[table.key(op)]!)) ops.push(opAt(table, op));
    return ops;
  }

  /** What a node says of itself, its ops aside. */
  describe(seq: number): NodeDescription {
    const { graph } = this.#state;
    return {
      seq,
      lamport: graph.lamport.values[seq]!,
      nodeId: graph.idOf(seq),
      author: graph.authorOf(seq),
      wallMs: graph.table.walls.get(seq),
    };
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
        author: graph.authorOf(node),
      };
    });
  }
}
