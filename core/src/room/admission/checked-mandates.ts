/** Mandates that come with nodes: their signatures are checked off the decision, as seals are. [MA2] */
import { type Matter, verifyMandate } from '../../access/mandate.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import type { Verifying } from '../../ports/crypto.js';
import { GENESIS_KEY, readGenesis } from '../state/genesis.js';
import { isAboutKeys, mandatesAt, nameOfMandate } from '../state/mandates.js';

/** Whether something in a table may be a mandate. */
export function saysOfKeys({ keys }: NodeTable): boolean {
  return keys.names.some((name) => name === GENESIS_KEY || isAboutKeys(name));
}

/**
 * Names of the mandates in a table whose signatures hold; undefined where there are none. What was checked before is not
 * checked again.
 */
export async function checkMandates(
  table: NodeTable,
  crypto: Verifying,
  known?: ReadonlySet<string>,
): Promise<ReadonlySet<string> | undefined> {
  if (!saysOfKeys(table)) return undefined;
  const holding = new Set<string>();
  for (let place = 0; place < table.size; place++)
    for (const { matter, bytes } of [...mandatesAt(table, place), ...foundingAt(table, place)]) {
      if (!bytes) continue;
      const name = nameOfMandate(matter, bytes);
      if (known?.has(name) || (await verifyMandate(matter, bytes, crypto))) holding.add(name);
    }
  return holding;
}

/** What a genesis shows for its author, where that is no root. [GN1] */
function foundingAt(
  table: NodeTable,
  place: number,
): readonly { readonly matter: Matter; readonly bytes: Uint8Array }[] {
  const bytes = readGenesis(table, place)?.founding;
  return bytes ? [{ matter: 'founder', bytes }] : [];
}
