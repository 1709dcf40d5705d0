/**
 * Headers in packs: nodes of which a pack has the id, the links and how many elements they insert, but not the ops. [HD]
 *
 * Whoever may not see a node, or did not ask for it, can still place what stands on it. Nothing of a header can be
 * computed again, so a pack with headers carries the word of a room's authority: a signature over all of them.
 */
import { ByteReader } from '../bytes/byte-reader.js';
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError } from '../bytes/bytes.js';
import { DIGEST_WORDS, readWords } from '../sha256/words.js';
import { ID_BYTES, MOST_ELEMENTS, writeOps } from './canonical-node.js';
import { NONE, type NodeTable } from './node-table.js';

const NO_ID = new Uint8Array(ID_BYTES);

/** Attestation: who says that the headers of a pack are true. */
export interface Attestation {
  /** Public key of the authority. */
  readonly authority: Uint8Array;
  readonly signature: Uint8Array;
  /** What makes that key speak, unless it is a root of the genesis: see `certificateOf`. */
  readonly certificate?: Uint8Array;
}

/** Which nodes of a pack to be written are headers. */
export interface Headers {
  has(place: number): boolean;
  /** Whether the reader is told what is left of the ops of a header; never where it is absent. */
  tells?(place: number): boolean;
}

/** Whether a header is told with what is left of its ops. [VE5] */
export function isToldWithOps(table: NodeTable, headers: Headers, place: number): boolean {
  return table.hasRemains(place) && (headers.tells?.(place) ?? false);
}

export class HeaderWriter {
  readonly #table: NodeTable;
  readonly #rows = new ByteWriter(256);
  #count = 0;
  #before = -1;

  constructor(table: NodeTable) {
    this.#table = table;
  }

  /** The node at a place stands at `index` of the pack. */
  add(place: number, index: number): void {
    this.#rows.varint(index - this.#before - 1);
    this.#rows.varint(this.#table.elementsOf(place));
    this.#rows.digest(this.#table.idWords(place), this.#table.idAt(place));
    this.#before = index;
    this.#count++;
  }

  finish(out: ByteWriter): void {
    out.varint(this.#count);
    out.bytes(this.#rows.view());
  }
}

/** Reads headers from the front, where they lie. */
export class HeaderReader {
  readonly #rows: ByteReader;
  #left = 0;
  /** The header that comes next: its index in the pack, and how many elements it inserts. */
  #index = -1;
  #elements = 0;

  /** Reads the headers of a pack of so many nodes; without a table of headers, it has none. */
  constructor(input: ByteReader | undefined, nodes: number) {
    this.#rows = input ? new ByteReader(input.source, input.position) : new ByteReader(NO_ID);
    if (!input) return;
    const count = input.count(2 + ID_BYTES, nodes);
    if (count === 0) throw new DecodeError('a table of headers is empty');
    for (let left = count, index = -1; left > 0; left--) {
      index += 1 + input.varint();
      if (index >= nodes) throw new DecodeError('a header names no node of the pack');
      if (input.varint() > MOST_ELEMENTS) throw new DecodeError('a header counts more elements than there are');
      input.skip(ID_BYTES);
    }
    this.#left = this.#rows.varint();
    this.#read();
  }

  /** How many elements the node that comes next inserts, if it is a header; else undefined. */
  elementsAt(index: number): number | undefined {
    return this.#left > 0 && this.#index === index ? this.#elements : undefined;
  }

  /** Gives the table the id of that header. */
  takeId({ ids }: NodeTable): void {
    ids.reserve(DIGEST_WORDS);
    readWords(this.#rows.source, this.#rows.skip(ID_BYTES), ids.values, ids.length, ids.length + DIGEST_WORDS);
    ids.length += DIGEST_WORDS;
    this.#left--;
    this.#read();
  }

  #read(): void {
    if (this.#left === 0) return;
    this.#index += 1 + this.#rows.varint();
    this.#elements = this.#rows.varint();
  }
}

/** What an authority signs of headers: all that they say, whatever pack they stand in. `opsOf`: which of them say what is left of their ops. */
export function attestedBytes(table: NodeTable, places: Iterable<number>, opsOf?: Headers): Uint8Array {
  const out = new ByteWriter(1024);
  for (const place of places) {
    const { room, author } = table.identities.list[table.identity.get(place)]!;
    const [parent, parentsEnd] = [table.firstParent(place), table.parentsEnd.get(place)];
    out.digest(table.idWords(place), table.idAt(place));
    out.bytes(room);
    out.bytes(author);
    writeRef(out, table, table.prev.get(place));
    out.uint(table.elementsOf(place), 4);
    out.uint(parentsEnd - parent, 4);
    for (let i = parent; i < parentsEnd; i++) writeRef(out, table, table.parents.get(i));
    if (!opsOf) continue;
    const ops = new ByteWriter(256);
    if (isToldWithOps(table, opsOf, place)) writeOps(ops, table, place);
    out.uint(ops.length, 4);
    out.bytes(ops.view());
  }
  return out.finish();
}

function writeRef(out: ByteWriter, table: NodeTable, ref: number): void {
  if (ref === NONE) out.bytes(NO_ID);
  else out.digest(table.idWords(ref), table.idAt(ref));
}
