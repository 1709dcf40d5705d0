/**
 * A room: graph, resolved values, log and lane. Features take a room; a room holds no feature.
 *
 * The log is the truth, and its position is the room's `seq`: memory is a fold of it. Nodes enter through
 * `admit` (packs of peers) and `transact` (writes of this host); both go through the lane.
 */
import type { Globs } from '../access/glob.js';
import { fromHex } from '../codec/bytes/bytes.js';
import { Identity } from '../codec/nodes/identity.js';
import { rangeOf } from '../codec/nodes/places.js';
import type { OpenPack } from '../codec/packs/pack.js';
import type { Conflicts } from '../crdt/conflicts.js';
import type { Document, Resolved, ResolvedKey } from '../crdt/document.js';
import { BlobRef } from '../crdt/registers.js';
import { type Fork, forksOf } from '../graph/forks.js';
import type { Graph } from '../graph/graph.js';
import { type NodeId, weightOf } from '../graph/node.js';
import type { RoomId } from '../graph/room-id.js';
import { RUN_NODES, sealMessage } from '../graph/seal.js';
import type { Clock } from '../ports/clock.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import { type Images, type NodeLog, type Segment, StoreError } from '../ports/store.js';
import { type Telemetry, stopwatch } from '../ports/telemetry.js';
import { type CheckedPack, checkSeals } from './admission/checked-pack.js';
import { Judgement, type RefusedNode, type RoomRules, type Verdict } from './admission/judgement.js';
import type { Allowance } from './intake/parked.js';
import { Parkings } from './intake/parkings.js';
import { type Compacted, Compaction } from './keeping/compaction.js';
import { type Opened, genesisOf, openState } from './keeping/opening.js';
import { type PolicyFact, Surveys, policiesOf } from './keeping/survey.js';
import { Upkeep } from './keeping/upkeep.js';
import { proveFork } from './reading/fork-proof.js';
import { Past, type PastView } from './reading/past.js';
import { ReadyPacks } from './reading/ready-packs.js';
import { type Heads, RoomNodes } from './reading/room-nodes.js';
import { Facts } from './state/facts.js';
import { type Constitution, genesisId } from './state/genesis.js';
import type { RoomState } from './state/room-state.js';
import type { Decision, RoomView, Transacted, Write } from './state/write.js';
import { Batch, type Framing } from './writing/batch.js';
import { Commit, type CommitOrigin, CommitPart, type Entry, SERVER_ORIGIN } from './writing/commit.js';
import { Edits } from './writing/edits.js';
import { Lane } from './writing/lane.js';
import { Moments } from './writing/moments.js';

export interface RoomParts {
  readonly id: RoomId;
  readonly log: NodeLog;
  readonly images: Images;
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** How much its values may take, all that ever were. [LM8] */
  readonly mostBytes?: number;
  /** For what all sessions have sent too early; each has a bound of its own besides. */
  readonly parked?: Allowance;
  /** Of all rooms together. */
  readonly ready?: ReadyPacks;
  /** Told of bugs that must not stop the room. */
  readonly onFault: (error: unknown) => void;
}

/** Says what this host writes around nodes that it takes, against what the room is by then. */
export type Framer = (view: RoomView & { readonly policies: readonly PolicyFact[] }) => Framing;

/** What a room is at one moment. */
export interface Cut {
  readonly seq: number;
  readonly stateHash: string;
  readonly frontier: readonly NodeId[];
}

export class Room {
  readonly id: RoomId;
  /** The genesis node as a pack of one. */
  readonly genesis: { readonly id: NodeId; readonly pack: Uint8Array };
  readonly #parts: RoomParts;
  readonly #rules: RoomRules;
  readonly #state: RoomState;
  /** This host, as an author of this room. */
  readonly #author: number;
  /** What the genesis says. */
  readonly constitution: Constitution;
  /** Its durable nodes, to be read. */
  readonly nodes: RoomNodes;
  /** What it held, at any position of its log. */
  readonly past: Past;
  /** What the room's authority has written about the room itself. */
  readonly facts: Facts;
  /** What it is at one moment, told for other rooms. */
  readonly surveys: Surveys;
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #parkings: Parkings;
  readonly #lane: Lane;
  readonly #upkeep: Upkeep;
  readonly #compaction: Compaction;
  /** Between batches. */
  readonly #moments: Moments;

