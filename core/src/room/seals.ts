/** Checks the seals of an opened pack, off the decision: signatures are the dear part of admission. [SL3] */
import type { OpenPack, Seal } from '../codec/pack.js';
import type { NodeTable } from '../codec/node-table.js';
import { sealMessage } from '../graph/seal.js';
import type { Crypto } from '../ports/crypto.js';

/** The thread pool is shared: one pack of many seals does not keep the others of the process waiting. */
const AT_ONCE = 64;

export interface CheckedSeal extends Seal {
  readonly valid: boolean;
}

/** A pack whose ids are computed and whose seals are judged; nothing else about it is known yet. */
export interface CheckedPack {
  readonly table: NodeTable;
  /** How many of the table's nodes are to be judged; what comes behind them came too early. */
  readonly size: number;
  readonly seals: readonly CheckedSeal[];
}

export async function checkSeals({ table, seals }: OpenPack, crypto: Crypto): Promise<CheckedPack> {
  const checked: CheckedSeal[] = [];
  for (let from = 0; from < seals.length; from += AT_ONCE) {
    const some = seals.slice(from, from + AT_ONCE);
    checked.push(...(await Promise.all(some.map((seal) => check(seal, table, crypto)))));
  }
  return { table, size: table.size, seals: checked };
}

async function check(seal: Seal, table: NodeTable, crypto: Crypto): Promise<CheckedSeal> {
  const { authorName } = table.identities.list[table.identity.values[seal.index]!]!;
  const valid = await crypto.verify(authorName, sealMessage(table, seal.index), seal.signature);
  return { ...seal, valid };
}
