/**
 * A node as the graph holds it: ids in hex, because they are map keys here; bytes stay in the codec.
 *
 * `lamport` is derived, never sent: 1 + the greatest lamport among `prev` and the parents. Nobody can
 * invent a clock; a long chain can win against concurrent writes, never against later ones. [ND3]
 */
import { fromHex, toHex } from '../codec/bytes.js';
import { type Op, weightOfOp } from '../codec/op.js';
import { nodeId } from '../codec/node-id.js';
import type { NodeFields } from '../codec/canonical-node.js';
import type { PackedNode } from '../codec/pack-writer.js';

declare const nodeIdBrand: unique symbol;
declare const keyBrand: unique symbol;

/** 64 lower-case hex characters: the SHA-256 of the node's canonical bytes. */
export type NodeId = string & { readonly [nodeIdBrand]: true };
/** 64 lower-case hex characters: an Ed25519 public key. */
export type PublicKey = string & { readonly [keyBrand]: true };

export interface Draft {
  readonly room: NodeId;
  readonly author: PublicKey;
  readonly prev?: NodeId;
  /** Sorted, without `prev`. */
  readonly parents: readonly NodeId[];
  readonly wallMs?: number;
  readonly ops: readonly Op[];
}

export interface Node extends Draft {
  readonly id: NodeId;
}

/** The `room` of a genesis node, which has no genesis before it. [GN1] */
export const NO_ROOM = '0'.repeat(64) as NodeId;

/** Throws `DecodeError` when the draft breaks a rule of a node by itself [ND2]; no replica would take it. */
export function identify(draft: Draft): Node {
  return { ...draft, id: toHex(nodeId(toFields(draft)).id) as NodeId };
}

export function unpackNode(packed: PackedNode): Node {
  return {
    id: toHex(packed.id) as NodeId,
    room: toHex(packed.room) as NodeId,
    author: toHex(packed.author) as PublicKey,
    ...(packed.prev ? { prev: toHex(packed.prev) as NodeId } : {}),
    parents: packed.parents.map((parent) => toHex(parent) as NodeId),
    ...(packed.wallMs === undefined ? {} : { wallMs: packed.wallMs }),
    ops: packed.ops,
  };
}

export function packNode(node: Node, counter: number): PackedNode {
  return { ...toFields(node), id: fromHex(node.id), counter };
}

function toFields(draft: Draft): NodeFields {
  return {
    room: kept(draft.room),
    author: kept(draft.author),
    ...(draft.prev ? { prev: fromHex(draft.prev) } : {}),
    parents: draft.parents.map(fromHex),
    ...(draft.wallMs === undefined ? {} : { wallMs: draft.wallMs }),
    ops: draft.ops,
  };
}

const KEPT = 1024;
const keptBytes = new Map<string, Uint8Array>();

/** The bytes of a room or author: the same array each time, by which the hash knows the chain. */
function kept(hex: string): Uint8Array {
  const known = keptBytes.get(hex);
  if (known) return known;
  if (keptBytes.size >= KEPT) keptBytes.clear();
  const bytes = fromHex(hex);
  keptBytes.set(hex, bytes);
  return bytes;
}

/** About how many canonical bytes a node has, never fewer; for budgets, where the exact number is not worth an encoding. */
export function weightOf(node: Draft): number {
  let weight = 128 + node.parents.length * 36;
  for (const op of node.ops) weight += weightOfOp(op);
  return weight;
}

/** Everything that a node stands on. */
export function ancestorsOf(node: Draft): readonly NodeId[] {
  return node.prev ? [node.prev, ...node.parents] : node.parents;
}
