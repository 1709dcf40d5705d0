/**
 * Batch that the lane is about to make durable: new nodes at the end of the graph, visible to the jobs of the same
 * batch and to nobody else until the log has them.
 */
import type { Speaker } from '../../access/word.js';
import { rangeOf, listOf } from '../../codec/nodes/places.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import { Pauses } from '../../concurrency/pauses.js';
import type { Registers } from '../../crdt/registers.js';
import { StagedRegisters } from '../../crdt/staged-registers.js';
import type { Graph } from '../../graph/graph.js';
import { Incoming } from '../../graph/incoming.js';
import { weightOf } from '../../graph/node.js';
import { packNodes } from '../../graph/seals.js';
import type { Segment } from '../../ports/store.js';
import type { Judgement } from '../admission/judgement.js';
import type { Genesis } from '../state/genesis.js';
import { heldPack } from '../state/partial-pack.js';
import { type HostSpeaker, introducing } from '../state/speaker-of.js';
import type { HeldWrite, Write } from '../state/write.js';
import { type BatchPart, type CommitOrigin, SERVER_ORIGIN } from './commit.js';
import type { Framing } from './decision.js';
import { type Draft, addWrite, draft } from './draft.js';

/** How much one append takes, so that each record stays one that a reader takes. A job that is heavier goes alone. */
export const BATCH_WEIGHT = 8 * 1024 * 1024;
/** About as much of something longer goes into one record, and one frame. */
const PIECE_WEIGHT = 1024 * 1024;

export class Batch {
  readonly graph: Graph;
  readonly values: StagedRegisters;
  readonly seals = new Map<number, Uint8Array>();
  readonly #taken: BatchPart[] = [];
  readonly #written: number[] = [];
  /** This host's nodes around those that it takes: each is sealed by itself. */
  readonly #tips: number[] = [];
  readonly #ends: number[] = [];
  /** First node of the batch, the genesis aside. */
  readonly #start: number;
  readonly #speaker: Pick<HostSpeaker, 'now'> | undefined;
  /** The last node that each of this host's keys has written. */
  readonly #lastBy = new Map<number, number>();
  #weight = 0;
  #establishes = false;
  /** Record of a batch that is all of one origin: its nodes are relayed as they lie in the log. */
  #record: Uint8Array | undefined;

  /** The first batch of a room carries its genesis; `speaker` says what this host's first node there does. */
  constructor(graph: Graph, values: Registers, genesis?: Genesis, speaker?: Pick<HostSpeaker, 'now'>) {
    graph.rewind();
    this.graph = graph;
    this.values = new StagedRegisters(graph, values);
    if (genesis) this.seals.set(new Incoming(graph, genesis.table).append(0), genesis.signature);
    this.#start = graph.size;
    this.#speaker = speaker;
  }

