/**
 * A peer's own copy of a room: reads and writes at once, offline if need be, seals what it wrote when
 * asked, and merges what others wrote. It judges nodes by the same admission as the server. [RE]
 */
import type { KeyPair } from '../../access/keys.js';
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { fromHex } from '../../codec/bytes/bytes.js';
import { ID_BYTES } from '../../codec/nodes/canonical-node.js';
import { Identity } from '../../codec/nodes/identity.js';
import { OP_DELETE, OP_SET, OP_SET_BLOB } from '../../codec/nodes/op-kinds.js';
import { type OpenMessage, openPack } from '../../codec/packs/pack.js';
import type { HashMaker } from '../../crdt/state-hash.js';
import type { Conflict } from '../../crdt/conflicts.js';
import { type ConcurrentValue, Document, type Origin, type Resolved } from '../../crdt/document.js';
import { BlobRef, readValue } from '../../crdt/registers.js';
import { type Fork, forksOf } from '../../graph/forks.js';
import { Graph } from '../../graph/graph.js';
import { Incoming } from '../../graph/incoming.js';
import { type NodeId, nameOf } from '../../graph/node.js';
import { type Clock, systemClock } from '../../ports/clock.js';
import type { PeerCrypto } from '../../ports/crypto.js';
import { Rejection } from '../../rejection.js';
import { type CheckedPack, checkSeals } from '../../room/admission/checked-pack.js';
import { isFounded } from '../../room/admission/founded.js';
import { openPermitting } from '../../room/admission/open-permissions.js';
import type { RefusedNode, RoomRules, Verdict } from '../../room/admission/judgement.js';
import { Parking } from '../../room/intake/parking.js';
import { ADOPTED, readGenesis } from '../../room/state/genesis.js';
import { blankedIn, erasedIn } from '../../room/state/given-up.js';
import { Roots } from '../../room/state/roots.js';
import { encode, refusing } from '../../room/state/value-encoding.js';
import type { ChangeListener, Observed } from '../changes/change.js';
import { Observing } from '../changes/observing.js';
import { Authorship } from '../editing/authorship.js';
import { ListEditor } from '../editing/list-editor.js';
import { TextEditor } from '../editing/text-editor.js';
import type { EditingParts } from '../editing/undo.js';
import type { RichTextParts } from '../marks/rich-text.js';
import { AtOnce } from '../changes/at-once.js';
import { Exchange } from './exchange.js';
import type { GivingUp } from './giving-up.js';
import type { HeldEdit } from './held-edits.js';
import type { ReplicaSeen } from './look.js';
import { Keeping } from './keeping.js';
import { Merging, foldEnd } from './merging.js';
import { readSaved } from './saved-replica.js';
import { Unconfirmed } from './unconfirmed.js';

/** A replica begins with a room's genesis, or goes on from where one was saved. */
export type ReplicaOptions = {
  readonly keys: KeyPair;
  readonly crypto: PeerCrypto;
  readonly hash: HashMaker;
  /** Reader of messages that a page does without. */
  readonly openMessage?: OpenMessage;
  /** What gives nodes up that a server has refused; a page loads it when one does. */
  readonly givingUp?: GivingUp;
  /** Lets others have a turn between slices of long work; without it, such work is done at once. */
  readonly pause?: () => Promise<void>;
  /** Whether what was overwritten is given up here when the room gives it up (`history.prune`); otherwise it stays. [PN6] */
  readonly followsPruning?: boolean;
  /** Told to others on the first node of each run: an author's word, which orders nothing. [ND8] */
  readonly clock?: Clock;
} & (
  | {
      /** `welcome.genesis`, decoded: a pack of one node. */
      readonly genesis: Uint8Array;
    }
  | {
      /** What `save` answered. */
      readonly saved: Uint8Array;
      /** What `takeRow` answered since, in order. */
      readonly rows?: readonly Uint8Array[];
    }
);

export class Replica {
  readonly #crypto: PeerCrypto;
  readonly #rules: RoomRules;
  readonly #clock: Clock;
  readonly #graph = new Graph();
  readonly #values: Document;
  readonly #observing: Observing;
  readonly #author: Authorship;
  readonly #unconfirmed: Unconfirmed;
  readonly #keeping: Keeping;
  /** What a connection needs of this replica. */
  readonly exchange: Exchange;
  readonly #merging: Merging;
  readonly #parking: Parking;
  readonly #refusals = new AtOnce<readonly HeldEdit[]>();
  #hasOneKind = false;
  #givingUp: GivingUp | undefined;

