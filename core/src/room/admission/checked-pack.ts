/**
 * Checked packs: seals are verified off the decision, because signatures are the dear part of admission. [SL3] [SL4]
 *
 * A seal vouches for everything before it on its chain. Of several that came together, only the newest of each chain needs
 * to be checked, and as many more as keep runs within what a server takes. The choice is linear in nodes.
 */
import type { Vouched } from '../../access/word.js';
import { toHex } from '../../codec/bytes/bytes.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import type { OpenPack, Seal } from '../../codec/packs/pack.js';
import { headersMessage } from '../../graph/attested-headers.js';
import { RUN_NODES, sealMessage } from '../../graph/seal.js';
import type { Verifying } from '../../ports/crypto.js';
import { isAboutKeys } from '../state/about-keys.js';
import { readGenesis } from '../state/genesis.js';
import type { LoadKeyChecks } from './key-rules.js';

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
  /** Seals that were not checked, because newer ones vouch for what they cover. */
  readonly skipped?: readonly Seal[];
  /** Whose word its headers have, if it has any and the signature holds. [HD2] */
  readonly attestedBy?: Vouched | undefined;
  /** Names of the mandates among its ops whose signatures hold. [MA2] */
  readonly mandates?: ReadonlySet<string> | undefined;
}

/**
 * What the table holds now is what is checked, whatever becomes of it meanwhile. `load` is asked for what checks mandates and
 * certificates when there are some.
 */
export async function checkSeals(pack: OpenPack, crypto: Verifying, load?: LoadKeyChecks): Promise<CheckedPack> {
  const { table, seals } = pack;
  const { size } = table;
  const attesting = attestedBy(pack, crypto, load);
  const checking = saysOfKeys(table) ? load?.() : undefined;
  const checked = await verifySeals(table, seals, crypto);
  const mandates = await (await checking)?.checkMandates(table, crypto);
  return { table, size, seals: checked, attestedBy: await attesting, mandates };
}

/** Whether something in a table may be a mandate. */
export function saysOfKeys(table: NodeTable): boolean {
  return table.keys.names.some(isAboutKeys) || readGenesis(table)?.founding !== undefined;
}

async function attestedBy(
  { table, attestation }: OpenPack,
  crypto: Verifying,
  load: LoadKeyChecks | undefined,
): Promise<Vouched | undefined> {
  if (!attestation) return undefined;
  const message = headersMessage(table, [...table.withheld.keys()], table.withheld);
  if (attestation.certificate) return (await load?.())?.checkWord(attestation, message, crypto);
  const authority = toHex(attestation.authority);
  return (await crypto.verify(authority, message, attestation.signature)) ? { authority } : undefined;
}

export async function verifySeals(table: NodeTable, seals: readonly Seal[], crypto: Verifying): Promise<CheckedSeal[]> {
  const claims = seals.map((seal) => claimOf(seal, table));
  const checked: CheckedSeal[] = [];
  let next = 0;
  const checkSome = async (): Promise<void> => {
    for (let i = next++; i < claims.length; i = next++) {
      const { author, message, signature } = claims[i]!;
      checked[i] = { ...seals[i]!, valid: await crypto.verify(author, message, signature) };
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, claims.length) }, checkSome));
  return checked;
}

function claimOf({ index, signature }: Seal, table: NodeTable) {
  const { authorName } = table.identities.list[table.identity.get(index)]!;
  return { author: authorName, message: sealMessage(table, index), signature };
}

/** `seals` by ascending index. Links decide, never the order: what is skipped lies on the chain of one that is not. */
export function newestSeals(table: NodeTable, seals: readonly Seal[]): { newest: Seal[]; skipped: Seal[] } {
  /** At the newest sealed node of a run the number of its seal + 1; further down, -1. */
  const runs = new Int32Array(table.size);
  const lengths: number[] = [];
  const isSkipped = new Uint8Array(seals.length);
  for (const [number, { index }] of seals.entries()) {
    let length = 0;
    let place = index;
    for (; place >= 0 && runs[place] === 0; place = table.prev.get(place), length++) runs[place] = -1;
    const below = place >= 0 ? runs[place]! - 1 : -1;
    if (length > 0 && below >= 0 && lengths[below]! + length <= RUN_NODES) {
      isSkipped[below] = 1;
      runs[place] = -1;
      length += lengths[below]!;
    }
    if (length > 0) runs[index] = number + 1;
    lengths.push(length);
  }
  return {
    newest: seals.filter((_, number) => isSkipped[number] === 0),
    skipped: seals.filter((_, number) => isSkipped[number] === 1),
  };
}
