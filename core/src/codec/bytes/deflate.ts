/**
 * Raw deflate: the runtime's own where there is one, several times as fast, and a portable one elsewhere.
 *
 * Node's module is looked up at run time, not imported, so that this file loads in a browser.
 */
import { Inflate, deflateSync } from 'fflate';
import { DecodeError, concatBytes } from './bytes.js';

export type Deflate = (body: Uint8Array) => Uint8Array;

/** Gives exactly `length` bytes or throws `DecodeError`; more than a few times that is never made on the way. */
export type InflateTo = (content: Uint8Array, length: number) => Uint8Array;

interface NativeZlib {
  deflateRawSync(body: Uint8Array, options: { level: number }): Uint8Array;
  inflateRawSync(
    content: Uint8Array,
    options: { maxOutputLength: number; chunkSize: number; info: true },
  ): { buffer: Uint8Array; engine: { bytesWritten: number } };
}
interface BuiltinModules {
  process?: { getBuiltinModule?(name: 'node:zlib'): NativeZlib | undefined };
}

const LEVEL = 6;
/** Deflate cannot make more of a byte than this. */
const MOST = 1032;
/** What one slice may inflate to beyond the length that is stated: a few times that length, and some. */
const EXCESS = 3;
const SLICE = 1024;

const native = (globalThis as BuiltinModules).process?.getBuiltinModule?.('node:zlib');

export const portableDeflate: Deflate = (body) => deflateSync(body, { level: LEVEL });

/** Fed in slices, so that a bomb is noticed at its first byte too many and costs no more than one slice makes of it. */
export const portableInflate: InflateTo = (content, length) => {
  const body = new Uint8Array(length);
  let at = 0;
  let ended = false;
  const inflater = new Inflate((piece, final) => {
    if (at + piece.length > length) throw new DecodeError('the deflated length is wrong');
    body.set(piece, at);
    at += piece.length;
    ended = final;
  });
  const slice = Math.max(SLICE, Math.floor((length * EXCESS) / MOST));
  try {
    for (let from = 0; from < content.length; from += slice) {
      const to = Math.min(from + slice, content.length);
      inflater.push(content.subarray(from, to), to === content.length);
    }
  } catch (error) {
    throw error instanceof DecodeError ? error : new DecodeError('deflated bytes do not inflate');
  }
  if (!ended || at !== length) throw new DecodeError('the deflated length is wrong');
  return body;
};

const START = 256;

/**
 * At least the first so many bytes, or all that there are. Costs a slice or two, whatever follows: for a look at what is
 * coming.
 */
export function inflateStart(content: Uint8Array, length: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let have = 0;
  const inflater = new Inflate((piece) => {
    pieces.push(piece.slice());
    have += piece.length;
  });
  try {
    for (let from = 0; from < content.length && have < length; from += START)
      inflater.push(content.subarray(from, from + START), from + START >= content.length);
  } catch {
    throw new DecodeError('deflated bytes do not inflate');
  }
  return concatBytes(pieces);
}

function nativeInflateBy({ inflateRawSync }: NativeZlib): InflateTo {
  return (content, length) => {
    let inflated: ReturnType<NativeZlib['inflateRawSync']>;
    try {
      // A little more than is expected: one chunk holds it all.
      const options = { maxOutputLength: Math.max(1, length), chunkSize: length + 64, info: true } as const;
      inflated = inflateRawSync(content, options);
    } catch (error) {
      const isTooLong = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
      throw new DecodeError(isTooLong ? 'the deflated length is wrong' : 'deflated bytes do not inflate');
    }
    const { buffer, engine } = inflated;
    if (buffer.length !== length || engine.bytesWritten !== content.length)
      throw new DecodeError('the deflated length is wrong');
    return new Uint8Array(buffer.buffer, buffer.byteOffset, length);
  };
}

export const nativeInflate: InflateTo | undefined = native && nativeInflateBy(native);

export const deflate: Deflate = native ? (body) => native.deflateRawSync(body, { level: LEVEL }) : portableDeflate;

const fastest: InflateTo = nativeInflate ?? portableInflate;

export const inflateTo: InflateTo = (content, length) => {
  if (length > content.length * MOST) throw new DecodeError('the deflated length is wrong');
  return fastest(content, length);
};