  get isEmpty(): boolean {
    return this.graph.size === (this.#establishes ? this.graph.settled : this.#start);
  }

  hasRoomFor(weight: number): boolean {
    return this.isEmpty || this.#weight + weight <= BATCH_WEIGHT;
  }

  get nodes(): Places {
    return rangeOf(this.graph.settled, this.graph.size);
  }

  /** This host's nodes that are still to be sealed: as few as may be, since each is a signature. */
  get unsealedTips(): readonly number[] {
    return [...this.#tips, ...this.#lastBy.values()];
  }

  /** Nodes by origin. This host's come last: they may stand on a peer's, never the other way round. */
  get parts(): readonly BatchPart[] {
    const own = { origin: SERVER_ORIGIN, nodes: listOf(this.#written) };
    const parts = this.#written.length > 0 ? [...this.#taken, own] : this.#taken;
    return this.#record ? [{ ...parts[0]!, pack: this.#record }] : parts;
  }

  /** All nodes with their seals, as they lie in the log: one record, or one for each piece of what is long, with breaks between. */
  async records(speaker: Speaker): Promise<readonly Segment[]> {
    const [part, ...others] = this.parts;
    const { nodes } = this;
    const isOnePush = part !== undefined && others.length === 0 && part.nodes.length === nodes.length;
    if (isOnePush && part.pack) return [{ count: nodes.length, pack: part.pack }];
    const [records, pauses] = [[] as Segment[], new Pauses()];
    let from = this.graph.settled;
    for (const to of new Set([...this.#ends, this.graph.size])) {
      if (records.length > 0) await pauses.take();
      records.push({ count: to - from, pack: await this.#packed(from, to, speaker) });
      from = to;
    }
    if (isOnePush && records.length === 1 && this.graph.table.withheld.size === 0) this.#record = records[0]!.pack;
    return records;
  }

  async #packed(from: number, to: number, speaker: Speaker): Promise<Uint8Array> {
    const nodes = rangeOf(from, to);
    const { withheld } = this.graph.table;
    for (let node = from; withheld.size > 0 && node < to; node++)
      if (withheld.has(node)) return heldPack(this.graph, nodes, this.seals, speaker);
    return packNodes(this.graph, nodes, this.seals);
  }

  /** Ends of pieces of something long, from the beginning of the batch on. */
  get ends(): readonly number[] {
    return this.#ends;
  }

  /** The genesis of a new room is worth an append of its own. */
  establish(): void {
    this.#establishes = true;
  }

  /** Adds what admission let in. `pack` holds what was judged, and nothing else. */
  take(judgement: Judgement, origin: CommitOrigin, pack?: Uint8Array): void {
    const from = this.graph.size;
    judgement.enter(this.seals);
    if (this.graph.size === from) return;
    if (pack && judgement.isWhole) this.#taken.push({ origin, nodes: rangeOf(from, this.graph.size), pack });
    else this.#addParts(from, origin);
    this.#weigh(from);
  }

  /** Adds a new node of this host on all heads; undefined when there is nothing to write. */
  write(identity: number, writes: readonly (Write | HeldWrite)[], now: number): number | undefined {
    if (writes.length === 0) return undefined;
    return this.edit(identity, () => writes.forEach((write) => addWrite(this.graph, write)), now).node;
  }

  /** Adds a new node of this host with the ops that `fill` adds to the graph's table; answers what `fill` does. */
  edit<T>(identity: number, fill: () => T, now: number): Draft<T> {
    const introduced = this.#introduced(identity, now);
    if (introduced !== undefined) this.#wrote(identity, introduced);
    const wallMs = this.#written.length === 0 ? now : undefined; // of the run, which is the batch
    const drafted = draft(this.graph, identity, fill, wallMs);
    if (drafted.node === undefined) return drafted;
    this.#wrote(identity, drafted.node);
    this.#weigh(drafted.node);
    return drafted;
  }

  /** Adds the introduction of this host, where it has none. */
  introduce(identity: number, now: number): void {
    const introduced = this.#introduced(identity, now);
    if (introduced === undefined) return;
    this.#wrote(identity, introduced);
    this.#weigh(introduced);
  }

  /** The first node of this host in a room where it has to say who has certified its key; undefined where it has one. */
  #introduced(identity: number, now: number): number | undefined {
    const writes = this.#speaker ? introducing(this.#speaker.now) : [];
    if (writes.length === 0 || this.graph.tip(identity) >= 0) return undefined;
    return draft(this.graph, identity, () => writes.forEach((write) => addWrite(this.graph, write)), now).node;
  }

  #wrote(identity: number, node: number): void {
    this.#written.push(node);
    this.#lastBy.set(identity, node);
  }

  /** Adds what admission let in with this host's own words around it, so that it stands on nothing else in the batch. */
  frame(judgement: Judgement, identity: number, { before, behind, last }: Framing, now: number): void {
    const from = this.graph.size;
    const introduced = this.#introduced(identity, now);
    if (introduced !== undefined) this.#tips.push(introduced);
    this.#say(identity, before, now);
    judgement.enter(this.seals);
    for (const writes of behind) this.#say(identity, writes, now);
    if (last)
      this.#say(
        identity,
        last((id) => this.graph.find(id)),
        now,
      );
    if (this.graph.size === from) return;
    this.#addParts(from, SERVER_ORIGIN);
    this.#weigh(from);
  }

  /** Adds one more node of this host, which is sealed by itself. */
  #say(identity: number, writes: readonly (Write | HeldWrite)[], now: number): void {
    const { node } = draft(this.graph, identity, () => writes.forEach((write) => addWrite(this.graph, write)), now);
    if (node !== undefined) this.#tips.push(node);
  }

  /** What is too long for one frame is cut where every run is closed. It came into an empty batch: see `hasRoomFor`. */
  #addParts(from: number, origin: CommitOrigin): void {
    const { size } = this.graph;
    let weight = 0;
    for (let node = from; node < size; node++) weight += weightOf(this.graph.table, node);
    const ends = weight <= BATCH_WEIGHT ? [size] : this.#closedEnds(from);
    if (ends.length > 1) this.#ends.push(...ends);
    for (const end of ends) {
      this.#taken.push({ origin, nodes: rangeOf(from, end) });
      from = end;
    }
  }

  #closedEnds(from: number): number[] {
    const { size, table } = this.graph;
    const open = new Set<number>();
    const ends: number[] = [];
    let weight = 0;
    for (let node = from; node < size; node++) {
      weight += weightOf(table, node);
      open.add(node);
      const isSealed = this.seals.has(node) || this.#tips.includes(node);
      for (let covered = node; isSealed && open.delete(covered);) covered = table.prev.get(covered);
      if (open.size > 0 || weight < PIECE_WEIGHT || node === size - 1) continue;
      ends.push(node + 1);
      weight = 0;
    }
    return [...ends, size];
  }

  #weigh(from: number): void {
    for (let node = from; node < this.graph.size; node++) this.#weight += weightOf(this.graph.table, node);
  }
}
