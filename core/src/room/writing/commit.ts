/** Commit: one durable batch as everyone hears of it who follows the room. Sessions relay it, views fold it. */
import type { Places } from '../../codec/packs/pack-writer.js';
import type { Graph } from '../../graph/graph.js';
import { type Seals, packNodes } from '../../graph/seals.js';
import { type Entry, entryOf } from '../state/entry.js';

export interface CommitOrigin {
  /** Sender that the relay names: a public key, or `server`. */
  readonly from: string;
  /** The session that needs no relay of its own nodes. */
  readonly session?: string;
}

export const SERVER_ORIGIN: CommitOrigin = { from: 'server' };

/** Nodes of one origin in a batch. */
export interface BatchPart {
  readonly origin: CommitOrigin;
  readonly nodes: Places;
  /** A pack of exactly these nodes: the one that brought them, or their record. */
  readonly pack?: Uint8Array;
}

/** Nodes of one origin in a commit, as they are relayed: closed under seals. */
export class CommitPart {
  readonly origin: CommitOrigin;
  readonly #make: () => Uint8Array;
  #pack: Uint8Array | undefined;

  constructor(graph: Graph, { origin, nodes, pack }: BatchPart, seals: Seals) {
    this.origin = origin;
    this.#pack = pack;
    this.#make = () => packNodes(graph, nodes, seals);
  }

  /** The nodes as a pack, made when first asked for, once for all who ask. */
  get pack(): Uint8Array {
    this.#pack ??= this.#make();
    return this.#pack;
  }
}

/** The nodes [from, to) of the log. */
export class Commit {
  readonly parts: readonly CommitPart[];
  /** Log positions. */
  readonly from: number;
  readonly to: number;
  /** Whether it is more than a peer is sent at once. */
  readonly isLong: boolean;
  readonly #graph: Graph;
  #entries: readonly Entry[] | undefined;

  constructor(graph: Graph, from: number, to: number, parts: readonly CommitPart[], isLong = false) {
    this.#graph = graph;
    this.isLong = isLong;
    this.from = from;
    this.to = to;
    this.parts = parts;
  }

  /** Every node of the batch in log order. */
  get entries(): readonly Entry[] {
    this.#entries ??= Array.from({ length: this.to - this.from }, (_, i) => entryOf(this.#graph, this.from + i));
    return this.#entries;
  }
}
