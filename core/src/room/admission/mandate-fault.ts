/** What is wrong with what nodes say of keys. [MA2] */
import { isFor, readMandate } from '../../access/mandate.js';
import type { NodeReason } from '../../rejection.js';
import { nameOfMandate } from '../state/about-keys.js';
import { type Stated, introductionAt, mandatesAt } from '../state/mandates.js';
import type { Speaking } from '../state/roots.js';
import type { Speakers } from '../state/speakers.js';
import type { CheckedPack } from './checked-pack.js';
import type { ComingVoice } from './key-rules.js';

/** What is wrong with what a node says of keys. Nothing is wrong with one that says nothing. */
export function mandateFault(
  { table, mandates = NONE }: Pick<CheckedPack, 'table' | 'mandates'>,
  place: number,
  voice: ComingVoice,
  speakers: Speakers,
): NodeReason | undefined {
  const { below = 0 } = voice;
  const accession = speakers.accessionAt(table, place, { voice, below, holding: mandates });
  if (accession === 'none') return 'bad-mandate';
  if (accession && voice.isLate) return 'authority-superseded';
  const roots = accession ? new Set(accession.succession.roots) : speakers.reignAt(below).roots;
  const isIntroduction = introductionAt(table, place) !== undefined;
  for (const stated of mandatesAt(table, place))
    if (!holds(stated, mandates, isIntroduction, { room: speakers.room, roots })) return 'bad-mandate';
  return undefined;
}

const NONE: ReadonlySet<string> = new Set();

function holds(
  { matter, key, bytes }: Stated,
  mandates: ReadonlySet<string>,
  isIntroduction: boolean,
  { room, roots }: Pick<Speaking, 'room' | 'roots'>,
): boolean {
  if (!bytes || !mandates.has(nameOfMandate(matter, bytes))) return false;
  const mandate = readMandate(bytes);
  if (mandate.key !== key || !isFor(mandate, room)) return false;
  if ((matter === 'signer' || matter === 'signer-revoked') && !roots.has(mandate.giver)) return false;
  return isIntroduction || matter === 'signer-revoked' || matter === 'delegate-revoked';
}
