/** What became durable, told to everyone who follows the room: sessions relay it, views fold it. */
import { decodeValue } from '../codec/msgpack.js';
import type { Op } from '../codec/op.js';
import type { Node, NodeId, PublicKey } from '../graph/node.js';
import type { Placed } from '../graph/dag.js';
import { packNodes } from '../graph/pack-nodes.js';
import type { Write } from './write.js';

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

export function entryOf(node: Node, seq: number): Entry {
  return {
    seq,
    nodeId: node.id,
    author: node.author,
    writes: node.ops.flatMap(toWrite),
  };
}

function toWrite(op: Op): Write[] {
  if (op.kind === 'set') return [{ key: op.key, value: decodeValue(op.value) }];
  return op.kind === 'delete' ? [{ key: op.key, value: undefined }] : [];
}

/** The nodes of one origin in a batch, as they are relayed: closed under seals. */
export class CommitPart {
  readonly origin: CommitOrigin;
  readonly #nodes: readonly Placed[];
  readonly #seals: ReadonlyMap<NodeId, Uint8Array>;
  #pack: Uint8Array | undefined;

  constructor(origin: CommitOrigin, nodes: readonly Placed[], seals: ReadonlyMap<NodeId, Uint8Array>) {
    this.origin = origin;
    this.#nodes = nodes;
    this.#seals = seals;
  }

  /** Made when first asked for, once for all who ask. */
  get pack(): Uint8Array {
    this.#pack ??= packNodes(this.#nodes, this.#seals);
    return this.#pack;
  }
}

/** One durable batch. */
export class Commit {
  readonly parts: readonly CommitPart[];
  readonly #nodes: readonly Placed[];
  readonly #seq: number;
  #entries: readonly Entry[] | undefined;

  /** `seq` is the log position of the first node. */
  constructor(seq: number, nodes: readonly Placed[], parts: readonly CommitPart[]) {
    this.#seq = seq;
    this.#nodes = nodes;
    this.parts = parts;
  }

  /** Every node of the batch in log order. */
  get entries(): readonly Entry[] {
    this.#entries ??= this.#nodes.map(({ node }, index) => entryOf(node, this.#seq + index));
    return this.#entries;
  }
}
