/**
 * A peer's own copy of a room: reads and writes at once, offline if need be, seals what it wrote when
 * asked, and merges what others wrote. It judges nodes by the same admission as the server. [RE]
 */
import type { KeyPair } from '../access/keys.js';
import { fromHex } from '../codec/bytes.js';
import type { ElementRef, Op } from '../codec/op.js';
import { decodePack } from '../codec/pack.js';
import type { Conflict } from '../crdt/conflicts.js';
import { Document, type Origin } from '../crdt/document.js';
import { type BlobRef, readRegister } from '../crdt/registers.js';
import { Dag, type Placed } from '../graph/dag.js';
import { sortedFrontier } from '../graph/frontier.js';
import { type Node, type NodeId, type PublicKey } from '../graph/node.js';
import { packNodes } from '../graph/pack-nodes.js';
import { RUN_NODES, sealMessage } from '../graph/seal.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import { Rejection } from '../rejection.js';
import { type RoomRules, type Verdict, admit } from '../room/admission.js';
import { draftNode, toOp } from '../room/draft.js';
import { type Constitution, readGenesis } from '../room/genesis.js';
import { checkSeals } from '../room/seals.js';
import type { Authorship } from './authorship.js';
import { ListEditor } from './list-editor.js';
import { TextEditor } from './text-editor.js';

export interface ReplicaOptions {
  /** `welcome.genesis`, decoded: a pack of one node. */
  readonly genesis: Uint8Array;
  readonly keys: KeyPair;
  readonly crypto: Crypto;
}

export class Replica {
  readonly #crypto: Crypto;
  readonly #signer: Signer;
  readonly #author: PublicKey;
  readonly #rules: RoomRules;
  readonly #graph = new Dag();
  readonly #values = new Document(this.#graph);
  /** Own nodes that no server has confirmed, in order, and the seals among them. */
  readonly #unconfirmed: Placed[] = [];
  readonly #seals = new Map<NodeId, Uint8Array>();
  #offered = 0;
  /** The last node written here: what the same author wrote elsewhere is another chain. */
  #tip: NodeId | undefined;

  private constructor({ crypto, keys }: ReplicaOptions, genesis: Node, { authorities }: Constitution) {
    this.#crypto = crypto;
    this.#signer = crypto.signer(fromHex(keys.seed));
    this.#author = this.#signer.publicKey as PublicKey;
    // Runs in history are as long as the seals that were kept make them.
    this.#rules = { genesis: genesis.id, authorities: new Set(authorities), runNodes: Number.POSITIVE_INFINITY };
    this.#apply(genesis);
  }

  static async open(options: ReplicaOptions): Promise<Replica> {
    const { nodes, seals } = await checkSeals(decodePack(options.genesis), options.crypto);
    const [node] = nodes;
    const constitution = node && readGenesis(node);
    if (!constitution || nodes.length !== 1 || !seals[0]?.valid) {
      throw new Rejection('genesis-mismatch', 'the genesis is not a pack of one genesis node under its own seal');
    }
    return new Replica(options, node, constitution);
  }

  /** Id of the room's genesis. */
  get room(): NodeId {
    return this.#rules.genesis;
  }

