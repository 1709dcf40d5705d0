/**
 * Mandates as they stand in a room: each is what a register under a key of the system is set to. [MA2]
 *
 * A key introduces itself by its first node, which holds nothing else: as the signer that a root has certified, or as one
 * that a subject has taken for its own. What takes that back is written by whoever speaks for the room, with the
 * signature of who may. A change of roots stands alone, or before the introduction of who is certified by the new ones.
 */
import { MANDATE_BYTES, type Mandate, type Matter, readMandate } from '../../access/mandate.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { NONE, type NodeTable } from '../../codec/nodes/node-table.js';
import { OP_SET } from '../../codec/nodes/op-kinds.js';
import { DELEGATE, DELEGATE_REVOKED, ROOTS, SIGNER, SIGNER_REVOKED, SUBJECT_REVOKED } from './key-facts.js';

const MATTERS: readonly (readonly [prefix: string, matter: Matter])[] = [
  [SIGNER, 'signer'],
  [SIGNER_REVOKED, 'signer-revoked'],
  [DELEGATE, 'delegate'],
  [DELEGATE_REVOKED, 'delegate-revoked'],
];

/** What a key of the system has a mandate about, and whom it names; undefined for any other key. */
function matterOf(name: string): readonly [matter: Matter, key: string] | undefined {
  const found = MATTERS.find(([prefix]) => name.startsWith(prefix));
  return found && [found[1], name.slice(found[0].length)];
}

export function takesBack(name: string): boolean {
  return (
    name === ROOTS || [SIGNER_REVOKED, DELEGATE_REVOKED, SUBJECT_REVOKED].some((prefix) => name.startsWith(prefix))
  );
}

/** A mandate at an op, whether it holds or not. */
export interface Stated {
  readonly matter: Matter;
  /** Whom its key names. */
  readonly key: string;
  /** Undefined for what is none. */
  readonly bytes: Uint8Array | undefined;
}

export function* mandatesAt(table: NodeTable, place: number): Generator<Stated> {
  for (let op = table.firstOp(place); op < table.opsEnd.get(place); op++) {
    const about = matterOf(table.keys.names[table.key(op)]!);
    if (!about) continue;
    const value = table.kind(op) === OP_SET ? decodeValue(table.contentOf(op)) : undefined;
    const isOne = value instanceof Uint8Array && value.length === MANDATE_BYTES;
    yield { matter: about[0], key: about[1], bytes: isOne ? value : undefined };
  }
}

/** Introduction: what the first node of a key says about that key. */
export interface Introduction {
  readonly matter: 'signer' | 'delegate';
  readonly mandate: Mandate;
  readonly bytes: Uint8Array;
}

/** Value of a change of roots that a node has; 'none' where it has something else under that key, or not in its place. */
export function successionAt(table: NodeTable, place: number): Uint8Array | 'none' | undefined {
  const key = table.keys.find(ROOTS);
  const [first, end] = [table.firstOp(place), table.opsEnd.get(place)];
  let found: number | undefined;
  for (let op = first; key !== undefined && op < end; op++) if (table.key(op) === key) found ??= op;
  if (found === undefined) return undefined;
  const isInPlace = found === first && (end - first === 1 || introductionAt(table, place)?.matter === 'signer');
  const value = isInPlace && table.kind(first) === OP_SET ? decodeValue(table.contentOf(first)) : undefined;
  return value instanceof Uint8Array ? value : 'none';
}

/** The introduction that a node is, if it has the form of one. */
export function introductionAt(table: NodeTable, place: number): Introduction | undefined {
  const first = table.firstOp(place);
  const behindRoots = table.keys.names[table.key(first)] === ROOTS ? 1 : 0;
  if (table.prev.get(place) !== NONE || table.opsEnd.get(place) - first !== 1 + behindRoots) return undefined;
  const { authorName } = table.identities.list[table.identity.get(place)]!;
  for (const { matter, key, bytes } of mandatesAt(table, place)) {
    if ((matter !== 'signer' && matter !== 'delegate') || !bytes || key !== authorName) continue;
    const mandate = readMandate(bytes);
    if (mandate.key === key) return { matter, mandate, bytes };
  }
  return undefined;
}
