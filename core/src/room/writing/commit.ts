/** What became durable, told to everyone who follows the room: sessions relay it, views fold it. */
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { KINDS } from '../../codec/nodes/op-kinds.js';
import type { Graph } from '../../graph/graph.js';
import type { NodeId, PublicKey } from '../../graph/node.js';
import { type Seals, packNodes } from '../../graph/seals.js';
import type { Write } from '../state/write.js';
import type { BatchPart } from './batch.js';

export interface CommitOrigin {
  /** Who the relay names as sender: a public key, or `server`. */
  readonly from: string;
  /** The session that needs no relay of its own nodes. */
  readonly session?: string;
}

export const SERVER_ORIGIN: CommitOrigin = { from: 'server' };

/** One node of the log, its values decoded. */
export interface Entry {
  /** Log position, from 0. */
  readonly seq: number;
  readonly nodeId: NodeId;
  readonly author: PublicKey;
  readonly writes: readonly Write[];
}

export function entryOf(graph: Graph, node: number): Entry {
  const { table } = graph;
  const writes: Write[] = [];
  for (let op = table.firstOp(node); op < table.opsEnd.values[node]!; op++) {
    const key = table.keys.names[table.key(op)]!;
    if (table.kind(op) === KINDS.set) writes.push({ key, value: decodeValue(table.contentOf(op)) });
    if (table.kind(op) === KINDS.delete) writes.push({ key, value: undefined });
  }
  return { seq: node, nodeId: graph.idOf(node), author: graph.authorOf(node), writes };
}

/** The nodes of one origin in a batch, as they are relayed: closed under seals. */
export class CommitPart {
  readonly origin: CommitOrigin;
  readonly #make: () => Uint8Array;
  #pack: Uint8Array | undefined;

  constructor(graph: Graph, { origin, nodes, pack }: BatchPart, seals: Seals) {
    this.origin = origin;
    this.#pack = pack;
    this.#make = () => packNodes(graph, nodes, seals);
  }

  /** Made when first asked for, once for all who ask. */
  get pack(): Uint8Array {
    this.#pack ??= this.#make();
    return this.#pack;
  }
}

/** One durable batch: nodes [from, to) of the log. */
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
