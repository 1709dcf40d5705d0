/** Reign: who the roots of a room are at a moment of its history, and what has made them so. [MA6] */
import { toHex } from '../codec/bytes/bytes.js';
import { concatBytes, fromHex } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';
import { isFor } from './mandate.js';
import { NO_RECOVERY, type Succession, recoveryOf } from './succession.js';

export interface Reign {
  readonly roots: ReadonlySet<string>;
  /** See `recoveryOf`; `NO_RECOVERY` for none. */
  readonly recovery: string;
  /** Where the room has moved to; empty while it is where it was. */
  readonly address: string;
  /** What it came by; none of the reign that the genesis began. */
  readonly by?: Accession | undefined;
}

/** Accession: a succession that counts, where it does. */
export interface Accession {
  /** Follows from all that led to it: the same wherever it is written. */
  readonly name: string;
  readonly before: Reign;
  readonly bytes: Uint8Array;
  readonly succession: Succession;
  readonly isRecovery: boolean;
}

export function firstReign(roots: ReadonlySet<string>, recovery = NO_RECOVERY): Reign {
  return { roots, recovery, address: '' };
}

/** What a succession makes of a reign in a room, if those who have signed it may: its signatures are not looked at. */
export function accessionTo(
  before: Reign,
  bytes: Uint8Array,
  succession: Succession,
  room: string | undefined,
): Accession | undefined {
  if (!isFor(succession, room) || cameBy(before, bytes)) return undefined;
  const { signers } = succession;
  const isRecovery =
    before.recovery !== NO_RECOVERY && signers.some((signer) => recoveryOf(signer) === before.recovery);
  const agreeing = signers.filter((signer) => before.roots.has(signer)).length;
  if (!isRecovery && agreeing * 2 <= before.roots.size) return undefined;
  const path = before.by ? fromHex(before.by.name) : new Uint8Array();
  return { name: toHex(sha256(concatBytes([path, bytes]))), before, bytes, succession, isRecovery };
}

/** The reign that begins. A recovery key is followed by what it says itself: whoever has taken a root names no other one. */
export function reignBy(by: Accession): Reign {
  const { before, succession, isRecovery } = by;
  const mayName = isRecovery || before.recovery === NO_RECOVERY;
  return {
    roots: new Set(succession.roots),
    recovery: mayName ? succession.recovery : before.recovery,
    address: succession.address,
    by,
  };
}

/** All that has led to a reign, oldest first. */
export function lineTo(reign: Reign): Accession[] {
  const line: Accession[] = [];
  for (let { by } = reign; by; by = by.before.by) line.unshift(by);
  return line;
}

/** Reign where these accessions are known: of those that follow one reign the greatest counts, and what stands on others does not. */
export function reignAmong(first: Reign, accessions: readonly Accession[]): Reign {
  let reign = first;
  for (;;) {
    const next = accessions.filter(({ before }) => before.by?.name === reign.by?.name).reduce(greater, undefined);
    if (!next) return reign;
    reign = reignBy(next);
  }
}

/**
 * Whether somebody who has a present reign takes an accession that is new to him: what follows it, what has led to it, and a recovery
 * of something before it. Otherwise whoever has taken a former root would only have to choose a greater serial.
 */
export function isTaken(first: Reign, present: Reign, accession: Accession): boolean {
  const line = lineTo(present);
  if (accession.before.by?.name === present.by?.name || line.some(({ name }) => name === accession.name)) return true;
  if (!accession.isRecovery) return false;
  return reignAmong(first, [...line, ...lineTo(accession.before), accession]).by?.name === accession.name;
}

/** A recovery outranks what roots say; else the greater serial counts, and then the name. */
function greater(a: Accession | undefined, b: Accession): Accession {
  if (!a) return b;
  if (a.isRecovery !== b.isRecovery) return a.isRecovery ? a : b;
  const [one, other] = [a.succession.serial, b.succession.serial];
  return one > other || (one === other && a.name > b.name) ? a : b;
}

/** A succession counts once: whoever repeats it later brings no former root back. */
function cameBy(reign: Reign, bytes: Uint8Array): boolean {
  const text = toHex(bytes);
  return lineTo(reign).some((accession) => toHex(accession.bytes) === text);
}
