/** Resolution of a document: what every key but the system's holds, as bytes, for whoever compares, queries or hands out all of it. */
import { fromHex } from '../codec/bytes/bytes.js';
import { decodeValue, encodeValue } from '../codec/bytes/msgpack.js';
import type { NodeId } from '../graph/node.js';
import type { Document } from './document.js';
import { BlobRef } from './registers.js';
import { isSystemKey } from './system-keys.js';

/** Half of a pair, which concurrent deletions can leave behind, is written as U+FFFD. */
const utf8 = new TextEncoder();

/** Resolved key: one kind of what it holds, as MessagePack, a text in UTF-8, a list as a MessagePack array, or a blob's hash. */
export interface ResolvedKey {
  readonly key: string;
  readonly kind: 'register' | 'blob' | 'text' | 'list';
  readonly bytes: Uint8Array;
}

export const WINNING_KINDS = ['register', 'blob', 'text', 'list', 'deleted'] as const;

/** What a key holds, deleted registers too, with the node that a register's winner is in. */
export interface WinningKey {
  readonly key: string;
  readonly kind: (typeof WINNING_KINDS)[number];
  readonly bytes: Uint8Array;
  readonly winner?: NodeId;
}

/** By key and kind. */
export function* resolutionOf(values: Document): Generator<ResolvedKey> {
  for (const { key, kind, bytes } of heldIn(values)) if (kind !== 'deleted') yield { key, kind, bytes };
}

/** All that stands, and who made it so. */
export function* winnersOf(values: Document): Generator<WinningKey> {
  for (const { node, ...held } of heldIn(values))
    yield node === undefined ? held : { ...held, winner: values.graph.idOf(node) };
}

function* heldIn(values: Document): Generator<Omit<WinningKey, 'winner'> & { readonly node?: number }> {
  const { names } = values.graph.table.keys;
  const keys = names.flatMap((name, key) => (isSystemKey(name) ? [] : key));
  keys.sort((a, b) => (names[a]! < names[b]! ? -1 : 1));
  for (const key of keys) {
    const name = names[key]!;
    const node = values.registers.nodeOf(key);
    if (node >= 0) yield { key: name, ...contentOf(values.registers.value(key)), node };
    const [text, list] = [values.textNamed(name), values.listNamed(name)];
    if (text) yield { key: name, kind: 'text', bytes: utf8.encode(text.toString()) };
    if (list) yield { key: name, kind: 'list', bytes: encodeValue(list.values().map(decodeValue)) };
  }
}

function contentOf(value: Uint8Array | BlobRef | undefined): Pick<WinningKey, 'kind' | 'bytes'> {
  if (value instanceof BlobRef) return { kind: 'blob', bytes: fromHex(value.hash) };
  return value ? { kind: 'register', bytes: value } : { kind: 'deleted', bytes: new Uint8Array(0) };
}
