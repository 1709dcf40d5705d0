/**
 * A room: what callers may do with it. Features take a room; a room holds no feature.
 *
 * The log is the truth, and its position is the room's `seq`: memory is a fold of it. What peers push goes through intake,
 * admission and the writer, in this order; what this host writes goes to the writer. Nothing goes back.
 */
import type { Authority, RoomSpeaker } from '../access/authority.js';
import type { Reign } from '../access/reign.js';
import type { Globs } from '../access/glob.js';
import type { OpenPack } from '../codec/packs/pack.js';
import type { Conflicts } from '../crdt/conflicts.js';
import type { Resolved } from '../crdt/document.js';
import type { Span } from '../crdt/mark-runs.js';
import { BlobRef } from '../crdt/registers.js';
import type { ResolvedKey } from '../crdt/resolution.js';
import { type ValueRoot, signValueRoot } from '../crdt/value-tree/value-root.js';
import { type Fork, forksOf } from '../graph/forks.js';
import type { NodeId } from '../graph/node.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Clock } from '../ports/clock.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import type { Images, NodeLog, ReadAhead, Segment } from '../ports/store.js';
import type { Telemetry } from '../ports/telemetry.js';
import { type CheckedPack, checkSeals } from './admission/checked-pack.js';
import { keyChecks } from './admission/known-keys.js';
import type { RefusedNode, Verdict } from './admission/judgement.js';
import { Intake } from './intake/intake.js';
import type { Allowance } from './intake/parked.js';
import { type Compacted, Compaction } from './keeping/compaction.js';
import { type Dropped, Dropping } from './keeping/dropping.js';
import { LettingGo } from './keeping/letting-go.js';
import { type Opened, openState } from './keeping/opening.js';
import { Retention } from './keeping/retention.js';
import { Surveys } from './keeping/survey.js';
import { type Cut, Upkeep } from './keeping/upkeep.js';
import { proveFork } from './reading/fork-proof.js';
import { DormantValues } from './reading/dormant-values.js';
import { PackedLog } from './reading/packed-log.js';
import { Past, type PastView } from './reading/past.js';
import { ReadyPacks } from './reading/ready-packs.js';
import { type Heads, RoomNodes } from './reading/room-nodes.js';
import { Written } from './reading/written.js';
import type { Entry } from './state/entry.js';
import { Facts, REVOKED } from './state/facts.js';
import { type Constitution, genesisId } from './state/genesis.js';
import type { Introduction } from './state/mandates.js';
import type { RoomState } from './state/room-state.js';
import { saysGivenUp } from './state/says-given-up.js';
import { HostSpeaker } from './state/speaker-of.js';
import type { Write } from './state/write.js';
import type { Commit, CommitOrigin } from './writing/commit.js';
import type { Decision, RoomView, Transacted } from './writing/decision.js';
import type { Edits } from './writing/edits.js';
import { type Framer, Writer } from './writing/writer.js';

export interface RoomParts {
  readonly id: RoomId;
  readonly log: NodeLog;
  readonly images: Images;
  readonly crypto: Crypto;
  readonly signer: Signer;
  /** Whose keys begin the room and speak in it; the signer's alone when absent. */
  readonly authority?: Authority | undefined;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
  /** How much its values may take, with what was overwritten lately. [LM8] */
  readonly mostBytes?: number;
  /** Bytes of overwritten values that are worth leaving to the log: see `LettingGo`. */
  readonly leastDormant?: number | undefined;
  /** Whether other processes open it when this one dies: see `Upkeep`. */
  readonly isShared?: boolean;
  /** Nodes whose ids are worth files: see `Upkeep`. */
  readonly leastFiled?: number | undefined;
  /** Another host serves it, and keeps its log: this is a copy, for a while. */
  readonly isElsewhere?: boolean;
  /** Throws while nothing may be written but what administers the room. */
  readonly mayGrow?: (() => void) | undefined;
  /** Bound on what all sessions have sent too early; each has a bound of its own besides. */
  readonly parked?: Allowance;
  /** Packs that are shared by all rooms. */
  readonly ready?: ReadyPacks;
  /** Told when the room is found to be deleted. */
  readonly onDeleted?: () => void;
  /** Told of bugs that must not stop the room. */
  readonly onFault: (error: unknown) => void;
}

