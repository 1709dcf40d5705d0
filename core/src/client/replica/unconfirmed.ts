/**
 * Unconfirmed nodes, which a replica has written and no server has confirmed: the nodes in order, the seals among them,
 * and how much of it was sent. Nothing is forgotten before a server has answered for it.
 */
import { listOf } from '../../codec/nodes/places.js';
import { type Seal, squeezed, writeMessage } from '../../codec/packs/pack.js';
import type { Graph } from '../../graph/graph.js';
import { weightOf } from '../../graph/node.js';
import { RUN_NODES, sealMessage } from '../../graph/seal.js';
import { packNodes } from '../../graph/seals.js';
import type { Signer } from '../../ports/crypto.js';
import type { NodeReason } from '../../rejection.js';
import type { RefusedNode } from '../../room/admission/judgement.js';
import type { Rewritten } from './rewriting.js';

/** The first and the last of consecutive nodes. */
interface Offer {
  readonly first: number;
  readonly last: number;
}

/** A node, and why a server has refused it. */
export type Lost = readonly [node: number, refusal: RefusedNode];

/** Why a node may still be taken, or was refused for what another is. */
const MENDABLE: ReadonlySet<NodeReason> = new Set(['unsealed', 'missing-parent', 'run-refused']);
/** Nodes that still go as a message: more are smaller as a pack. */
const FEW_NODES = 8;

export class Unconfirmed {
  readonly #graph: Graph;
  readonly signer: Signer;
  #nodes: number[] = [];
  #seals = new Map<number, Uint8Array>();
  /** How many of the nodes were sent. */
  #sent = 0;
  /** The newest node that was signed, or is being signed: where the last run ends. */
  #runEnd = -1;
  /** What was given to be sent, and which nodes are in it. */
  #offers = new WeakMap<Uint8Array, Offer>();
  #newestOffer: Uint8Array | undefined;
  /** Another number once nodes have other numbers. */
  #epoch = 0;

  constructor(graph: Graph, signer: Signer) {
    this.#graph = graph;
    this.signer = signer;
  }

  get nodes(): readonly number[] {
    return this.#nodes;
  }

  /** Whether the node written last is not signed. */
  get isRunOpen(): boolean {
    const last = this.#nodes.at(-1);
    return last !== undefined && last !== this.#runEnd;
  }

  keep(isOwn: (node: number) => boolean): void {
    this.#nodes = this.#nodes.filter(isOwn);
  }

  add(node: number): void {
    this.#nodes.push(node);
  }