  private constructor(
    { crypto, keys, hash, openMessage, givingUp, pause, followsPruning, clock = systemClock }: ReplicaOptions,
    genesis: Uint8Array,
    { table }: CheckedPack,
  ) {
    const { authorities, lineage } = readGenesis(table) ?? {};
    this.#crypto = crypto;
    this.#clock = clock;
    this.#givingUp = givingUp;
    const signer = crypto.signerOf(keys);
    this.#unconfirmed = new Unconfirmed(this.#graph, signer);
    const room = nameOf(table, 0);
    const speakers = new Roots(this.#graph, new Set(authorities), room);
    this.#values = new Document(this.#graph, hash, room);
    this.#observing = new Observing(this.#graph, this.#values);
    // Runs in history are as long as the seals that were kept make them.
    this.#rules = {
      genesis: room,
      speakers,
      runNodes: Infinity,
      takesHeaders: true,
      isErased: (node) => this.#isErased(node),
      isServer: false,
      permitting: openPermitting,
      adopted: {
        has: (genesis) =>
          (lineage?.adopted.includes(genesis) ?? false) || this.#values.registers.find(ADOPTED + genesis) !== undefined,
      },
    };
    const { identities } = this.#graph.table;
    this.#author = new Authorship(
      this.#graph,
      this.#values.elements,
      identities.number(new Identity(fromHex(room), fromHex(signer.publicKey))),
      () => this.#keeping.wake(),
      () => (this.#unconfirmed.isRunOpen ? undefined : clock.now()),
      (node) => {
        foldEnd(this.#graph, this.#values, true);
        this.#unconfirmed.add(node);
        this.exchange.wrote();
      },
      () => this.#observing.end('local'),
      keys.delegation,
    );
    const { identity } = this.#author;
    this.#keeping = new Keeping(this.#graph, this.#values, this.#unconfirmed, genesis, identity, pause);
    this.#merging = new Merging(
      this.#graph,
      this.#values,
      this.#rules,
      this.#author,
      this.#observing,
      followsPruning,
      (givenUp) => {
        this.#keeping.forget();
        // A server has given them up, so it had taken them, whether its answer has come or not.
        this.exchange.settleWith(givenUp);
      },
    );
    this.#parking = new Parking(crypto, this.#merging, undefined, openMessage, pause);
    this.exchange = new Exchange({
      graph: this.#graph,
      identity,
      unconfirmed: this.#unconfirmed,
      ready: () => this.#ready(),
      awake: () => this.awake(),
    });
  }

  static async open(options: ReplicaOptions): Promise<Replica> {
    const saved = 'saved' in options ? readSaved(options.saved) : undefined;
    const state = saved && new ByteReader(saved.state);
    const pack = 'genesis' in options ? options.genesis : state!.sized();
    const genesis = await checkSeals(
      openPack(pack),
      options.crypto,
      async () => (await import('../late.js')).keyChecks,
    );
    if (genesis.table.size !== 1 || !isFounded(genesis, 0) || !genesis.seals[0]?.valid) {
      throw new Rejection('genesis-mismatch', 'the genesis is not a pack of one genesis node under its own seal');
    }
    const replica = new Replica(options, pack.slice(), genesis);
    if ('saved' in options) {
      replica.#keeping.load(state!, options.saved, saved!.history);
      await replica.#keeping.addRows(options.rows);
    } else {
      new Incoming(replica.#graph, genesis.table).append(0);
      foldEnd(replica.#graph, replica.#values);
    }
    return replica;
  }

  /**
   * Everything that this replica holds, as bytes: to open it again without a server, and at once. What no server has
   * confirmed is among it, and will be offered again. What waits for a seal or an ancestor is not.
   */
  save(): Uint8Array {
    this.#author.flush();
    return this.#keeping.save();
  }

  /** Packs what has come for the next save, slice by slice: that is soon done then. */
  packAhead(): Promise<void> {
    return this.#keeping.packAhead();
  }

  /** What `save` answers at this moment, in fewer bytes: in a page deflating is to be waited for. */
  saveSqueezed(): Promise<Uint8Array> {
    this.#author.flush();
    return this.#keeping.saveSqueezed();
  }

  /**
   * What has come since the last row or `save`, to be kept behind that: it costs as much as there is of it. `whole` when only
   * `save` can tell, undefined when nothing has come.
   */
  takeRow(): Uint8Array | 'whole' | undefined {
    this.#author.flush();
    return this.#keeping.takeRow();
  }

  /** Brings the graph back, slice by slice: what is written, received or proved before that has to bring back the rest at once. */
  awake(): Promise<void> {
    return this.#keeping.awake();
  }

  /** All nodes are there, and what is being written is among them. */
  #ready(): void {
    this.#keeping.wake();
    this.#author.flush();
  }

  #isErased(node: number): boolean {
    const id = this.#graph.idOf(node);
    const { registers } = this.#values;
    return [...erasedIn(registers), ...blankedIn(registers)].some(([, { nodes }]) => nodes.includes(id));
  }

