/**
 * Packed log: a room's nodes in log order, as packs that each stand on those before. [HS5]
 *
 * Parts end where every run is closed, so each is closed under seals by itself or by those before it. Whole parts are read
 * from the store or packed once for all who ask for them at the same time.
 */
import type { Speaker } from '../../access/word.js';
import { listOf, rangeOf } from '../../codec/nodes/places.js';
import type { Places } from '../../codec/packs/pack-writer.js';
import { type OpenPack } from '../../codec/packs/pack.js';
import { encodePack } from '../../codec/packs/plain-pack.js';
import { type NodeId, weightOf } from '../../graph/node.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import { copyNodes, lastSeals, packHistory } from '../../graph/seals.js';
import type { HostSpeaker } from '../state/speaker-of.js';
import type { NodeLog } from '../../ports/store.js';
import { PART_WEIGHT } from '../state/cuts.js';
import { heldPack, partialPack } from '../state/partial-pack.js';
import type { RoomState } from '../state/room-state.js';
import type { DormantValues } from './dormant-values.js';
import type { ReadyPacks } from './ready-packs.js';
import type { RoomNodes } from './room-nodes.js';
import { Sight, type SightRules } from './sight.js';

/** What a reader is sent. */
export interface Reading {
  /** Nodes that it holds, by number: 1 for each. */
  readonly held?: Uint8Array | undefined;
  readonly sight?: Sight | undefined;
  /** For an archive: who vouches for its headers may be somebody whom readers here would not believe any more. */
  readonly isCarriedAway?: boolean;
}

export interface PackedLogParts {
  readonly id: RoomId;
  readonly state: RoomState;
  readonly nodes: RoomNodes;
  readonly log: Pick<NodeLog, 'read'>;
  readonly ready: ReadyPacks;
  /** Vouches for the headers that a reader gets in place of nodes. */
  readonly speaker: HostSpeaker;
  readonly dormant: DormantValues;
}

/** Fewer nodes are packed as fast as they are found. */
const LONG_NODES = 256;

const EMPTY_PACK = encodePack({ nodes: [], seals: [] });

export class PackedLog {
  readonly #parts: PackedLogParts;
  readonly #opening: string;

  constructor(parts: PackedLogParts) {
    this.#parts = parts;
    this.#opening = parts.ready.nameOfOpening();
  }

  get emptyPack(): Uint8Array {
    return EMPTY_PACK;
  }