  private constructor(parts: RoomParts, { genesis, constitution, pack, state }: Opened) {
    const { id, log, images, telemetry, onFault } = parts;
    this.id = id;
    this.genesis = { id: genesisId(genesis), pack };
    this.constitution = constitution;
    this.#parts = parts;
    this.#state = state;
    this.#rules = {
      genesis: this.genesis.id,
      authorities: state.authorities,
      laws: state.laws,
      runNodes: RUN_NODES,
      takesHeaders: false,
      isServer: true,
    };
    const host = new Identity(fromHex(this.genesis.id), fromHex(parts.signer.publicKey));
    this.#author = this.#graph.table.identities.number(host);
    this.nodes = new RoomNodes(id, state, log, parts.ready ?? new ReadyPacks());
    this.past = new Past(state);
    this.facts = new Facts(this.#values.registers);
    this.#lane = new Lane({ newBatch: () => this.#newBatch(), persist: (batch) => this.#persist(batch) });
    this.#moments = new Moments(() => state.graph.size === state.graph.settled);
    this.#parkings = new Parkings({
      crypto: parts.crypto,
      shared: parts.parked,
      onFault,
      judge: (checked, origin, mayWrite, bytes) => this.#judge(checked, origin, mayWrite, bytes),
    });
    const kept = { id, log, images, state, genesis: pack, telemetry, onFault, whenSettled: this.#whenSettled };
    this.surveys = new Surveys({ state, genesis: pack, signer: parts.signer, whenSettled: this.#whenSettled });
    this.#upkeep = new Upkeep(kept);
    this.#compaction = new Compaction({ ...parts, ...kept, upkeep: this.#upkeep });
  }

  /** Rebuilds the room from its log. A room without a durable fact has its genesis in memory only. */
  static async open(parts: RoomParts): Promise<Room> {
    const opened = await openState(parts);
    const room = new Room(parts, opened);
    if (room.seq < opened.head) await room.#readLog(opened.head);
    return room;
  }

  get #graph(): Graph {
    return this.#state.graph;
  }

  get #values(): Document {
    return this.#state.values;
  }

  /** Durable nodes. */
  get seq(): number {
    return this.#graph.settled;
  }

  get heads(): Heads {
    return this.nodes.heads;
  }

  get(key: string): unknown {
    return this.past.present.get(key);
  }

  /** What every key but the system's holds. */
  resolution(): Iterable<ResolvedKey> {
    return this.past.present.resolution();
  }

  resolve(key: string): Resolved {
    return this.past.present.resolve(key);
  }

  /** Live registers whose keys begin with the prefix, in key order. */
  entries(prefix = ''): Generator<[key: string, value: unknown]> {
    return this.past.present.entries(prefix);
  }

  /** The text of a key; empty when nobody has written to it. */
  text(key: string): string {
    return this.past.present.text(key);
  }

  /** The items of a list. */
  list(key: string): unknown[] {
    return this.past.present.list(key);
  }

  /** The hash of everything that the room resolves to: equal on every replica that holds the same nodes. */
  get stateHash(): string {
    return this.past.present.stateHash;
  }

  /** The room as it was when its log had so many nodes: it does not change any more. [PJ1] */
  asOf(seq: number): Promise<PastView> {
    return this.past.at(seq);
  }

  /** Writes that did not know each other, as they came. [CF1] */
  get conflicts(): Pick<Conflicts, 'counted' | 'after'> {
    return this.#values.conflicts;
  }

  /** Where authors have written two nodes on one: the same list on every replica that holds the same nodes. */
  get forks(): readonly Fork[] {
    return forksOf(this.#graph);
  }

  /** A pack that proves a fork to anybody, see `verifyForkProof`; undefined for what is none here. */
  forkProof(fork: Fork): Uint8Array | undefined {
    return proveFork(this.#graph, fork, this.#state.seals);
  }

  /**
   * Takes what can be taken of a peer's pack or message; resolves when that is durable. `origin` names the peer in the
   * commit; with a session, what lacks its seal or what it stands on counts as refused and waits for that until `forget`.
   * `mayWrite`, if not everywhere, is the same for all that a session pushes.
   * Rejects with a `DecodeError` for what is no pack.
   */
  async admit(pack: Uint8Array, origin: CommitOrigin, mayWrite?: Globs): Promise<Verdict> {
    return this.#parkings.of(origin, mayWrite).receive(pack);
  }

  /**
   * Takes nodes of other rooms, those that these geneses begin: all of them or none, in one commit with what `decide` says is to
   * be written around them. Answers the refusals; without `decide` that is all.
   */
  async adopt(nodes: OpenPack, geneses: ReadonlySet<NodeId>, decide?: Framer): Promise<readonly RefusedNode[]> {
    const checked = await checkSeals(nodes, this.#parts.crypto);
    return (await this.restore(checked, { geneses, isOwn: false }, decide)).refused;
  }

  /**
   * The same of all nodes of an archive. With `isOwn`, they were written for this room and some server has judged them; those of
   * other rooms are judged by the policy in force here. `decide` says last, against what the room is, what is to be written
   * around them, or throws; without it nothing is changed. Answers what became of the nodes, or would.
   */
  restore(
    pack: CheckedPack,
    { geneses, isOwn }: { readonly geneses: ReadonlySet<NodeId>; readonly isOwn: boolean },
    decide?: Framer,
  ): Promise<Verdict> {
    const { laws } = this.#state;
    // Their runs were judged where they were pushed.
    const rules = { ...this.#rules, adopted: geneses, runNodes: Number.POSITIVE_INFINITY, isServer: !isOwn };
    // Alone at the beginning of a batch: what it is relayed with must stand on what peers have.
    return this.#lane.run(Number.POSITIVE_INFINITY, (batch) => {
      this.#state.expectSpace(this.#parts.mostBytes, pack.table.content.length);
      const get = (key: string): unknown => batch.values.get(key);
      const framing = decide?.({ seq: this.seq, get, policies: policiesOf(laws) });
      const judged = new Judgement(pack, batch.graph, rules);
      const { verdict } = judged;
      if (framing && verdict.refused.length === 0) batch.frame(judged, this.#author, framing, this.#parts.clock.now());
      return verdict;
    });
  }

  /** What a session has sent too early is given up. */
  forget(session: string): void {
    this.#parkings.forget(session);
  }

  /** The same of all sessions: the room is put away. */
  forgetAll(): void {
    this.#parkings.forgetAll();
  }

  async #judge(
    pack: CheckedPack,
    origin: CommitOrigin,
    mayWrite: Globs | undefined,
    bytes?: Uint8Array,
  ): Promise<Judgement> {
    const { telemetry } = this.#parts;
    const rules = { ...this.#rules, mayWrite };
    let weight = 0;
    for (let place = 0; place < pack.size; place++) weight += weightOf(pack.table, place);
    const judgement = await this.#lane.run(weight, (batch) => {
      this.#state.expectSpace(this.#parts.mostBytes, weight);
      const stop = stopwatch(telemetry, 'merge_batch_seconds');
      const judged = new Judgement(pack, batch.graph, rules);
      stop();
      if (judged.doubted.length === 0) batch.take(judged, origin, bytes);
      return judged;
    });
    if (judgement.doubted.length > 0) return judgement;
    const { accepted, refused } = judgement.verdict;
    telemetry.record('nodes_accepted_total', accepted);
    for (const { reason } of refused) telemetry.record('nodes_rejected_total', 1, reason);
    return judgement;
  }

  /**
   * Decides against the state that will be current and stores the writes as one node of this host.
   * `decide` is pure and may run more than once; when it throws, nothing is stored.
   */
  transact<T>(decide: (view: RoomView) => Decision<T>): Promise<Transacted<T>> {
    const job = (batch: Batch): Transacted<T> => {
      this.#state.expectSpace(this.#parts.mostBytes);
      const seq = (): number => (batch.isEmpty ? this.#graph.settled : this.#graph.size);
      const { writes, result } = decide({ seq: seq(), get: (key) => batch.values.get(key) });
      const node = batch.write(this.#author, writes, this.#parts.clock.now());
      return { seq: seq(), result, ...this.#named(node) };
    };
    return this.#lane.run(0, job);
  }

  /**
   * The same of any number of nodes, which are durable together. `work` runs when all that was stored before has been told, and
   * nothing is on its way. Each `write` is a node; it answers whether there is room for another, and throws when it is refused.
   */
  transactMany<T>(work: (write: (writes: readonly Write[]) => boolean) => T): Promise<T> {
    const job = (batch: Batch): T => {
      this.#state.expectSpace(this.#parts.mostBytes);
      return work((writes) => {
        batch.write(this.#author, writes, this.#parts.clock.now());
        return batch.hasRoomFor(0);
      });
    };
    return this.#lane.run(0, job, true);
  }

  /**
   * The same for texts and lists, with `edit` in place of a decision. Each call sees what the one before did; edits of one
   * call do not see each other.
   */
  edit<T>(edit: (edits: Edits) => T): Promise<Transacted<T>> {
    const job = (batch: Batch): Transacted<T> => {
      this.#state.expectSpace(this.#parts.mostBytes);
      const edits = new Edits(this.#graph, this.#values, this.#author);
      const { node, result } = batch.edit(this.#author, () => edit(edits), this.#parts.clock.now());
      return { seq: batch.isEmpty ? this.#graph.settled : this.#graph.size, result, ...this.#named(node) };
    };
    return this.#lane.run(0, job, true);
  }

  #named(node: number | undefined): { readonly nodeId?: NodeId } {
    return node === undefined ? {} : { nodeId: this.#graph.idOf(node) };
  }

  /** The room is there from now on, whatever becomes of it. */
  establish(): Promise<void> {
    return this.#lane.run(0, (batch) => batch.establish());
  }

  /** Sets one register; resolves when it is durable. */
  async set(key: string, value: unknown): Promise<void> {
    await this.transact(() => ({ writes: [{ key, value }], result: undefined }));
  }

  /** The same with the name of a blob. Nothing is written where it is the blob's name already. */
  async setBlob(key: string, hash: string): Promise<void> {
    await this.transact((view) => {
      const held = view.get(key);
      const isSet = held instanceof BlobRef && held.hash === hash;
      return { writes: isSet ? [] : [{ key, held: new BlobRef(hash) }], result: undefined };
    });
  }

  /** Everything in log order from a position, up to what is durable when the end is reached. */
  history(fromSeq = 0): AsyncGenerator<Entry> {
    return this.nodes.entries(fromSeq);
  }

  /** The history up to now as packs that each stand on what came before, but for what stands under the known nodes. */
  packs(known: readonly NodeId[] = []): Generator<Uint8Array> {
    return this.nodes.packs(known);
  }

  /** Blobs that registers under these keys name. */
  blobsUnder(keys: Pick<Globs, 'matches'>): ReadonlySet<string> {
    const hashes = new Set<string>();
    for (const [key, value] of this.#values.registers.live())
      if (value instanceof BlobRef && keys.matches(key)) hashes.add(value.hash);
    return hashes;
  }

  /** Called once per batch that is durable and applied, in log order. */
  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Pushes and writes that have no answer yet. */
  get waiting(): number {
    return this.#lane.waiting;
  }

  /** Whether some peer's nodes wait for what they stand on. */
  get hasParked(): boolean {
    return !this.#parkings.areEmpty;
  }

  /** Whether nothing is waiting to be written. */
  get isIdle(): boolean {
    return this.#lane.isIdle;
  }

  /**
   * Begins another room with all that this one holds at one moment; `begin` makes what stands behind that in its log.
   * False when that room is there already.
   */
  fork(child: RoomId, begin: (cut: Cut) => Promise<Segment>): Promise<boolean> {
    return this.#upkeep.alone(async () => {
      const cut = { seq: this.seq, stateHash: this.stateHash, frontier: this.heads.frontier };
      const record = await begin(cut);
      await this.#upkeep.merge(cut.seq);
      return this.#parts.log.fork(child, { room: this.id, at: cut.seq }, record);
    });
  }

  /** Makes what the room has become cheap to keep and to open; see `Compaction`. */
  compact(): Promise<Compacted> {
    return this.#compaction.run();
  }

  /** Resolves when the room can be put away, and opens fast again. */
  async rest(): Promise<void> {
    await this.#lane.idle();
    await this.#upkeep.rest();
  }

  /** Resolves when all waiting writes are answered. */
  settled(): Promise<void> {
    return this.#lane.idle();
  }

  /** At once, or as soon as nothing is being made durable: at the end of a batch, or of all of them. */
  readonly #whenSettled = <T>(task: () => T): Promise<T> => {
    const done = this.#moments.next(task);
    if (this.#lane.isIdle) this.#moments.look();
    else void this.#lane.idle().then(() => this.#moments.look());
    return done;
  };

  #newBatch(): Batch {
    this.#state.rewind();
    // Not kept as a table: most rooms never need it again, and it takes as much as all else of a new one.
    const genesis = this.#graph.settled === 0 ? genesisOf(this.genesis.pack) : undefined;
    return new Batch(this.#graph, this.#values.registers, genesis);
  }

  async #persist(batch: Batch): Promise<boolean> {
    try {
      return await this.#append(batch);
    } finally {
      this.#state.rewind(); // what is durable is settled by now
      this.#moments.look();
    }
  }

  async #append(batch: Batch): Promise<boolean> {
    const { id, log, signer, telemetry } = this.#parts;
    for (const tip of batch.unsealedTips) batch.seals.set(tip, await signer.sign(sealMessage(this.#graph.table, tip)));
    const stop = stopwatch(telemetry, 'persistence_write_seconds');
    const head = this.#graph.settled;
    const [record, ...more] = await batch.records();
    const result = await (more.length > 0
      ? log.appendAll(id, head, [record!, ...more])
      : log.append(id, head, record!));
    stop();
    if ('movedTo' in result) {
      this.#state.rewind();
      await this.#readLog(result.movedTo);
      return false;
    }
    telemetry.record('commit_batch_nodes', batch.nodes.length);
    const parts = batch.parts.map((part) => new CommitPart(this.#graph, part, batch.seals));
    this.#settle(batch.seals, parts, batch.ends);
    return true;
  }

  /** Follows the log from where memory stands to `head` at least. What another process wrote is relayed like anything else. */
  async #readLog(head: number): Promise<void> {
    for await (const record of this.#parts.log.read(this.id, this.seq)) {
      const from = this.seq;
      if (record.seq > from) throw new Error(`the log of room ${this.id} skips from ${from}`);
      const seals = this.#state.follow(record);
      const part = { origin: SERVER_ORIGIN, nodes: rangeOf(from, this.#graph.size) };
      this.#settle(seals, [new CommitPart(this.#graph, part, seals)]);
    }
    if (this.seq >= head) return;
    const lost = `the log of room ${this.id} has ${head} nodes, and can be read up to ${this.seq}`;
    throw new StoreError('damaged', `${lost}: part of it is lost; restore a backup`);
  }

  /** What stands at the end of the graph is durable: it becomes part of the values, and is told. */
  #settle(seals: ReadonlyMap<number, Uint8Array>, parts: readonly CommitPart[], ends: readonly number[] = []): void {
    const from = this.#state.settle(seals, ends);
    this.#tell(new Commit(this.#graph, from, this.#graph.settled, parts, ends.length > 0));
    this.#parkings.wake(this.#graph, from);
    this.#upkeep.look();
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
