/** What is wrong with what nodes say of keys. [MA2] */
import { isFor, readMandate } from '../../access/mandate.js';
import type { NodeReason } from '../../rejection.js';
import { nameOfMandate } from '../state/about-keys.js';
import { type Stated, introductionAt, mandatesAt } from '../state/mandates.js';
import type { Speakers } from '../state/speakers.js';
import type { CheckedPack } from './checked-pack.js';

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
