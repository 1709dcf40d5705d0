/** Readings of a replica, and of the reference model. */
import { type PackedNode, type Replica, type Span, BlobRef, fromHex, richText, toHex } from '@weft/core';
import { KEYS } from './members.js';
import { ReferenceModel } from './reference-model.js';

/** The values of these histories' items are short ASCII texts: a byte of length, then the text. */
const itemOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(1)).toString('latin1');
const valueOf = (replica: Replica, key: string): string | undefined => {
  const { value } = replica.prove(key);
  return value instanceof BlobRef ? `blob:${value.hash}` : value && toHex(value);
};

/** Marks of each character. */
function eachMarked(spans: readonly Span[]): Record<string, unknown>[] {
  return spans.flatMap(({ text, marks }) => text.split('').map(() => marks));
}

const namedItems = (marks: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(marks).map(([name, value]) => [name, itemOf(fromHex(value))]));

export interface Seen {
  readonly keys: readonly string[];
  /** Registers as value and writer. */
  readonly registers: readonly (readonly [string | undefined, string | undefined])[];
  readonly texts: readonly string[];
  /** Marks of each character, by name. */
  readonly marks: readonly Record<string, unknown>[][];
  readonly lists: readonly unknown[][];
  readonly frontier: readonly string[];
}

export function seen(replica: Replica): Seen {
  return {
    keys: [...replica.entries()].map(([key]) => key),
    registers: KEYS.map((key) => [valueOf(replica, key), replica.why(key)?.node]),
    texts: KEYS.map((key) => String(replica.text(key))),
    marks: KEYS.map((key) => eachMarked(richText(replica, key).spans())),
    lists: KEYS.map((key) => replica.list(key).toArray()),
    frontier: replica.frontier,
  };
}

export function meant(nodes: Iterable<PackedNode>): Seen {
  const model = new ReferenceModel(nodes);
  return {
    keys: model.keys.filter((key) => !key.startsWith('\0')),
    registers: KEYS.map((key) => [model.register(key), model.writer(key)]),
    texts: KEYS.map((key) => model.text(key)),
    marks: KEYS.map((key) => model.marks(key).map(namedItems)),
    lists: KEYS.map((key) => model.list(key).map(itemOf)),
    frontier: model.frontier,
  };
}