/** Answer to whether somebody may write somewhere, and what decides. */
export interface Permission {
  readonly allowed: boolean;
  readonly by: 'authority' | 'no policy' | 'default' | 'rule';
  /** Place of the rule, from 0. */
  readonly rule?: number;
}

export class Room {
  readonly id: RoomId;
  /** The genesis node as a pack of one. */
  readonly genesis: { readonly id: NodeId; readonly pack: Uint8Array };
  readonly #speaker: HostSpeaker;
  /** What the genesis says. */
  readonly constitution: Constitution;
  /** What the room's authority has written about the room itself. */
  readonly facts: Facts;
  /** Its durable nodes, by position and by name. */
  readonly nodes: RoomNodes;
  /** Its log as it is sent. */
  readonly packed: PackedLog;
  /** What its nodes have written. */
  readonly written: Written;
  /** Its values, now and at any position of its log. */
  readonly past: Past;
  /** What it is at one moment, told for other rooms. */
  readonly surveys: Surveys;
  /** What of its history is due to be given up. */
  readonly retention: Retention;
  /** What peers have sent and is not judged yet, or came too early. */
  readonly intake: Intake;
  readonly #parts: RoomParts;
  readonly #state: RoomState;
  readonly #writer: Writer;
  readonly #dormant: DormantValues;
  readonly #lettingGo: LettingGo;
  readonly #upkeep: Upkeep;
  readonly #compaction: Compaction;
  readonly #dropping: Dropping;

