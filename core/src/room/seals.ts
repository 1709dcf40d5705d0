/** Checks the seals of an opened pack, off the decision: signatures are the dear part of admission. [SL3] */
import { toHex } from '../codec/bytes.js';
import type { OpenPack, Seal } from '../codec/pack.js';
import type { NodeTable } from '../codec/node-table.js';
import { headersMessage } from '../graph/attested-headers.js';
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
  /** Whose word its headers have, if it has any and the signature holds: a public key. [HD2] */
  readonly attestedBy?: string | undefined;
}

/** What the table holds now is what is checked, whatever becomes of it meanwhile. */
export async function checkSeals(pack: OpenPack, crypto: Crypto): Promise<CheckedPack> {
  const { table, seals } = pack;
  const { size } = table;
  const attesting = attestedBy(pack, crypto);
  const claims = seals.map((seal) => claimOf(seal, table));
  const valid: boolean[] = [];
  for (let from = 0; from < claims.length; from += AT_ONCE) {
    const some = claims.slice(from, from + AT_ONCE);
    const verdicts = some.map(({ author, message, signature }) => crypto.verify(author, message, signature));
    for (const verdict of await Promise.all(verdicts)) valid.push(verdict);
  }
  const checked = seals.map((seal, i) => ({ ...seal, valid: valid[i] === true }));
  return { table, size, seals: checked, attestedBy: await attesting };
}

async function attestedBy({ table, attestation }: OpenPack, crypto: Crypto): Promise<string | undefined> {
  if (!attestation) return undefined;
  const authority = toHex(attestation.authority);
  const holds = await crypto.verify(authority, headersMessage(table, table.withheld.keys()), attestation.signature);
  return holds ? authority : undefined;
}

function claimOf({ index, signature }: Seal, table: NodeTable) {
  const { authorName } = table.identities.list[table.identity.values[index]!]!;
  return { author: authorName, message: sealMessage(table, index), signature };
}
