/** What a reader needs to check proofs of values: their bytes, the value root that came with them, and who speaks for the room. [VR5] [VR6] */
import { ByteReader } from '../../codec/bytes/byte-reader.js';
import { DecodeError, fromUtf8, toHex } from '../../codec/bytes/bytes.js';
import { decodeValue } from '../../codec/bytes/msgpack.js';
import { BlobRef } from '../registers.js';
import { ENTRY_KINDS, type EntryPlace, placeOf } from './entry-order.js';
import { type ToldEntry, readEntries, withoutGaps } from './entry-proof.js';
import { readListPart, readTextPart } from './part-proof.js';
import type { ShownSpan, ShownValue } from './shown-value.js';
import { type CheckingSignatures, type SignedValueRoot, openValueRoot } from './value-root.js';

/** Proof as a server answers it. */
export interface ValueProof {
  readonly signed: Uint8Array;
  readonly proof: Uint8Array;
}

/** Whose word counts, and for which room. */
export interface Trusted {
  readonly room: string;
  /** Public keys in hex. */
  readonly authorities: Iterable<string>;
}

export interface ProvenSpan {
  readonly text: string;
  readonly marks: Readonly<Record<string, unknown>>;
}

/** One kind of what a key holds. `value` is undefined where it was not told: of what is too long, parts are proved one by one. */
export interface ProvenEntry {
  readonly key: string;
  readonly kind: 'register' | 'text' | 'list';
  readonly value?: unknown;
  /** Spans of a text, where it shows marks. */
  readonly spans?: readonly ProvenSpan[];
  /** Code units of a text, items of a list. */
  readonly length?: number;
  /** The value as it is hashed, where it was told. */
  readonly shown?: ShownValue;
}

export interface ProvenPage {
  /** The moment that it is of. */
  readonly at: SignedValueRoot;
  /** All that is there from where the page begins, in the order of the bytes of keys, with nothing left out between. */
  readonly entries: readonly ProvenEntry[];
  /** Where the next page begins; undefined when nothing is behind this one. */
  readonly after?: { readonly key: string; readonly kind: ProvenEntry['kind'] };
}

export interface ProvenPart {
  readonly at: SignedValueRoot;
  /** Length of the whole text or list. */
  readonly length: number;
  /** A text, or a list of items. */
  readonly value: string | readonly unknown[];
  readonly spans?: readonly ProvenSpan[];
}

export class ValueProofs {
  readonly #crypto: CheckingSignatures;
  readonly #trusted: Trusted;

  constructor(crypto: CheckingSignatures, trusted: Trusted) {
    this.#crypto = crypto;
    this.#trusted = trusted;
  }

  /** What stands under keys that begin so, behind the entry that a page before has ended with. Undefined for whatever does not prove it. */
  page(
    proof: ValueProof,
    range: { readonly prefix?: string; readonly after?: ProvenPage['after'] },
  ): Promise<ProvenPage | undefined> {
    return unlessHostile(async () => {
      const at = await this.#signed(proof);
      const input = new ByteReader(proof.proof);
      const told = readEntries(input, at.root);
      input.end();
      const prefix = placeOf(range.prefix ?? '', 0).key;
      const from = range.after ? behind(range.after) : { key: prefix, kind: 0 };
      const found = withoutGaps(told, from, ({ place }) => beginsWith(place.key, prefix));
      if (!found) return undefined;
      const entries = found.entries.map(provenEntry);
      const last = entries.at(-1);
      return found.isAll || !last ? { at, entries } : { at, entries, after: { key: last.key, kind: last.kind } };
    });
  }