  private constructor(given: RoomParts, { genesis, constitution, pack, state }: Opened) {
    const speaker = new HostSpeaker({ ...given, isFounded: constitution.founding !== undefined }, state.speakers);
    const parts = { ...given, speaker };
    const { id, log, crypto, parked, onFault } = parts;
    const { tracing } = parts.telemetry;
    this.#speaker = speaker;
    this.id = id;
    this.genesis = { id: genesisId(genesis), pack };
    this.constitution = constitution;
    this.#parts = parts;
    this.#state = state;
    this.#writer = new Writer({ ...parts, state, genesis: pack });
    this.intake = new Intake({ crypto, writer: this.#writer, graph: state.graph, shared: parked, tracing, onFault });
    this.facts = new Facts(state.values.registers);
    const dormant = new DormantValues({ ...parts, state });
    this.#dormant = dormant;
    this.nodes = new RoomNodes(state, dormant);
    const ready = parts.ready ?? new ReadyPacks();
    this.packed = new PackedLog({ id, state, nodes: this.nodes, log, ready, speaker, dormant });
    this.written = new Written(state, dormant);
    this.past = new Past(state, dormant);
    this.retention = new Retention({ state, past: this.past, writer: this.#writer });
    this.#lettingGo = new LettingGo({ state, past: this.past, leastDormant: parts.leastDormant });
    const kept = { ...parts, state, genesis: pack, writer: this.#writer, dormant, lettingGo: this.#lettingGo };
    this.surveys = new Surveys(kept);
    this.#upkeep = new Upkeep(kept);
    this.#compaction = new Compaction({ ...kept, upkeep: this.#upkeep });
    this.#dropping = new Dropping({ ...kept, upkeep: this.#upkeep, past: this.past });
  }

  /** Rebuilds the room from its log. A room without a durable fact has its genesis in memory only. */
  static async open({ ahead, ...parts }: RoomParts & { readonly ahead?: ReadAhead | undefined }): Promise<Room> {
    const room = (await Room.#openBy(parts, 'image', ahead)) ?? (await Room.#openBy(parts, 'log'))!;
    room.#upkeep.begin();
    return room;
  }

  /**
   * Undefined where a file of the image is not what was written, and where the image does not say what the log says by now: some of what stands in it was given up since, or while it was
   * read. [VE1]
   */
  static async #openBy(parts: RoomParts, by: 'image' | 'log', ahead?: ReadAhead): Promise<Room | undefined> {
    const opened = await openState({ ...parts, ...ahead }, by);
    const { state } = opened;
    const imaged = state.seq;
    try {
      const room = new Room(parts, opened);
      if (imaged < opened.head) await room.#catchUp(opened.head, ahead?.log);
      state.expectWhole();
      if (imaged === 0 || !saysGivenUp(state.graph.table, imaged)) return room;
    } catch (error) {
      if (!state.fault) throw error;
    }
    await parts.images.remove(parts.id);
    return undefined;
  }

  /** Reads the log. What was overwritten there leaves memory on the way: a long log may be more than fits. */
  async #catchUp(head: number, log?: ReadAhead['log']): Promise<void> {
    const end = this.#writer.onCommit(({ from }) => this.#lettingGo.run(from));
    await this.#writer.follow(head, log).finally(end);
  }

  /** Who signs here for this host what stands outside the history. */
  get speaker(): RoomSpeaker {
    return this.#speaker.word;
  }

  /** Who signs an archive of the room, also where it has moved to another server. */
  get lastSpeaker(): RoomSpeaker {
    return this.#speaker.last;
  }

  /** Throws where nothing that this host writes would count for the room. [MA4] */
  expectVoice(): void {
    this.#speaker.expectVoice();
  }

  /** Who the roots of the room are. */
  get reign(): Reign {
    return this.#state.speakers.reign;
  }

  /** Says in the room what this host knows of its roots: what changed, and whom they have revoked. */
  async heedAuthority(): Promise<void> {
    if (this.seq > 0 && this.#speaker.hasToSay) await this.#writer.heed();
  }

  /** Why an id of it could not be read: then it is to be opened anew. */
  get fault(): Error | undefined {
    return this.#state.fault;
  }

  /** Bytes that it takes in memory, about. */
  get weight(): number {
    return this.#state.weight;
  }

  /** Durable nodes. */
  get seq(): number {
    return this.#state.seq;
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

  /** The text of a key as spans, each with the marks of its characters; none of an empty text. */
  spans(key: string): Span[] {
    return this.past.present.spans(key);
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

  /** Everything in log order from a position, up to what is durable when the end is reached. */
  history(fromSeq = 0): AsyncGenerator<Entry> {
    return this.nodes.entries(fromSeq);
  }

  /**
   * The history up to now as packs that each stand on what came before, but for what stands under the known nodes. Throws where
   * some of it was given up: see `attestedPacks`.
   */
  packs(known: readonly NodeId[] = []): Generator<Uint8Array> {
    return this.packed.packs(known);
  }

  /** History as packs, with signed headers of what was given up. */
  attestedPacks(known: readonly NodeId[] = []): AsyncGenerator<Uint8Array> {
    return this.packed.attested(known);
  }

  /** Writes that did not know each other, as they came. [CF1] */
  get conflicts(): Pick<Conflicts, 'counted' | 'after'> {
    return this.#state.values.conflicts;
  }

  /** Where authors have written two nodes on one: the same list on every replica that holds the same nodes. */
  get forks(): readonly Fork[] {
    return forksOf(this.#state.graph);
  }

  /**
   * Whether an author may write to a key from now on, and which rule of the policy in force says so, from 0. Where tokens let
   * their peers write is not looked at.
   */
  mayWrite(author: string, key: string): Permission {
    const { laws, speakers } = this.#state;
    laws.follow();
    const { speaks, subject } = speakers.voiceNow(author);
    if (speaks) return { allowed: true, by: 'authority' };
    const policy = laws.law(laws.inForce)?.policy;
    if (!policy) return { allowed: true, by: 'no policy' };
    const [allowed, rule] = [policy.allows(author, key) || policy.allows(subject, key), policy.ruleOf(key)];
    return rule === undefined ? { allowed, by: 'default' } : { allowed, by: 'rule', rule };
  }

  /** Whose a key is by now: a subject's, or its own. `shown` counts where it has not introduced itself. [SU3] */
  subjectOf(key: string, shown?: Introduction): string {
    const { speakers } = this.#state;
    return speakers.voiceNow(key, speakers.introductionBy(key) ?? shown).subject;
  }

  /** Whose a node is: what its author was there. */
  subjectAt(seq: number): string {
    const { graph, speakers } = this.#state;
    speakers.follow();
    return speakers.voiceAt(graph.authorOf(seq), speakers.pastOf(seq)).subject;
  }

  /** Peers of whom tokens that expire before a Unix second are revoked. */
  get revocations(): { readonly peer: string; readonly before: number }[] {
    return [...this.entries(REVOKED)].map(([key]) => {
      const peer = key.slice(REVOKED.length);
      return { peer, before: this.facts.revokedBefore(peer) };
    });
  }

  /** A pack that proves a fork to anybody, see `verifyForkProof`; undefined for what is none here. */
  forkProof(fork: Fork): Promise<Uint8Array | undefined> {
    return proveFork(this.#state.graph, fork, this.#state.seals, this.#dormant);
  }

  /**
   * Takes what can be taken of a peer's pack or message; resolves when that is durable. `origin` names the peer in the
   * commit; with a session, what lacks its seal or what it stands on counts as refused and waits for that until the session
   * is forgotten. `mayWrite`, if not everywhere, is the same for all that a session pushes.
   * Rejects with a `DecodeError` for what is no pack.
   */
  async admit(pack: Uint8Array, origin: CommitOrigin, mayWrite?: Globs): Promise<Verdict> {
    return this.intake.receive(pack, origin, mayWrite);
  }

  /**
   * Takes nodes of other rooms, those that these geneses begin: all of them or none, in one commit with what `decide` says is to
   * be written around them. Answers the refusals; without `decide` that is all.
   */
  async adopt(nodes: OpenPack, geneses: ReadonlySet<NodeId>, decide?: Framer): Promise<readonly RefusedNode[]> {
    const checked = await checkSeals(nodes, this.#parts.crypto, () => keyChecks);
    return (await this.restore(checked, { geneses, isOwn: false }, decide)).refused;
  }

  /**
   * Takes all nodes of an archive, or none. With `isOwn`, they were written for this room and some server has judged them;
   * those of other rooms are judged by the policy in force here. `decide` says last, against what the room is, what is to be
   * written around them, or throws; without it nothing is changed. Answers what became of the nodes, or would.
   */
  restore(
    pack: CheckedPack,
    whose: { readonly geneses: ReadonlySet<NodeId>; readonly isOwn: boolean },
    decide?: Framer,
  ): Promise<Verdict> {
    return this.#writer.restore(pack, whose, decide);
  }

  /**
   * Decides against the state that will be current and stores the writes as one node of this host.
   * `decide` is pure and may run more than once; when it throws, nothing is stored.
   */
  transact<T>(decide: (view: RoomView) => Decision<T>): Promise<Transacted<T>> {
    return this.#writer.transact(decide);
  }

  /**
   * Stores any number of nodes, which are durable together. `work` runs when all that was stored before has been told, and
   * nothing is on its way. Each `write` is a node; it answers whether there is room for another, and throws when it is refused.
   */
  transactMany<T>(work: (write: (writes: readonly Write[]) => boolean) => T): Promise<T> {
    return this.#writer.transactMany(work);
  }

  /**
   * Edits texts and lists, and stores that as one node of this host. Each call sees what the one before did; edits of one
   * call do not see each other.
   */
  edit<T>(edit: (edits: Edits) => T): Promise<Transacted<T>> {
    return this.#writer.edit(edit);
  }

  /** Sets one register; resolves when it is durable. */
  async set(key: string, value: unknown): Promise<void> {
    await this.transact(() => ({ writes: [{ key, value }], result: undefined }));
  }

  /** Sets one register to the name of a blob. Nothing is written where it is the blob's name already. */
  async setBlob(key: string, hash: string): Promise<void> {
    await this.transact((view) => {
      const held = view.get(key);
      const isSet = held instanceof BlobRef && held.hash === hash;
      return { writes: isSet ? [] : [{ key, held: new BlobRef(hash) }], result: undefined };
    });
  }

  /** The room is there from now on, whatever becomes of it. */
  establish(): Promise<void> {
    return this.#writer.establish();
  }

  /** Called once per batch that is durable and applied, in log order; answers what ends it. */
  onCommit(follower: (commit: Commit) => void): () => void {
    return this.#writer.onCommit(follower);
  }

  /** Pushes and writes that have no answer yet. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  /** Whether nothing is waiting to be written. */
  get isIdle(): boolean {
    return this.#writer.isIdle;
  }

  /** Reads what another host on the store has written meanwhile, and tells whoever follows the room. */
  look(): Promise<void> {
    return this.#writer.look();
  }

  /** Resolves when all waiting writes are answered. */
  settled(): Promise<void> {
    return this.#writer.idle();
  }

  /** Resolves when the room can be put away, and opens fast again. */
  async rest(): Promise<void> {
    await this.#writer.idle();
    await this.#upkeep.rest();
  }

  /** Resolves when all waiting writes are answered. From then on the room is whoever opens it next: nothing is written or kept here. */
  async end(): Promise<void> {
    await this.#writer.end();
    await this.#upkeep.end();
  }

  /** Makes what the room has become cheap to keep and to open; see `Compaction`. */
  compact(): Promise<Compacted> {
    return this.#compaction.run();
  }

  /** Says for the room's authority what all of its values read as. [VR4] */
  signValueRoot(said: Omit<ValueRoot, 'room' | 'genesis'>): Promise<Uint8Array> {
    return signValueRoot({ room: this.id, genesis: this.genesis.id, ...said }, this.speaker);
  }

  /** Whether something that is to be given up of the history is still there: the room is not to be used before that is finished. */
  get isDropDue(): boolean {
    return this.#dropping.isDue;
  }

  /** Finishes that. Like all that gives up history, it is for a room that nobody is in and that is opened anew afterwards. */
  finishDrops(): Promise<void> {
    return this.#dropping.finish();
  }

  /**
   * Has every value in memory from now on, those that were overwritten too: for who reads `nodes.entry` or `packs` of the past at once.
   * Values count against the limit of the room as long as they are there.
   */
  async keepValues(): Promise<void> {
    this.#lettingGo.end();
    await this.#dormant.takeBack();
  }

  /** Gives up what was overwritten before a log position; see `Dropping`. */
  prune(before: number, by: string): Promise<Dropped & { readonly hash: string }> {
    return this.#dropping.prune(before, by, this.#parts.clock.now());
  }

  /** How many nodes would be erased with a key; throws where that cannot be. */
  erasable(key: string, only?: ReadonlySet<string>): number {
    return this.#dropping.look(key, only);
  }

  /** Takes every value that a key has had out of the history, or those of some nodes; see `Dropping`. */
  erase(key: string, by: string, only?: ReadonlySet<string>): Promise<Dropped> {
    return this.#dropping.erase(key, by, this.#parts.clock.now(), only);
  }

  /** Whether of some nodes [from, to) only headers are left. */
  hasHeadersIn(from: number, to: number): boolean {
    const { withheld } = this.#state.graph.table;
    if (withheld.size === 0) return false;
    for (let node = from; node < to; node++) if (withheld.has(node)) return true;
    return false;
  }

  /** Begins another room with all that this one holds at one moment; see `Upkeep.fork`. */
  fork<T>(begin: (cut: Cut, put: (child: RoomId, record: Segment) => Promise<boolean>) => Promise<T>): Promise<T> {
    return this.#upkeep.fork(begin);
  }
}