  /** Id of the room's genesis. */
  get room(): NodeId {
    return this.#rules.genesis;
  }

  get frontier(): readonly NodeId[] {
    this.#author.flush();
    return this.#keeping.frontier;
  }

  /** How many nodes are here by their headers alone: this replica was not sent the whole room. [HD1] */
  get withheld(): number {
    this.#keeping.wake();
    return this.#graph.table.withheld.size;
  }

  /**
   * The hash of everything that the room resolves to: equal on every replica that holds the same nodes, whole. With
   * headers among them it is that of what is here.
   */
  get stateHash(): string {
    this.#ready();
    return this.#values.hash.root();
  }

  /** State hash where its code is loaded when it is asked for: `stateHash` and `prove` work from then on. */
  async hashed(): Promise<string> {
    await this.#values.hash.ready();
    return this.stateHash;
  }

  /** Root over what every key shows: what the authority's signed value root must say of the same nodes. [VR3] */
  async valueRoot(): Promise<string> {
    const late = await import('../late.js');
    this.#ready();
    return late.valueRootOf(this.#values);
  }

  /** What a register holds, or that it is absent, with a proof for `verifyRegister` under the present `stateHash`. */
  prove(key: string): { readonly value: Uint8Array | BlobRef | undefined; readonly proof: Uint8Array } {
    this.#ready();
    const value = this.#values.registers.find(key);
    const copy = value instanceof Uint8Array ? value.slice() : value;
    return { value: copy, proof: this.#values.hash.prove('register', key) };
  }

  get(key: string): unknown {
    this.#author.flush();
    return this.#values.registers.get(key);
  }

  resolve(key: string): Resolved {
    this.#author.flush();
    return this.#values.resolve(key);
  }

  /** Live registers whose keys begin with the prefix, in key order; those of the room itself only by a prefix of theirs. */
  *entries(prefix = ''): Generator<[key: string, value: unknown]> {
    this.#author.flush();
    for (const [key, value] of this.#values.registers.live(prefix)) yield [key, readValue(value)];
  }

  /** What was written without knowledge of what won over it, oldest first; the newest 1,024 are kept. */
  get conflicts(): readonly Conflict[] {
    this.#keeping.wake();
    return this.#values.conflicts.all;
  }

  /**
   * Values of a register that were written without knowledge of each other, the one that `get` answers first; none where
   * nobody disagrees, or the newest 1,024 conflicts no longer tell. Writing the register settles it.
   */
  concurrent(key: string): readonly ConcurrentValue[] {
    this.#ready();
    return this.#values.concurrent(key);
  }

  /** Where authors have written two nodes on one: the same list on every replica that holds the same nodes. */
  get forks(): readonly Fork[] {
    this.#ready();
    return forksOf(this.#graph);
  }

  /** Where the value of a register comes from, or one element of a text or list. */
  why(key: string, position?: { readonly in: 'text' | 'list'; readonly at: number }): Origin | undefined {
    this.#ready();
    return this.#values.why(key, position);
  }

  /** Names and newest nodes, so many at most: for developers. */
  async look(most: number): Promise<ReplicaSeen> {
    const late = await import('../late.js');
    this.#ready();
    return late.lookInto(this.#graph, this.#values, most);
  }

  /** Visible here at once, like every write here; to others after `seal` and a push. */
  set(key: string, value: unknown): void {
    if (value !== undefined) this.#refuseMixed(key, 'value');
    this.#write(value === undefined ? OP_DELETE : OP_SET, key, value === undefined ? undefined : encode(key, value));
  }

  delete(key: string): void {
    this.set(key, undefined);
  }

  /** Names a blob by the SHA-256 of its bytes, 64 hex characters. */
  setBlob(key: string, hash: string): void {
    this.#refuseMixed(key, 'value');
    this.#write(OP_SET_BLOB, key, blobHash(hash));
  }

  /**
   * Writes made by `edit` share nodes, as far as they fit: less to hash and to send than a node for each. What it wrote
   * before it threw stays.
   */
  batch(edit: () => void): void {
    this.#author.batch(edit);
  }

  /** A batch whose change event names an origin, by which whoever wrote it knows it again. */
  transact(edit: () => void, origin?: unknown): void {
    this.#observing.withOrigin(origin, () => this.#author.batch(edit));
  }

  /**
   * Calls a listener after each batch of edits here and each merge that changed the key, or keys that begin with the
   * prefix: once, in order, with what has changed. Answers what ends it.
   */
  observe(observed: Observed, listener: ChangeListener): () => void {
    this.#author.flush();
    return this.#observing.observe(observed, listener);
  }

  /** How many nodes no server has confirmed; asks for nothing that is not there. */
  get unsent(): number {
    return this.#unconfirmed.nodes.length;
  }

  /** Whether something under this key is written here that no server has confirmed. */
  isUnsent(key: string): boolean {
    this.#author.flush();
    const { table } = this.#graph;
    const number = table.keys.find(key);
    if (number === undefined) return false;
    return this.#unconfirmed.nodes.some((node) => {
      for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) if (table.key(op) === number) return true;
      return false;
    });
  }

  /** Calls a listener with what a server has refused for good, when it has disappeared from the values. */
  onRefused(listener: (held: readonly HeldEdit[]) => void): () => void {
    return this.#refusals.add(listener);
  }

  /** The text of a key, to read and to edit; empty when nobody has written to it. */
  text(key: string): TextEditor {
    const number = this.#key(key);
    return new TextEditor(number, this.#values.text(number), this.#author, () => this.#refuseMixed(key, 'text'));
  }

  /** What `richText` is made of. */
  richParts(key: string): RichTextParts {
    const number = this.#key(key);
    return {
      number,
      text: this.#values.text(number),
      author: this.#author,
      ready: () => {
        this.#author.ready();
        this.#values.marks(number);
      },
      begin: () => this.#refuseMixed(key, 'text'),
    };
  }

  /** What `createUndo` and `undoableText` are made of. */
  editingParts(): EditingParts {
    this.#ready();
    return {
      number: (key) => this.#key(key),
      values: this.#values,
      author: this.#author,
      now: () => this.#clock.now(),
      write: (key, value) => this.#restore(this.#graph.table.keys.names[key]!, value),
      follow: (recorder) => this.#observing.follow(recorder),
    };
  }

  #restore(key: string, value: Uint8Array | BlobRef | undefined): void {
    if (value instanceof BlobRef) this.setBlob(key, value.hash);
    else this.#write(value ? OP_SET : OP_DELETE, key, value);
  }

  list(key: string): ListEditor {
    const number = this.#key(key);
    return new ListEditor(number, this.#values.list(number), this.#author, () => this.#refuseMixed(key, 'list'));
  }

  /**
   * Signs what is not signed yet, and answers everything that no server has confirmed as one pack; undefined
   * when there is nothing. Nothing is forgotten before `confirm`.
   */
  async seal(): Promise<Uint8Array | undefined> {
    this.#ready();
    return this.#unconfirmed.seal();
  }

  /**
   * What a server has answered to what `seal` or `sealedMessage` gave, the newest of these if not said. What it holds is
   * settled. What it has refused for good is given up: it disappears from the values, and what was written on top
   * of it is written anew, to be sealed and offered again. Answers what was given up. [RE3]
   */
  confirm(sent?: Uint8Array, refused: readonly RefusedNode[] = []): readonly RefusedNode[] {
    this.#ready();
    const lost = this.#unconfirmed.confirm(sent, refused);
    if (lost.length > 0) {
      const held = this.#giver.held(this.#graph, lost);
      this.#giveUp(new Set(lost.map(([node]) => node)));
      this.#refusals.tell(this.#giver.withOld(held, (key) => this.get(key)));
    }
    return lost.map(([, refusal]) => refusal);
  }

  /**
   * Gives up nodes that no server will ever hold, by their ids: a key of the same device has written them, and was refused.
   * What stands on them goes with them, but for one's own, which is written anew. [RE6]
   */
  giveUp(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#ready();
    const nodes = ids.map((id) => this.#graph.find(id as NodeId)).filter((node) => node > 0);
    if (nodes.length === 0) return;
    this.#giveUp(new Set(nodes));
    this.exchange.gaveUp();
  }

  /** Resolves when `confirm` and `giveUp` can give up nodes; undefined if they can already, as they can outside of pages. */
  loadGivingUp(): Promise<void> | undefined {
    if (this.#givingUp) return undefined;
    return import('../late.js').then(({ givingUp }) => void (this.#givingUp = givingUp));
  }

  get #giver(): GivingUp {
    if (this.#givingUp) return this.#givingUp;
    throw new Error('what gives up nodes is not loaded: await loadGivingUp() first');
  }

  #giveUp(lost: ReadonlySet<number>): void {
    this.#observing.anew('refused', () => this.#rewrite(lost));
  }

  #rewrite(lost: ReadonlySet<number>): void {
    this.#keeping.forget();
    this.#unconfirmed.replace(this.#giver.rewrite(this.#graph, this.#author.identity, lost));
    this.#graph.settle();
    this.#merging.truncated();
    this.#values.refold();
    this.#author.begin();
  }

  /**
   * What was written since the last message, as rows and without a seal: others keep it waiting until one comes. For
   * sending edits as they are made, with a seal now and then. Undefined when there is nothing.
   */
  message(): Uint8Array | undefined {
    this.#ready();
    return this.#unconfirmed.message();
  }

  /** A message as `message` gives, with a seal of the newest node, which vouches for all before it. */
  async sealedMessage(): Promise<Uint8Array | undefined> {
    this.#ready();
    return this.#unconfirmed.sealedMessage();
  }

  /**
   * Merges a pack or message from the server. What lacks its seal, or what it stands on, counts as refused and waits for
   * that. Rejects with a `DecodeError` for what is no pack.
   */
  receive(pack: Uint8Array): Promise<Verdict> {
    if (this.#keeping.wakesSlowly) return this.awake().then(() => this.#parking.receive(pack));
    try {
      this.#keeping.wake();
      // An answer that is there becomes a promise; a promise is handed on as it is.
      return Promise.resolve(this.#parking.receive(pack));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /** From here on a second kind under one key is refused where it is written here. Others may still write it. */
  keepOneKind(): void {
    this.#hasOneKind = true;
  }

  /** Refuses a second kind under one key, which the room would keep beside the first, and readers of one never see the other. */
  #refuseMixed(key: string, kind: 'value' | 'text' | 'list'): void {
    if (!this.#hasOneKind) return;
    const values = this.#values;
    const held =
      (kind !== 'value' && values.registers.find(key) !== undefined && 'a value') ||
      (kind !== 'text' && values.textNamed(key)?.length && 'a text') ||
      (kind !== 'list' && values.listNamed(key)?.length && 'a list');
    if (!held) return;
    throw new Rejection('invalid-value', `${JSON.stringify(key)} holds ${held}: a ${kind} needs a key of its own`);
  }

  #key(name: string): number {
    return refusing(() => this.#graph.table.keys.number(name));
  }

  #write(kind: number, key: string, value?: Uint8Array): void {
    refusing(() => this.#author.writeRegister(kind, key, value));
  }
}

function blobHash(hash: string): Uint8Array {
  const bytes = refusing(() => fromHex(hash));
  if (bytes.length === ID_BYTES) return bytes;
  throw new Rejection('invalid-value', 'a blob is named by its SHA-256: 64 hex characters');
}
