/**
 * A peer's own copy of a room: reads and writes at once, offline if need be, seals what it wrote when
 * asked, and merges what others wrote. It judges nodes by the same admission as the server. [RE]
 */
import type { KeyPair } from '../access/keys.js';
import { fromHex } from '../codec/bytes.js';
import { decodePack } from '../codec/pack.js';
import { Registers, readRegister } from '../crdt/registers.js';
import { Dag } from '../graph/dag.js';
import { sortedFrontier } from '../graph/frontier.js';
import { type Node, type NodeId, type PublicKey } from '../graph/node.js';
import { packNodes } from '../graph/pack-nodes.js';
import { RUN_NODES, sealMessage } from '../graph/seal.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import { Rejection } from '../rejection.js';
import { type RoomRules, type Verdict, admit } from '../room/admission.js';
import { draftNode } from '../room/draft.js';
import { type Constitution, readGenesis } from '../room/genesis.js';
import { checkSeals } from '../room/seals.js';

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
  readonly #values = new Registers();
  /** Own nodes that no server has confirmed, in order, and the seals among them. */
  readonly #unconfirmed: Node[] = [];
  readonly #seals = new Map<NodeId, Uint8Array>();
  #offered = 0;
  /** The last node written here: what the same author wrote elsewhere is another chain. */
  #tip: NodeId | undefined;

  private constructor({ crypto, keys }: ReplicaOptions, genesis: Node, { authorities }: Constitution) {
    this.#crypto = crypto;
    this.#signer = crypto.signer(fromHex(keys.seed));
    this.#author = this.#signer.publicKey as PublicKey;
    this.#rules = { genesis: genesis.id, authorities: new Set(authorities) };
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

  get(key: string): unknown {
    return readRegister(this.#values, key);
  }

  /** Live registers whose keys begin with the prefix, in key order. */
  *entries(prefix = ''): Generator<[key: string, value: unknown]> {
    for (const [key] of this.#values.live(prefix)) yield [key, readRegister(this.#values, key)];
  }

  /** Visible here at once; to others after `seal` and a push. */
  set(key: string, value: unknown): void {
    const node = draftNode(this.#graph, this.room, this.#author, [{ key, value }], this.#tip);
    this.#apply(node);
    this.#tip = node.id;
    this.#unconfirmed.push(node);
  }

  delete(key: string): void {
    this.set(key, undefined);
  }

  /**
   * Signs what is not signed yet, and answers everything that no server has confirmed as one pack; undefined
   * when there is nothing. Nothing is forgotten before `confirm`.
   */
  async seal(): Promise<Uint8Array | undefined> {
    const nodes = this.#unconfirmed.slice();
    if (nodes.length === 0) return undefined;
    let run = 0;
    for (const [index, { id }] of nodes.entries()) {
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
    for (const { id } of this.#unconfirmed.splice(0, this.#offered)) this.#seals.delete(id);
    this.#offered = 0;
  }

  /** Merges a pack from the server. */
  async receive(pack: Uint8Array): Promise<Verdict> {
    const checked = await checkSeals(decodePack(pack), this.#crypto);
    const verdict = admit(checked, this.#graph, this.#rules);
    for (const node of verdict.admitted) this.#apply(node);
    return verdict;
  }

  #apply(node: Node): void {
    this.#values.apply(this.#graph.add(node));
  }
}
