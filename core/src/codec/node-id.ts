/**
 * Ids of nodes, as fast as plain JavaScript makes them. [ND1]
 *
 * `room` and `author` fill the first block of the hash, so its state is kept for the chain that is being hashed; most
 * nodes are one block more. Nothing is allocated but the id itself.
 */
import { ByteWriter } from './byte-writer.js';
import { DecodeError } from './bytes.js';
import { NODE_BOUNDS, type NodeFields, checkNode, writeNode } from './canonical-node.js';
import { hashRange } from './sha256/digest-into.js';
import { Midstate, hashFrom } from './sha256/midstate.js';
import { DIGEST_WORDS, digestBytes } from './sha256/words.js';

const BLOCK = 64;
/** What fits one block behind the first: from two on, the runtime's own SHA-256 is faster. */
const ONE_BLOCK = 55;

const scratch = new ByteWriter(1024);
const words = new Int32Array(DIGEST_WORDS);
let chain: { readonly room: Uint8Array; readonly author: Uint8Array; readonly midstate: Midstate } | undefined;

/** Throws `DecodeError` when a rule is broken that needs nothing but the node. [ND2] */
export function nodeId(node: NodeFields): { readonly id: Uint8Array; readonly bytes: number } {
  checkNode(node);
  scratch.reset();
  writeNode(scratch, node);
  const bytes = scratch.view();
  if (bytes.length > NODE_BOUNDS.bytes) throw new DecodeError('a node exceeds 1 MiB');
  if (bytes.length - BLOCK <= ONE_BLOCK) hashFrom(midstateOf(node, bytes), bytes, BLOCK, bytes.length, words, 0);
  else hashRange(bytes, 0, bytes.length, words, 0);
  return { id: digestBytes(words), bytes: bytes.length };
}

/** Kept by identity: whoever makes many nodes of a chain uses the same arrays. */
function midstateOf({ room, author }: NodeFields, bytes: Uint8Array): Midstate {
  if (chain?.room !== room || chain.author !== author) {
    chain = { room, author, midstate: Midstate.of(bytes.subarray(0, BLOCK)) };
  }
  return chain.midstate;
}
