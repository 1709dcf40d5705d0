/**
 * A room: graph, resolved values, log and lane. Features take a room; a room holds no feature.
 *
 * The log is the truth, and its position is the room's `seq`: memory is a fold of it. Nodes enter through
 * `admit` (packs of peers) and `transact` (writes of this host); both go through the lane.
 */
import { decodeValue } from '../codec/msgpack.js';
import { PACK_BOUNDS, type Pack, type PackBounds, decodePack } from '../codec/pack.js';
import { Document } from '../crdt/document.js';
import { readRegister } from '../crdt/registers.js';
import { Dag, withAncestors } from '../graph/dag.js';
import { frontierRoot, sortedFrontier } from '../graph/frontier.js';
import { type Node, type NodeId, type PublicKey, unpackNode, weightOf } from '../graph/node.js';
import { packHistory, packNodes } from '../graph/pack-nodes.js';
import type { RoomId } from '../graph/room-id.js';
import { RUN_NODES, sealMessage } from '../graph/seal.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import type { NodeLog } from '../ports/store.js';
import type { Telemetry } from '../ports/telemetry.js';
import type { Clock } from '../ports/clock.js';
import { type RoomRules, type Verdict, admit } from './admission.js';
import { Batch } from './batch.js';
import { Commit, type CommitOrigin, CommitPart, type Entry, SERVER_ORIGIN, entryOf } from './commit.js';
import { type Genesis, makeGenesis, readGenesis } from './genesis.js';
import { Lane } from './lane.js';
import { checkSeals } from './seals.js';
import type { Write } from './write.js';

export interface RoomParts {
  readonly id: RoomId;
  readonly log: NodeLog;
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** Told of bugs that must not stop the room. */
  readonly onFault: (error: unknown) => void;
}

export interface RoomView {
  readonly seq: number;
  get(key: string): unknown;
}

export interface Decision<T> {
  readonly writes: readonly Write[];
  readonly result: T;
}

export interface Transacted<T> {
  /** Nodes in the room's log, this one included. */
  readonly seq: number;
  /** Absent when nothing was written. */
  readonly nodeId?: NodeId;
  readonly result: T;
}

/** A record may hold one pack of the greatest size beside what a batch takes before it is full. */
const RECORD_BOUNDS: PackBounds = {
  nodes: PACK_BOUNDS.nodes * 2,
  ops: PACK_BOUNDS.ops * 2,
  inflatedBytes: PACK_BOUNDS.inflatedBytes * 2,
  canonicalBytes: PACK_BOUNDS.canonicalBytes * 2,
};

/** Frames of history hold whole batches up to about this many bytes; a heavier batch goes alone. */
const CATCH_UP_WEIGHT = 1024 * 1024;

export class Room {
  readonly id: RoomId;
  readonly #parts: RoomParts;
  readonly #genesis: Genesis;
  readonly #rules: RoomRules;
  readonly #graph = new Dag();
  readonly #values = new Document(this.#graph);
  readonly #seals = new Map<NodeId, Uint8Array>();
  /** Where history may be cut, because every run is closed: log positions, and the weight up to there. */
  readonly #cuts: { readonly end: number; readonly weight: number }[] = [];
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #lane: Lane;

  private constructor(parts: RoomParts, genesis: Genesis, authorities: readonly PublicKey[]) {
    this.id = parts.id;
    this.#parts = parts;
    this.#genesis = genesis;
    this.#rules = { genesis: genesis.node.id, authorities: new Set(authorities), runNodes: RUN_NODES };
    this.#lane = new Lane({ newBatch: () => this.#newBatch(), persist: (batch) => this.#persist(batch) });
  }

  /** Rebuilds the room from its log. A room without a durable fact has its genesis in memory only. */
  static async open(parts: RoomParts): Promise<Room> {
    const first = await firstNode(parts);
    const genesis = first ?? (await makeGenesis(parts.id, parts.signer));
    const constitution = readGenesis(genesis.node);
    if (!constitution || constitution.roomId !== parts.id)
      throw new Error(`the log of room ${parts.id} has no genesis`);
    const room = new Room(parts, genesis, constitution.authorities);
    await room.#readLog();
    return room;
  }

