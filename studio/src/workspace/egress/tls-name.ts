/**
 * Name of the server in the first record of TLS (SNI). An allowed host may share its addresses with others, as at a network for
 * delivery of content: a greeting that asks for another one of them is not for that host. Pure; nothing is decrypted.
 */
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
/** A record has no more, with its head. */
export const LONGEST_RECORD = 5 + (1 << 14) + 2048;

export type Greeting =
  /** More bytes are needed. */
  | { readonly kind: 'partial' }
  | { readonly kind: 'not-tls' }
  | { readonly kind: 'tls'; readonly name: string | undefined };

export function greetingOf(bytes: Buffer): Greeting {
  if (bytes.length > 0 && bytes[0] !== HANDSHAKE) return { kind: 'not-tls' };
  if (bytes.length < 5) return { kind: 'partial' };
  const length = bytes.readUInt16BE(3);
  // One record holds the greeting of every client in use; one in pieces could say something else behind the first.
  if (bytes[1] !== 3 || length < 4 || 5 + length > LONGEST_RECORD) return { kind: 'not-tls' };
  if (bytes.length < 5 + length) return { kind: 'partial' };
  try {
    return helloIn(bytes.subarray(5, 5 + length));
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'not-tls' };
    throw error;
  }
}

function helloIn(record: Buffer): Greeting {
  const reader = new Reader(record);
  if (reader.byte() !== CLIENT_HELLO) return { kind: 'not-tls' };
  const hello = new Reader(reader.take((reader.byte() << 16) | reader.short()));
  hello.take(2 + 32);
  hello.take(hello.byte());
  hello.take(hello.short());
  hello.take(hello.byte());
  if (hello.isAtEnd) return { kind: 'tls', name: undefined };
  const extensions = new Reader(hello.take(hello.short()));
  const names: string[] = [];
  while (!extensions.isAtEnd) {
    const kind = extensions.short();
    const body = new Reader(extensions.take(extensions.short()));
    if (kind !== SERVER_NAME) continue;
    const list = new Reader(body.take(body.short()));
    while (!list.isAtEnd) {
      list.byte();
      names.push(list.take(list.short()).toString('latin1').toLowerCase().replace(/\.$/, ''));
    }
  }
  // Two names would leave it to the server which of them counts.
  return names.length > 1 ? { kind: 'not-tls' } : { kind: 'tls', name: names[0] };
}

/** Reads a buffer from its beginning; a RangeError where it ends too soon. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  short(): number {
    return this.take(2).readUInt16BE();
  }

  take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError('it ends too soon');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
