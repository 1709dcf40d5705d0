/**
 * How far each chain reaches on one side: its first node, its newest, and how many there are. [RC7]
 *
 * Exact difference of two sides, if both hold the ancestors of whatever they hold and no author has forked:
 * who names a node has all before it, and the shorter of two chains is the beginning of the longer. Where a chain has
 * forked that shows: here, so that nothing is sent which is held there, or in counts and sums, when something was left
 * out. Then there is another way. A chain is called by its first node, so authors need no names.
 */
import { ByteReader } from '../codec/bytes/byte-reader.js';
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import type { Chain } from '../graph/graph.js';
import { heldBeginning } from './held.js';
import type { Short } from './short-ids.js';
import type { Snapshot } from './snapshot.js';

/** Most bytes of a tip: two short ids and a length. Mostly it is 18. */
export const TIP_BYTES = 20;
export const USUAL_TIP_BYTES = 18;
export const MOST_TIPS = 1 << 14;

interface Tip {
  readonly first: Short;
  readonly last: Short;
  /** 0 where the other named a chain that is not held. */
  readonly length: number;
}

const NOTHING: Short = [0, 0];

export function writeTips(tips: Iterable<Tip>): Uint8Array {
  const out = new ByteWriter(1024);
  for (const { first, last, length } of tips) {
    for (const word of [...first, ...last]) out.uint(word >>> 0, 4);
    out.varint(length);
  }
  return out.finish();
}

export function readTips(bytes: Uint8Array): Tip[] {
  const input = new ByteReader(bytes);
  const short = (): Short => [input.uint(4) | 0, input.uint(4) | 0];
  const tips: Tip[] = [];
  while (input.left > 0) tips.push({ first: short(), last: short(), length: input.varint() });
  return tips;
}

/** Tips of all chains. */
export function ownTips(room: Snapshot): Tip[] {
  return room.chains.map((chain) => tipOf(room, chain));
}

function tipOf(room: Snapshot, chain: Chain): Tip {
  const length = room.lengthOf(chain);
  return { first: shortAt(room, chain.nodes.get(0)), last: shortAt(room, chain.nodes.get(length - 1)), length };
}

function shortAt({ graph }: Snapshot, node: number): Short {
  const words = graph.table.idWords(node);
  const at = graph.table.idAt(node);
  return [words[at]!, words[at + 1]!];
}

/**
 * Nodes of ours that tell as much as their tips do: the tips themselves, or our last of chains that they have more of.
 * Undefined when a chain must have forked: a tip that we lack of a chain that is not the beginning of theirs.
 */
export function heldBy(room: Snapshot, tips: readonly Tip[]): number[] | undefined {
  const held: number[] = [];
  for (const { first, last, length } of tips) {
    if (length === 0) continue;
    const [tip, ...others] = heldBeginning(room.graph, ...last, room.size);
    const chain = chainFrom(room, first);
    if (tip !== undefined && others.length === 0) held.push(tip);
    else if (chain && room.lengthOf(chain) < length) held.push(chain.nodes.get(room.lengthOf(chain) - 1));
    else if (heldBeginning(room.graph, ...first, room.size).length > 0) return undefined;
  }
  return held;
}

/** Our tips where they differ from theirs, which name all of their chains. */
export function* otherTips(room: Snapshot, theirs: readonly Tip[]): Generator<Tip> {
  const named = new Map<Chain, Tip>();
  for (const tip of theirs) {
    const chain = chainFrom(room, tip.first);
    if (chain) named.set(chain, tip);
    else yield { first: tip.first, last: NOTHING, length: 0 };
  }
  for (const chain of room.chains) {
    const own = tipOf(room, chain);
    const tip = named.get(chain);
    if (!tip || !isSame(tip.last, own.last)) yield own;
  }
}

/** Our tips that they have too, because their answer does not mention them. */
export function sharedTips(room: Snapshot, others: readonly Tip[]): number[] {
  const mentioned = new Set(others.map((tip) => chainFrom(room, tip.first)));
  return room.chains.filter((chain) => !mentioned.has(chain)).map((chain) => chain.nodes.get(room.lengthOf(chain) - 1));
}

function chainFrom({ graph, size }: Snapshot, first: Short): Chain | undefined {
  const [node] = heldBeginning(graph, ...first, size);
  return node !== undefined && graph.index.get(node) === 0 ? graph.chains[graph.chain.get(node)] : undefined;
}

function isSame(a: Short, b: Short): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