  /** What a reader sees of the room; undefined for one who sees everything. */
  sight(rules: SightRules): Sight | undefined {
    return rules.subscribed || rules.readable ? new Sight(this.#parts.state.graph, rules) : undefined;
  }

  /**
   * The history up to now as packs that each stand on what came before. Whoever holds a node holds its
   * ancestors, so those of the `known` ids are left out. Throws where nodes were given up, since their headers are to be signed, and
   * where values are dormant, since they are to be read: see `attested`.
   */
  *packs(known: readonly NodeId[] = []): Generator<Uint8Array> {
    const { nodes, state } = this.#parts;
    if (state.graph.table.withheld.size > 0)
      throw new Error('some of the history was given up: its headers are signed by attestedPacks');
    const held = nodes.pastOf(known);
    const end = state.seq;
    for (let from = 0; from < end;) {
      const to = Math.min(end, this.endOfPart(from));
      const lacked = lacking(from, to, held);
      if (lacked.length > 0) yield packHistory(state.graph, lacked, state.seals);
      from = to;
    }
  }

  /** History as packs, with signed headers where nodes were given up, and values read from the log that lie there alone. */
  async *attested(known: readonly NodeId[] = []): AsyncGenerator<Uint8Array> {
    const { nodes, state } = this.#parts;
    const held = nodes.pastOf(known);
    const end = state.seq;
    for (let from = 0; from < end;) {
      const to = Math.min(end, this.endOfPart(from));
      const pack = await this.#pack(from, to, held);
      if (pack) yield pack;
      from = to;
    }
  }

  /** End of the part of the log that begins at a position: one frame's worth of closed runs. */
  endOfPart(from: number): number {
    return this.#parts.state.cuts.endOfPart(from);
  }

  /** What a reader lacks and may see of the nodes [from, to), as a pack; undefined when that is nothing. */
  async read(
    from: number,
    to: number,
    { held, sight, isCarriedAway = false }: Reading,
  ): Promise<Uint8Array | undefined> {
    const { state, ready } = this.#parts;
    if (sight) return this.#partial(lacking(from, to, held), sight);
    const { speaker } = this.#parts;
    if (isCarriedAway && speaker.last !== speaker.word) return this.#pack(from, to, undefined, speaker.last);
    if (held?.subarray(from, to).includes(1)) return this.#pack(from, to, held);
    if (to > state.cuts.stored && to - from < LONG_NODES) return this.#pack(from, to);
    const make = async () => (await this.#stored(from, to)) ?? this.#pack(from, to);
    return ready.get(`${this.#opening} ${from}-${to}`, make);
  }

  /** Author of all of the nodes [from, to) that a reader sees whole; undefined where they are several, or an authority of the room. */
  authorOf(from: number, to: number, sight: Sight | undefined): string | undefined {
    const { graph, speakers } = this.#parts.state;
    const { identities, identity } = graph.table;
    let author: string | undefined;
    // The first node is the genesis, which all have from their welcome.
    for (let node = Math.max(from, 1); node < to; node++) {
      if (sight?.has(node)) continue;
      const { authorName } = identities.list[identity.get(node)]!;
      if (author !== undefined && author !== authorName) return undefined;
      author = authorName;
    }
    return author !== undefined && speakers.hasSpoken(author) ? undefined : author;
  }

  /** Some nodes, and what follows them on their chains up to the next seal: a node alone is not believed. */
  async select(numbers: readonly number[], sight: Sight | undefined): Promise<Uint8Array> {
    const { graph, seals } = this.#parts.state;
    const wanted = new Set<number>();
    for (const first of numbers) {
      const { nodes: links } = graph.chains[graph.chain.get(first)]!;
      for (let at = graph.index.get(first); at < links.length; at++) {
        const node = links.get(at);
        if (wanted.has(node)) break;
        wanted.add(node);
        if (seals.has(node)) break;
      }
    }
    const places = listOf([...wanted].sort((a, b) => a - b));
    const { speaker, dormant } = this.#parts;
    return sight ? this.#withHeaders(places, sight) : heldPack(graph, places, seals, speaker.word, dormant);
  }

  /** Ascending nodes in parts of about as much as a frame holds. */
  partsOf(numbers: readonly number[]): readonly (readonly number[])[] {
    const { table } = this.#parts.state.graph;
    const parts: number[][] = [];
    let weight = Number.POSITIVE_INFINITY;
    for (const node of numbers) {
      const own = weightOf(table, node);
      if (weight + own > PART_WEIGHT) {
        parts.push([]);
        weight = 0;
      }
      parts.at(-1)!.push(node);
      weight += own;
    }
    return parts;
  }

  /** Nodes [from, to) for another room to take, each run closed, with the seals that `closing` gave when `to` was the end. */
  copyOf(from: number, to: number, closing: ReadonlyMap<number, Uint8Array>): Promise<OpenPack> {
    const { graph, seals: held } = this.#parts.state;
    const seals = new Map(closing);
    for (let at = from; at < to;) {
      const end = Math.min(this.endOfPart(at), to);
      for (const [node, signature] of lastSeals(graph, rangeOf(at, end), held)) seals.set(node, signature);
      at = end;
    }
    const nodes = rangeOf(from, to);
    return this.#parts.dormant.lend(nodes, () => copyNodes(graph, nodes, seals));
  }

  /** The last seal of each chain from a position on: once its node is in a segment with later ones, it may be gone. */
  closing(from: number): ReadonlyMap<number, Uint8Array> {
    const { graph, seals, seq } = this.#parts.state;
    return lastSeals(graph, rangeOf(from, seq), seals);
  }

  /** The segment that holds exactly these nodes, ready to be sent. */
  async #stored(from: number, to: number): Promise<Uint8Array | undefined> {
    const { id, state, log } = this.#parts;
    if (to > state.cuts.stored) return undefined;
    // Headers may be there on the word of somebody who has no say any more: they are signed anew.
    if (state.speakers.revoked.size > 0 && state.graph.table.withheld.size > 0) return undefined;
    for await (const { seq, count, pack } of log.read(id, from))
      return seq === from && count === to - from ? pack : undefined;
    return undefined;
  }

  /** The nodes [from, to) that a reader lacks, as they are held; undefined when there are none. */
  #pack(
    from: number,
    to: number,
    held?: Uint8Array,
    speaker: Speaker = this.#parts.speaker.word,
  ): Uint8Array | Promise<Uint8Array> | undefined {
    const { state, dormant } = this.#parts;
    const nodes = lacking(from, to, held);
    return nodes.length === 0 ? undefined : heldPack(state.graph, nodes, state.seals, speaker, dormant);
  }

  async #partial(nodes: Places, sight: Sight): Promise<Uint8Array | undefined> {
    return nodes.length === 0 ? undefined : this.#withHeaders(nodes, sight);
  }

  #withHeaders(nodes: Places, sight: Sight): Promise<Uint8Array> {
    const { state, speaker, dormant } = this.#parts;
    return partialPack(state.graph, nodes, state.seals, sight, speaker.word, dormant);
  }
}

function lacking(from: number, to: number, held: Uint8Array | undefined): Places {
  if (!held) return rangeOf(from, to);
  const nodes: number[] = [];
  for (let node = from; node < to; node++) if (held[node] !== 1) nodes.push(node);
  return listOf(nodes);
}
