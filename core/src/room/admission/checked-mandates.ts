/** Mandates that come with nodes: their signatures are checked off the decision, as seals are. [MA2] */
import { ALL_ROOMS, MANDATE_BYTES, type Matter, readMandate, verifyMandate } from '../../access/mandate.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import type { Verifying } from '../../ports/crypto.js';
import { nameOfSuccession, verifySuccession } from '../../access/succession.js';
import { nameOfMandate } from '../state/about-keys.js';
import { readGenesis } from '../state/genesis.js';
import { mandatesAt, successionAt } from '../state/mandates.js';

/**
 * Names of the mandates and successions in a table whose signatures hold. What was checked before is not
 * checked again.
 */
export async function checkMandates(
  table: NodeTable,
  crypto: Verifying,
  known?: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const holding = new Set<string>();
  for (let place = 0; place < table.size; place++) {
    const succession = successionAt(table, place);
    if (succession instanceof Uint8Array) {
      const name = nameOfSuccession(succession);
      if (known?.has(name) || (await verifySuccession(succession, crypto))) holding.add(name);
    }
    for (const { matter, bytes } of [...mandatesAt(table, place), ...foundingAt(table, place)]) {
      if (!bytes) continue;
      const name = nameOfMandate(matter, bytes);
      if (known?.has(name) || (await verifyMandate(matter, bytes, crypto))) holding.add(name);
    }
  }
  return holding;
}

/** What a genesis shows for its author, where that is no root. [GN1] */
function foundingAt(
  table: NodeTable,
  place: number,
): readonly { readonly matter: Matter; readonly bytes: Uint8Array }[] {
  const genesis = readGenesis(table, place);
  const { authorName } = table.identities.list[table.identity.get(place)]!;
  const bytes = genesis?.founding;
  return bytes && letsFound(bytes, genesis.authorities, authorName) ? [{ matter: 'founder', bytes }] : [];
}

/** Whether something says that one of the authorities lets the author begin rooms; its signature is not looked at. */
function letsFound(founding: Uint8Array, authorities: readonly string[], author: string): boolean {
  if (founding.length !== MANDATE_BYTES) return false;
  const { giver, key, scope } = readMandate(founding);
  return key === author && scope === ALL_ROOMS && authorities.includes(giver);
}
