/** What nodes and authors are called outside the engine's tables. */
import { fromHex } from '../codec/bytes/bytes.js';
import type { NodeTable } from '../codec/nodes/node-table.js';
import { digestHex, digestWords } from '../codec/sha256/words.js';

declare const nodeIdBrand: unique symbol;
declare const keyBrand: unique symbol;

/** 64 lower-case hex characters: the SHA-256 of the node's canonical bytes. */
export type NodeId = string & { readonly [nodeIdBrand]: true };
/** 64 lower-case hex characters: an Ed25519 public key. */
export type PublicKey = string & { readonly [keyBrand]: true };

/** The `room` of a genesis node, which has no genesis before it. [GN1] */
export const NO_ROOM = '0'.repeat(64) as NodeId;

export function nameOf(table: NodeTable, ref: number): NodeId {
  return digestHex(table.idWords(ref), table.idAt(ref)) as NodeId;
}

/** Id of the genesis of the room for which a node was written; a genesis belongs to the room that it begins. */
export function roomOf(table: NodeTable, place: number): NodeId {
  const { roomName } = table.identities.list[table.identity.get(place)]!;
  return roomName === NO_ROOM ? nameOf(table, place) : (roomName as NodeId);
}

export function wordsOf(id: NodeId): Int32Array {
  return digestWords(fromHex(id));
}

/** About how many canonical bytes a node has, never fewer; for budgets, where the exact number is not worth an encoding. */
export function weightOf(table: NodeTable, place: number): number {
  const op = table.firstOp(place);
  const end = table.opsEnd.get(place);
  let weight = 128 + (table.parentsEnd.get(place) - table.firstParent(place)) * 36;
  const { keys } = table;
  for (let i = op; i < end; i++) weight += 96 + keys.end(table.key(i)) - keys.start(table.key(i));
  return weight + table.bytesOf(place);
}