  get frontier(): readonly NodeId[] {
    return sortedFrontier(this.#graph.heads);
  }

  /** The hash of everything that the room resolves to: equal on every replica that holds the same nodes. */
  get stateHash(): string {
    return this.#values.hash.root();
  }

  /** What a register holds, or that it is absent, with a proof for `verifyRegister` under the present `stateHash`. */
  prove(key: string): { readonly value: Uint8Array | BlobRef | undefined; readonly proof: Uint8Array } {
    return { value: this.#values.registers.find(key)?.value, proof: this.#values.hash.prove('register', key) };
  }

  get(key: string): unknown {
    return readRegister(this.#values.registers, key);
  }

  /** Live registers whose keys begin with the prefix, in key order. */
  *entries(prefix = ''): Generator<[key: string, value: unknown]> {
    for (const [key] of this.#values.registers.live(prefix)) yield [key, readRegister(this.#values.registers, key)];
  }

  /** What was written without knowledge of what won over it, oldest first; the newest 1,024 are kept. */
  get conflicts(): readonly Conflict[] {
    return this.#values.conflicts.all;
  }

  /** Where the value of a register comes from, or one element of a text or list. */
  why(key: string, position?: { readonly in: 'text' | 'list'; readonly at: number }): Origin | undefined {
    return this.#values.why(key, position);
  }

  /** Visible here at once, like every write here; to others after `seal` and a push. */
  set(key: string, value: unknown): void {
    this.#write([toOp({ key, value })]);
  }

  delete(key: string): void {
    this.set(key, undefined);
  }

  /** Names a blob by the SHA-256 of its bytes, 64 hex characters. */
  setBlob(key: string, hash: string): void {
    this.#write([{ kind: 'set-blob', key, hash: fromHex(hash) }]);
  }

  /** The text of a key, to read and to edit; empty when nobody has written to it. */
  text(key: string): TextEditor {
    return new TextEditor(this.#values.text(key), this.#authorship(key));
  }

  list(key: string): ListEditor {
    return new ListEditor(this.#values.list(key), this.#authorship(key));
  }

  /**
   * Signs what is not signed yet, and answers everything that no server has confirmed as one pack; undefined
   * when there is nothing. Nothing is forgotten before `confirm`.
   */
  async seal(): Promise<Uint8Array | undefined> {
    const nodes = this.#unconfirmed.slice();
    if (nodes.length === 0) return undefined;
    let run = 0;
    for (const [index, { id }] of nodes.map(({ node }) => node).entries()) {
      run = this.#seals.has(id) ? 0 : run + 1;
      if (run === RUN_NODES || (run > 0 && index === nodes.length - 1)) {
        this.#seals.set(id, await this.#signer.sign(sealMessage(id)));
        run = 0;
      }
    }
    this.#offered = nodes.length;
    return packNodes(nodes, this.#seals);
  }

  /** What the last `seal` answered is settled: the server holds it, or has refused it for good. */
  confirm(): void {
    for (const { node } of this.#unconfirmed.splice(0, this.#offered)) this.#seals.delete(node.id);
    this.#offered = 0;
  }

  /** Merges a pack from the server. */
  async receive(pack: Uint8Array): Promise<Verdict> {
    const checked = await checkSeals(decodePack(pack), this.#crypto);
    const verdict = admit(checked, this.#graph, this.#rules);
    for (const node of verdict.admitted) this.#apply(node);
    return verdict;
  }

  /** The chain that goes on here: this replica's own, or at first the author's. */
  get #prev(): NodeId | undefined {
    return this.#tip ?? this.#graph.tip(this.#author);
  }

  #authorship(key: string): Authorship {
    return {
      key,
      next: () => this.#graph.next(this.#prev),
      refTo: (chain, counter) => this.#refTo(chain, counter),
      write: (ops) => this.#write(ops, true),
    };
  }

  /** How an op of this replica names an element. */
  #refTo(chain: number, counter: number): ElementRef {
    if (chain === this.#graph.next(this.#prev).chain) return counter;
    const placed = this.#values.elements.nodeOf(chain, counter);
    if (!placed) throw new Error('an element without a node');
    return { node: fromHex(placed.node.id), offset: counter - placed.counter };
  }

  /** `edited`: the sequences hold the change already, because it was made there to find out what to name. */
  #write(ops: readonly Op[], edited = false): void {
    const node = draftNode(this.#graph, this.room, this.#author, ops, this.#prev);
    this.#unconfirmed.push(this.#apply(node, edited));
    this.#tip = node.id;
  }

  #apply(node: Node, edited = false): Placed {
    const placed = this.#graph.add(node);
    this.#values.apply(placed, edited);
    return placed;
  }
}