  /** Durable nodes. */
  get seq(): number {
    return this.#graph.size;
  }

  /** The genesis node as a pack of one. */
  get genesis(): { readonly id: NodeId; readonly pack: Uint8Array } {
    const { node, signature } = this.#genesis;
    return { id: node.id, pack: packNodes([new Dag().add(node)], new Map([[node.id, signature]])) };
  }

  get heads(): { readonly frontier: readonly NodeId[]; readonly root: string } {
    return { frontier: sortedFrontier(this.#graph.heads), root: frontierRoot(this.#graph.heads) };
  }

  /** Those of the ids that the room does not hold. */
  lacks(ids: readonly NodeId[]): NodeId[] {
    return ids.filter((id) => this.#graph.find(id) === undefined);
  }

  get(key: string): unknown {
    return readRegister(this.#values.registers, key);
  }

  /** Live registers whose keys begin with the prefix, in key order. */
  *entries(prefix = ''): Generator<[key: string, value: unknown]> {
    for (const [key] of this.#values.registers.live(prefix)) yield [key, readRegister(this.#values.registers, key)];
  }

  /** The text of a key; empty when nobody has written to it. */
  text(key: string): string {
    return this.#values.text(key).toString();
  }

  /** The items of a list. */
  list(key: string): unknown[] {
    return this.#values.list(key).values().map(decodeValue);
  }

  /** The hash of everything that the room resolves to: equal on every replica that holds the same nodes. */
  get stateHash(): string {
    return this.#values.hash.root();
  }

  /** Takes what can be taken of a peer's pack; resolves when that is durable. `origin` names the peer in the commit. */
  async admit(pack: Pack, origin: CommitOrigin): Promise<Verdict> {
    const { telemetry, crypto } = this.#parts;
    const checked = await checkSeals(pack, crypto);
    const weight = checked.nodes.reduce((sum, node) => sum + weightOf(node), 0);
    const verdict = await this.#lane.run(weight, (batch) => {
      const judged = admit(checked, batch.graph, this.#rules);
      batch.take(judged, origin);
      return judged;
    });
    telemetry.record('nodes_accepted_total', verdict.admitted.length);
    for (const { reason } of verdict.refused) telemetry.record('nodes_rejected_total', 1, reason);
    return verdict;
  }

  /**
   * Decides against the state that will be current and stores the writes as one node of this host.
   * `decide` is pure and may run more than once; when it throws, nothing is stored.
   */
  transact<T>(decide: (view: RoomView) => Decision<T>): Promise<Transacted<T>> {
    const author = this.#parts.signer.publicKey as PublicKey;
    return this.#lane.run(0, (batch) => {
      const seq = (): number => this.#graph.size + (batch.isEmpty ? 0 : batch.nodes.length);
      const { writes, result } = decide({ seq: seq(), get: (key) => readRegister(batch.values, key) });
      if (writes.length === 0) return { seq: seq(), result };
      const node = batch.write(this.#rules.genesis, author, writes);
      return { seq: seq(), nodeId: node.id, result };
    });
  }

  /** Sets one register; resolves when it is durable. */
  async set(key: string, value: unknown): Promise<void> {
    await this.transact(() => ({ writes: [{ key, value }], result: undefined }));
  }

  /** Everything in log order from a position, up to what is durable when the end is reached. */
  async *history(fromSeq = 0): AsyncGenerator<Entry> {
    for (let seq = fromSeq; seq < this.#graph.size; seq++) {
      for (const { node } of this.#graph.slice(seq, seq + 1)) yield entryOf(node, seq);
    }
  }

  /**
   * The history up to now as packs that each stand on what came before. Whoever holds a node holds its
   * ancestors, so those of the `known` ids are left out.
   */
  packs(known: Iterable<NodeId> = []): Iterable<Uint8Array> {
    return this.#packs(withAncestors(this.#graph, known), this.#cuts.length);
  }

  *#packs(known: ReadonlySet<NodeId>, cuts: number): Generator<Uint8Array> {
    let sent = { end: 0, weight: 0 };
    for (let i = 0; i < cuts; i++) {
      const [cut, next] = [this.#cuts[i], this.#cuts[i + 1]];
      if (!cut || (i < cuts - 1 && next && next.weight - sent.weight <= CATCH_UP_WEIGHT)) continue;
      const nodes = this.#graph.slice(sent.end, cut.end).filter(({ node }) => !known.has(node.id));
      if (nodes.length > 0) yield packHistory(nodes, this.#seals);
      sent = cut;
    }
  }

  /** Called once per batch that is durable and applied, in log order. */
  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when all waiting writes are answered. */
  settled(): Promise<void> {
    return this.#lane.idle();
  }

  #newBatch(): Batch {
    return new Batch(this.#graph, this.#values.registers, this.#graph.size === 0 ? this.#genesis : undefined);
  }

  async #persist(batch: Batch): Promise<boolean> {
    const { id, log, signer, telemetry, clock } = this.#parts;
    const tip = batch.unsealedTip;
    if (tip) batch.seals.set(tip.id, await signer.sign(sealMessage(tip.id)));
    const started = clock.now();
    const head = this.#graph.size;
    const record = { count: batch.nodes.length, pack: packNodes(batch.nodes, batch.seals) };
    const result = await log.append(id, head, record);
    telemetry.record('persistence_seconds', (clock.now() - started) / 1000);
    if ('movedTo' in result) {
      await this.#readLog();
      return false;
    }
    telemetry.record('commit_batch_nodes', record.count);
    this.#apply(
      batch.nodes.map(({ node }) => node),
      batch.seals,
    );
    const parts = batch.parts.map(({ origin, nodes }) => new CommitPart(origin, nodes, batch.seals));
    this.#tell(new Commit(head, batch.nodes, parts));
    return true;
  }

  /** Follows the log from where memory stands. What another process wrote is relayed like anything else. */
  async #readLog(): Promise<void> {
    const from = this.#graph.size;
    for await (const record of this.#parts.log.read(this.id, from)) {
      const { nodes, seals } = decodePack(record.pack, RECORD_BOUNDS);
      if (record.seq !== this.#graph.size) throw new Error(`the log of room ${this.id} skips from ${this.#graph.size}`);
      const unpacked = nodes.map(unpackNode);
      const signatures = new Map<NodeId, Uint8Array>();
      for (const { index, signature } of seals) {
        const node = unpacked[index];
        if (node) signatures.set(node.id, signature);
      }
      this.#apply(unpacked, signatures);
      const placed = this.#graph.slice(record.seq);
      this.#tell(new Commit(record.seq, placed, [new CommitPart(SERVER_ORIGIN, placed, signatures)]));
    }
  }

  #apply(nodes: readonly Node[], seals: ReadonlyMap<NodeId, Uint8Array>): void {
    let weight = this.#cuts.at(-1)?.weight ?? 0;
    for (const node of nodes) {
      this.#values.apply(this.#graph.add(node));
      weight += weightOf(node);
      // The genesis closes its own run: kept apart, it never makes a full pack one node too long.
      if (node.id === this.#genesis.node.id) this.#cuts.push({ end: this.#graph.size, weight });
    }
    for (const [id, signature] of seals) this.#seals.set(id, signature);
    this.#cuts.push({ end: this.#graph.size, weight });
  }

  /** A follower that throws is a bug of that follower; the others and the room go on. */
  #tell(commit: Commit): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(commit);
      } catch (error) {
        this.#parts.onFault(error);
      }
    }
  }
}

async function firstNode({ id, log }: RoomParts): Promise<Genesis | undefined> {
  for await (const record of log.read(id, 0)) {
    const { nodes, seals } = decodePack(record.pack, RECORD_BOUNDS);
    const [node] = nodes.map(unpackNode);
    const seal = seals.find(({ index }) => index === 0);
    return node && seal && { node, signature: seal.signature };
  }
  return undefined;
}
