/** Keys by number, in order of first use: a key is checked and encoded once, whatever the number of ops that name it. */
import { ByteWriter } from './byte-writer.js';
import { DecodeError } from './bytes.js';
import { writeText } from './msgpack.js';

export const KEY_BYTES = 4096;

const utf8 = new TextEncoder();
/** A key of so many UTF-16 units fits, whatever they are. */
const SHORT_KEY = KEY_BYTES / 3;

export class KeyTable {
  readonly names: string[] = [];
  /** As they stand in canonical bytes: MessagePack. */
  readonly encoded: Uint8Array[] = [];
  readonly #numbers = new Map<string, number>();

  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** Throws `DecodeError` for what is no key. [ND5] */
  number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    checkKey(name);
    const out = new ByteWriter(name.length * 3 + 5);
    writeText(out, name);
    this.#numbers.set(name, this.names.length);
    this.names.push(name);
    this.encoded.push(out.finish());
    return this.names.length - 1;
  }
}

export function checkKey(key: string): void {
  if (key.length === 0) throw new DecodeError('a key is empty');
  if (key.length <= SHORT_KEY) return;
  const bytes = key.length > KEY_BYTES ? key.length : utf8.encode(key).length;
  if (bytes > KEY_BYTES) throw new DecodeError('a key exceeds 4,096 bytes');
}
