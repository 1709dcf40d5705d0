/** Mandates that come with nodes: their signatures are checked off the decision, as seals are. [MA2] */
import { type Matter, isFor, readMandate, verifyMandate } from '../../access/mandate.js';
import type { NodeTable } from '../../codec/nodes/node-table.js';
import type { Verifying } from '../../ports/crypto.js';
import type { NodeReason } from '../../rejection.js';
import { GENESIS_KEY, readGenesis } from '../state/genesis.js';
import { type Stated, introductionAt, isAboutKeys, mandatesAt, nameOfMandate } from '../state/mandates.js';
import type { Speakers } from '../state/speakers.js';
import type { CheckedPack } from './checked-pack.js';

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

/** Whether a node is a genesis by whom its roots let begin rooms. */
export function isFounded({ table, mandates }: Pick<CheckedPack, 'table' | 'mandates'>, place: number): boolean {
  const genesis = readGenesis(table, place);
  if (!genesis?.founding) return genesis !== undefined;
  return mandates?.has(nameOfMandate('founder', genesis.founding)) ?? false;
}

/** What is wrong with what a node says of keys. Nothing is wrong with one that says nothing. */
export function mandateFault(
  { table, mandates }: Pick<CheckedPack, 'table' | 'mandates'>,
  place: number,
  speakers: Speakers,
): NodeReason | undefined {
  const isIntroduction = introductionAt(table, place) !== undefined;
  for (const stated of mandatesAt(table, place))
    if (!holds(stated, mandates, isIntroduction, speakers)) return 'bad-mandate';
  return undefined;
}

function holds(
  { matter, key, bytes }: Stated,
  mandates: ReadonlySet<string> | undefined,
  isIntroduction: boolean,
  { room, roots }: Speakers,
): boolean {
  if (!bytes || !mandates?.has(nameOfMandate(matter, bytes))) return false;
  const mandate = readMandate(bytes);
  if (mandate.key !== key || !isFor(mandate, room)) return false;
  if ((matter === 'signer' || matter === 'signer-revoked') && !roots.has(mandate.giver)) return false;
  return isIntroduction || matter === 'signer-revoked' || matter === 'delegate-revoked';
}
