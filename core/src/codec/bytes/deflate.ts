/**
 * Raw deflate: the runtime's own where there is one, several times as fast, and a portable one elsewhere.
 *
 * Node's module is looked up at run time, not imported, so that this file loads in a browser.
 */
import { DecodeError } from './bytes.js';
import { deflateRaw } from './deflater.js';
import { inflateInto } from './inflate.js';

export type Deflate = (body: Uint8Array) => Uint8Array;

/** Gives exactly `length` bytes or throws `DecodeError`; more than that is never made on the way. */
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
const native = (globalThis as BuiltinModules).process?.getBuiltinModule?.('node:zlib');

export const portableDeflate: Deflate = deflateRaw;

export const portableInflate: InflateTo = (content, length) => {
  const body = new Uint8Array(length);
  inflateInto(content, body);
  return body;
};

/** The first so many bytes, or all that there are, whatever follows: for a look at what is coming. */
export function inflateStart(content: Uint8Array, length: number): Uint8Array {
  const start = new Uint8Array(length);
  return start.subarray(0, inflateInto(content, start, true));
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
