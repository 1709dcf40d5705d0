/**
 * Proofs of forks: a pack with both nodes, each followed by what its author wrote on it up to a seal. [FK2]
 *
 * Whoever holds the pack needs nothing else, no room and no trust in who gave it: ids are hashes of what is there, and
 * a seal vouches for the node and for everything before it on its author's chain.
 */
import { DecodeError } from '../../codec/bytes/bytes.js';
import { NONE, type NodeTable } from '../../codec/nodes/node-table.js';
import { listOf } from '../../codec/nodes/places.js';
import { type OpenPack, openPack } from '../../codec/packs/pack.js';
import { type Fork, forkOf } from '../../graph/forks.js';
import type { Graph } from '../../graph/graph.js';
import { NO_ROOM, type NodeId, type PublicKey, nameOf } from '../../graph/node.js';
import { type Seals, packNodes } from '../../graph/seals.js';
import type { Crypto } from '../../ports/crypto.js';
import type { Lender } from '../state/partial-pack.js';
import { checkSeals } from '../admission/checked-pack.js';

/** Undefined for what is no fork of settled nodes, and when a seal is not held. */
export async function proveFork(
  graph: Graph,
  { nodes }: Fork,
  seals: Seals,
  lender: Lender,
): Promise<Uint8Array | undefined> {
  const [one, other] = [graph.find(nodes[0]), graph.find(nodes[1])];
  if (!areSiblings(graph, one, other)) return undefined;
  const places: number[] = [];
  for (const first of [one, other]) {
    let node = first;
    for (; node >= 0 && !seals.has(node); node = nextOf(graph, node)) places.push(node);
    if (node < 0) return undefined;
    places.push(node);
  }
  places.sort((a, b) => a - b);
  if (places.some((place) => graph.table.withheld.has(place))) return undefined; // a header proves nothing
  return lender.lend(listOf(places), () => packNodes(graph, listOf(places), seals));
}

function areSiblings({ settled, table }: Graph, one: number, other: number): boolean {
  if (one === other || one < 0 || other < 0 || one >= settled || other >= settled) return false;
  return table.prev.get(one) === table.prev.get(other) && table.identity.get(one) === table.identity.get(other);
}

/** The node that goes on with a node's chain, or -1. */
function nextOf({ chain, chains, index, settled }: Graph, node: number): number {
  const { nodes } = chains[chain.get(node)]!;
  const at = index.get(node) + 1;
  return at < nodes.length && nodes.get(at) < settled ? nodes.get(at) : -1;
}

/**
 * The fork that a pack of two seals proves. Only the two signatures that matter are checked, and these last: a hostile
 * pack costs its decoding.
 */
export async function verifyForkProof(pack: Uint8Array, crypto: Crypto): Promise<Fork | undefined> {
  const open = opened(pack);
  const [one, other, ...more] = open?.seals ?? [];
  if (!open || !one || !other || more.length > 0) return undefined;
  const fork = forkBelow(open.table, one.index, other.index);
  if (!fork) return undefined;
  const { seals } = await checkSeals(open, crypto);
  return seals.every(({ valid }) => valid) ? fork : undefined;
}

function opened(pack: Uint8Array): OpenPack | undefined {
  try {
    const open = openPack(pack);
    return open.attestation ? undefined : open; // of a header, anybody could say anything
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Where the chains that lead to two nodes part: the first nodes of each that the other has not. */
function forkBelow(table: NodeTable, one: number, other: number): Fork | undefined {
  const [chain, rival] = [chainTo(table, one), chainTo(table, other)];
  const { roomName, authorName } = table.identities.list[table.identity.get(one)]!;
  // An authority begins each of its rooms with a genesis of no room: two of these are two rooms.
  if (table.identity.get(one) !== table.identity.get(other) || roomName === NO_ROOM) return undefined;
  let shared = 0;
  while (shared < chain.length && chain[shared] === rival[shared]) shared++;
  const [left, right] = [chain[shared], rival[shared]];
  if (left === undefined || right === undefined) return undefined; // one chain goes on with the other
  const prev = prevName(table, left);
  if (prev !== prevName(table, right)) return undefined;
  return forkOf(authorName as PublicKey, prev, nameOf(table, left), nameOf(table, right));
}

/**
 * The places of a node's chain as far as the pack has it, oldest first. It ends where the author does: a seal says
 * nothing about what somebody else has written, whatever `prev` is claimed to be.
 */
function chainTo(table: NodeTable, node: number): number[] {
  const chain: number[] = [];
  const identity = table.identity.get(node);
  for (let place = placeOf(table, node); place >= 0 && table.identity.get(place) === identity;) {
    chain.push(place);
    const prev = table.prev.get(place);
    place = prev === NONE ? -1 : placeOf(table, prev);
  }
  return chain.reverse();
}

/** Place of a node, one for each: a pack may hold a node twice, and name one that it holds as if it were outside. */
function placeOf(table: NodeTable, ref: number): number {
  return table.index.find(table.idWords(ref), table.idAt(ref));
}

function prevName(table: NodeTable, place: number): NodeId | undefined {
  const prev = table.prev.get(place);
  return prev === NONE ? undefined : nameOf(table, prev);
}
