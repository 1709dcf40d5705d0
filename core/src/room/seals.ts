/** Checks the seals of a decoded pack, off the decision: signatures are the dear part of admission. [SL3] */
import type { Pack } from '../codec/pack.js';
import { type Node, unpackNode } from '../graph/node.js';
import { sealMessage } from '../graph/seal.js';
import type { Crypto } from '../ports/crypto.js';

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
  const seals = await Promise.all(
    pack.seals.map(async ({ index, signature }) => {
      const node = nodes[index];
      const valid = node !== undefined && (await crypto.verify(node.author, sealMessage(node.id), signature));
      return { index, signature, valid };
    }),
  );
  return { nodes, seals };
}