  /** Everything, as one pack; undefined when there is nothing. */
  async seal(): Promise<Uint8Array | undefined> {
    const nodes = this.#nodes.slice();
    if (nodes.length === 0) return undefined;
    if (!(await this.#sign(nodes))) return this.seal();
    this.#sent = Math.max(this.#sent, nodes.length);
    return this.#offer(nodes, packNodes(this.#graph, listOf(nodes), this.#seals));
  }

  /** What was not sent, signed: at most one run, and of more than one node about so many bytes. */
  async next(bytes: number): Promise<Uint8Array | undefined> {
    const nodes = this.#nodes.slice(this.#sent, this.#endOf(bytes));
    if (nodes.length === 0) return undefined;
    this.#sent += nodes.length;
    if (!(await this.#sign(nodes))) return this.next(bytes);
    if (nodes.length <= FEW_NODES) return this.#offer(nodes, this.#rows(nodes));
    const epoch = this.#epoch;
    const pack = await squeezed(packNodes(this.#graph, listOf(nodes), this.#seals));
    return epoch === this.#epoch ? this.#offer(nodes, pack) : this.next(bytes);
  }

  async share(after: number): Promise<{ readonly nodes: Uint8Array; readonly last: number } | undefined> {
    const nodes = this.#nodes.filter((node) => node > after).slice(0, RUN_NODES);
    const last = nodes.at(-1);
    if (last === undefined) return undefined;
    if (!(await this.#sign(nodes))) return this.share(-1);
    return { nodes: packNodes(this.#graph, listOf(nodes), this.#seals), last };
  }

  #endOf(bytes: number): number {
    const most = Math.min(this.#nodes.length, this.#sent + RUN_NODES);
    let weight = 0;
    for (let end = this.#sent; end < most; end++) {
      weight += weightOf(this.#graph.table, this.#nodes[end]!);
      if (weight > bytes && end > this.#sent) return end;
    }
    return most;
  }

  #rows(nodes: readonly number[]): Uint8Array {
    const seals: Seal[] = [];
    for (const [index, node] of nodes.entries()) {
      const signature = this.#seals.get(node);
      if (signature) seals.push({ index, signature });
    }
    return writeMessage(this.#graph.table, nodes, seals);
  }

  /** Closes the runs of these nodes. False when they have other numbers by then, or are gone. */
  async #sign(nodes: readonly number[]): Promise<boolean> {
    const epoch = this.#epoch;
    this.#runEnd = nodes.at(-1) ?? -1;
    let run = 0;
    for (const [index, node] of nodes.entries()) {
      run = this.#seals.has(node) ? 0 : run + 1;
      // Usually the end of all: who has written elsewhere too goes on with one of the branches.
      const isEnd = this.#graph.table.prev.get(nodes[index + 1]!) !== node;
      if (run === RUN_NODES || (run > 0 && isEnd)) {
        const signature = await this.signer.sign(sealMessage(this.#graph.table, node));
        if (epoch !== this.#epoch) return false;
        this.#seals.set(node, signature);
        run = 0;
      }
    }
    return true;
  }

  /** What was not sent, as rows and without a seal: no offer, for a server takes nothing of it before a seal comes. */
  message(): Uint8Array | undefined {
    const first = this.#sent;
    this.#sent = this.#nodes.length;
    return first === this.#sent ? undefined : writeMessage(this.#graph.table, this.#nodes, [], first);
  }

  /** The next message with a seal of the newest node. */
  async sealedMessage(): Promise<Uint8Array | undefined> {
    const tip = this.#nodes.at(-1);
    if (tip === undefined || (this.#sent === this.#nodes.length && this.#seals.has(tip))) return undefined;
    // What is written while the signature is being made belongs to the next message.
    const nodes = this.#nodes.slice(Math.min(this.#sent, this.#nodes.length - 1));
    this.#sent = this.#nodes.length;
    this.#runEnd = tip;
    const epoch = this.#epoch;
    const signature = await this.signer.sign(sealMessage(this.#graph.table, tip));
    if (epoch !== this.#epoch) return this.sealedMessage();
    this.#seals.set(tip, signature);
    return this.#offer(nodes, writeMessage(this.#graph.table, nodes, [{ index: nodes.length - 1, signature }]));
  }

  #offer(nodes: readonly number[], bytes: Uint8Array): Uint8Array {
    this.#offers.set(bytes, { first: nodes[0]!, last: nodes.at(-1)! });
    this.#newestOffer = bytes;
    return bytes;
  }

  /** Settles what a server has answered for; names what it has refused for good. */
  confirm(sent = this.#newestOffer, refused: readonly RefusedNode[] = []): readonly Lost[] {
    const offer = sent && this.#offers.get(sent);
    // An answer from before something was given up: all that is left was or will be offered again.
    if (!sent || !offer) return [];
    this.#offers.delete(sent);
    const refusals = new Map(refused.map((refusal) => [this.#graph.find(refusal.id), refusal]));
    this.settleTo((node) => isWithin(node, offer) && !refusals.has(node));
    if (refused.length === 0) return [];
    const pending = new Set(this.#nodes);
    return [...refusals].filter(([node, { reason }]) => pending.has(node) && !MENDABLE.has(reason));
  }

  /** Forgets the newest node that a server holds and those before; answers how many. */
  settleTo(isHeld: (node: number) => boolean): number {
    const count = this.#nodes.findLastIndex(isHeld) + 1;
    this.settle(count);
    return count;
  }

  /** Forgets so many of the oldest nodes: a server holds them. */
  settle(count: number): void {
    for (const node of this.#nodes.splice(0, count)) this.#seals.delete(node);
    this.#sent = Math.max(0, this.#sent - count);
  }

  /** Whatever was sent may not have arrived. */
  resend(): void {
    this.#sent = 0;
  }

  /** Counts nodes of the same author as unconfirmed again that were settled. */
  unsettle(nodes: readonly number[]): void {
    this.#nodes = [...new Set([...this.#nodes, ...nodes])].sort((a, b) => a - b);
    this.#sent = 0;
  }

  /** Some nodes were given up: others have other numbers, or were written anew. */
  replace(rewriting: Rewritten): void {
    const kept = this.#nodes.map((node) => rewriting.numberOf(node)).filter((node) => node >= 0);
    const seals = [...this.#seals].map(([node, seal]) => [rewriting.numberOf(node), seal] as const);
    this.#nodes = [...kept, ...rewriting.written].sort((a, b) => a - b);
    this.#seals = new Map(seals.filter(([node]) => node >= 0));
    this.#offers = new WeakMap();
    this.#sent = 0;
    this.#runEnd = -1;
    this.#epoch++;
  }
}

function isWithin(node: number, { first, last }: Offer): boolean {
  return node >= first && node <= last;
}