  /** What one key holds of one kind: its value, or that it holds none. */
  async value(
    proof: ValueProof,
    key: string,
    kind: ProvenEntry['kind'],
  ): Promise<{ readonly at: SignedValueRoot; readonly entry?: ProvenEntry } | undefined> {
    const number = ENTRY_KINDS.indexOf(kind);
    const before = ENTRY_KINDS[number - 1];
    const page = await this.page(proof, { prefix: key, ...(before ? { after: { key, kind: before } } : {}) });
    const [entry] = page?.entries ?? [];
    if (!page) return undefined;
    return entry?.key === key && entry.kind === kind ? { at: page.at, entry } : { at: page.at };
  }

  /** Characters [from, to) of a text, or so many items of a list. */
  part(
    proof: ValueProof,
    part: { readonly key: string; readonly kind: 'text' | 'list'; readonly from: number; readonly to: number },
  ): Promise<ProvenPart | undefined> {
    return unlessHostile(async () => {
      const at = await this.#signed(proof);
      const input = new ByteReader(proof.proof);
      const told = readEntries(input, at.root);
      const kind = ENTRY_KINDS.indexOf(part.kind);
      const place = placeOf(part.key, kind);
      const entry = told.find((one): one is ToldEntry => one !== 'gap' && isAt(one, place));
      const summary = entry?.summary;
      if (!summary || !('root' in summary)) return undefined;
      const { from, to } = part;
      if (!(from <= to && to <= summary.length)) return undefined; // no chunk begins before 0
      if (part.kind === 'list') {
        const items = readListPart(input, summary, from, to);
        input.end();
        return { at, length: summary.length, value: items.map(decodeValue) };
      }
      const { text, spans } = readTextPart(input, summary, from, to);
      input.end();
      const plain = { at, length: summary.length, value: text };
      return summary.spans ? { ...plain, spans: spansOf(text, spans) } : plain;
    });
  }

  async #signed({ signed }: ValueProof): Promise<SignedValueRoot> {
    const at = await openValueRoot(signed, this.#trusted.authorities, this.#crypto);
    if (at.room !== this.#trusted.room)
      throw new DecodeError(`a value root of ${at.room}, not of ${this.#trusted.room}`);
    return at;
  }
}

async function unlessHostile<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function behind({ key, kind }: { readonly key: string; readonly kind: ProvenEntry['kind'] }): EntryPlace {
  return placeOf(key, ENTRY_KINDS.indexOf(kind) + 1);
}

function isAt({ place }: ToldEntry, wanted: EntryPlace): boolean {
  return place.kind === wanted.kind && place.key.length === wanted.key.length && beginsWith(place.key, wanted.key);
}

function beginsWith(key: Uint8Array, prefix: Uint8Array): boolean {
  return key.length >= prefix.length && prefix.every((byte, at) => key[at] === byte);
}

function provenEntry({ place, whole, summary }: ToldEntry): ProvenEntry {
  const kind = ENTRY_KINDS[place.kind];
  if (!kind) throw new DecodeError(`unknown kind ${place.kind} of an entry`);
  const named = { key: fromUtf8(place.key), kind };
  if (whole) return { ...named, ...toldOf(whole), shown: whole };
  return summary && 'root' in summary ? { ...named, length: summary.length } : named;
}

function toldOf(whole: ShownValue): Pick<ProvenEntry, 'value' | 'spans' | 'length'> {
  switch (whole.form) {
    case 'bytes':
      return { value: decodeValue(whole.bytes) };
    case 'blob':
      return { value: new BlobRef(toHex(whole.hash)) };
    case 'list':
      return { value: whole.items.map(decodeValue), length: whole.items.length };
    case 'text': {
      const { text, spans } = whole;
      const plain = { value: text, length: text.length };
      return spans.length === 0 ? plain : { ...plain, spans: spansOf(text, spans) };
    }
  }
}

function spansOf(text: string, spans: readonly ShownSpan[]): ProvenSpan[] {
  let at = 0;
  return spans.map(({ units, marks }) => {
    const part = text.slice(at, at + units);
    at += units;
    return { text: part, marks: Object.fromEntries(marks.map(([name, value]) => [name, decodeValue(value)])) };
  });
}
