/**
 * Raw deflate: the runtime's own where there is one that answers at once. Elsewhere, in pages, inflating is the engine's, and what
 * is written at once is not made smaller: who can wait has `deflateLater`.
 *
 * Node's module is looked up at run time, not imported, so that this file loads in a browser.
 */
import { DecodeError } from './bytes.js';
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

/** What a block of bytes that are not made smaller holds at most, and what stands before them. */
const STORED_BYTES = 0xffff;
const STORED_HEAD = 5;

/** Raw deflate that makes nothing smaller. */
export const storedDeflate: Deflate = (body) => {
  const blocks = Math.max(1, Math.ceil(body.length / STORED_BYTES));
  const out = new Uint8Array(body.length + blocks * STORED_HEAD);
  for (let block = 0, at = 0; block < blocks; block++) {
    const bytes = body.subarray(block * STORED_BYTES, (block + 1) * STORED_BYTES);
    const { length } = bytes;
    out.set([Number(block === blocks - 1), length, length >> 8, ~length, ~length >> 8], at);
    out.set(bytes, at + STORED_HEAD);
    at += STORED_HEAD + length;
  }
  return out;
};

export const deflate: Deflate = native ? (body) => native.deflateRawSync(body, { level: LEVEL }) : storedDeflate;

/** Deflates where that can be had by waiting alone; undefined where `deflate` has done it, or nothing can. */
export function deflateLater(body: Uint8Array): Promise<Uint8Array | undefined> {
  return native ? Promise.resolve(undefined) : streamedDeflate(body);
}

/** By a stream of the platform; undefined in browsers that have none. */
export async function streamedDeflate(body: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const deflating = new CompressionStream('deflate-raw');
    const deflated = new Response(new Blob([body as Uint8Array<ArrayBuffer>]).stream().pipeThrough(deflating));
    return new Uint8Array(await deflated.arrayBuffer());
  } catch {
    return undefined; // what is not made smaller is as true
  }
}

const fastest: InflateTo = nativeInflate ?? portableInflate;

export const inflateTo: InflateTo = (content, length) => {
  if (length > content.length * MOST) throw new DecodeError('the deflated length is wrong');
  return fastest(content, length);
};
