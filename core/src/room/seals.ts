/** Checks the seals of a decoded pack, off the decision: signatures are the dear part of admission. [SL3] */
import type { Pack, Seal } from '../codec/pack.js';
import { type Node, unpackNode } from '../graph/node.js';
import { sealMessage } from '../graph/seal.js';
import type { Crypto } from '../ports/crypto.js';

/** The thread pool is shared: one pack of many seals does not keep the others of the process waiting. */
const AT_ONCE = 64;

export interface CheckedSeal {
  readonly index: number;
  readonly signature: Uint8Array;
  readonly valid: boolean;
}

/** A pack whose ids are computed and whose seals are judged; nothing else about it is known yet. */
export interface CheckedPack {
  readonly nodes: readonly Node[];
  readonly seals: readonly CheckedSeal[];
}

export async function checkSeals(pack: Pack, crypto: Crypto): Promise<CheckedPack> {
  const nodes = pack.nodes.map(unpackNode);
  const seals: CheckedSeal[] = [];
  for (let from = 0; from < pack.seals.length; from += AT_ONCE) {
    seals.push(
      ...(await Promise.all(pack.seals.slice(from, from + AT_ONCE).map((seal) => check(seal, nodes, crypto)))),
    );
  }
  return { nodes, seals };
}

async function check({ index, signature }: Seal, nodes: readonly Node[], crypto: Crypto): Promise<CheckedSeal> {
  const node = nodes[index];
  const valid = node !== undefined && (await crypto.verify(node.author, sealMessage(node.id), signature));
  return { index, signature, valid };
}
