/**
 * What the state hash hashes of one key: its path in the tree, and its leaf. [SH1]
 *
 * Each message begins with a tag of its own and says how long each of its parts is, so no two mean the same. One message
 * is made at a time, in memory that is kept.
 */
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { fromHex, toUtf8 } from '../codec/bytes/bytes.js';
import { writeText } from '../codec/bytes/msgpack.js';
import { digestStart } from '../codec/sha256/digest-start.js';
import { DIGEST_BYTES } from '../codec/sha256/words.js';
import { FORM_BLOB, FORM_BYTES } from './register-content.js';
import { BlobRef } from './registers.js';

export type ValueKind = 'register' | 'text' | 'list';

const KIND_CODES: Readonly<Record<ValueKind, number>> = { register: 0, text: 1, list: 2 };
/** Besides the forms of a register. */
const FORM_BLOCKS = 2;
const FORM_MARKED_BLOCKS = 3;

/** A message behind a tag. */
export class Tagged {
  readonly #out = new ByteWriter(256);
  readonly #tagLength: number;

  constructor(tag: string) {
    this.#out.bytes(toUtf8(`${tag}\0`));
    this.#tagLength = this.#out.length;
  }

  /** Begins the next message; answers the writer for it. */
  begin(): ByteWriter {
    this.#out.truncate(this.#tagLength);
    return this.#out;
  }

  digestInto(out: Uint8Array, at: number): void {
    digestStart(this.#out.buffer, this.#out.length, out, at);
  }

  /** Digest of the message, in memory of its own. */
  digest(): Uint8Array {
    const out = new Uint8Array(DIGEST_BYTES);
    this.digestInto(out, 0);
    return out;
  }
}

const path = new Tagged('weft-path-v1');
const leaf = new Tagged('weft-leaf-v1');

/** A key as it stands in canonical nodes: MessagePack. */
function encodedKey(key: string): Uint8Array {
  const out = new ByteWriter(key.length + 5);
  writeText(out, key);
  return out.finish();
}

export function writePath(kind: ValueKind, key: Uint8Array, out: Uint8Array, at: number): void {
  begin(path, kind, key);
  path.digestInto(out, at);
}

/** False, and nothing is written, when `content` says that there is none; it writes form and content. */
export function writeRegisterLeaf(
  key: Uint8Array,
  content: (message: ByteWriter) => boolean,
  out: Uint8Array,
  at: number,
): boolean {
  if (!content(begin(leaf, 'register', key))) return false;
  leaf.digestInto(out, at);
  return true;
}

/** The leaf of a text or list, of the root of its blocks, and of its marks if there are any. [SH3] [SH4] */
export function writeBlocksLeaf(
  kind: ValueKind,
  key: Uint8Array,
  blocks: Uint8Array,
  marks: Uint8Array | undefined,
  out: Uint8Array,
  at: number,
): void {
  const message = begin(leaf, kind, key);
  message.byte(marks ? FORM_MARKED_BLOCKS : FORM_BLOCKS);
  message.bytes(blocks);
  if (marks) message.bytes(marks);
  leaf.digestInto(out, at);
}

/** Path of a key in the tree. */
export function pathOf(kind: ValueKind, key: string): Uint8Array {
  const out = new Uint8Array(DIGEST_BYTES);
  writePath(kind, encodedKey(key), out, 0);
  return out;
}

/** The leaf of a register that holds these MessagePack bytes, or names this blob. */
export function registerLeaf(key: string, value: Uint8Array | BlobRef): Uint8Array {
  const out = new Uint8Array(DIGEST_BYTES);
  const isBlob = value instanceof BlobRef;
  const message = begin(leaf, 'register', encodedKey(key));
  message.byte(isBlob ? FORM_BLOB : FORM_BYTES);
  message.bytes(isBlob ? fromHex(value.hash) : value);
  leaf.digestInto(out, 0);
  return out;
}

function begin(tagged: Tagged, kind: ValueKind, key: Uint8Array): ByteWriter {
  const message = tagged.begin();
  message.byte(KIND_CODES[kind]);
  message.copy(key, 0, key.length);
  return message;
}
