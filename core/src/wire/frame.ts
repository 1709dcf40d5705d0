/**
 * A frame is an object with a `type`. Bytes in it are bytes; on the wire they are base64 in JSON and themselves in
 * MessagePack. A frame that goes to many peers is encoded once for each of the two.
 */
import { toBase64 } from '../codec/bytes/bytes.js';
import { decodeValue, encodeValue } from '../codec/bytes/msgpack.js';

export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A frame as it travels: text holds JSON, bytes hold MessagePack. [BF1] */
export type Encoded = string | Uint8Array;

export class SharedFrame {
  readonly frame: Frame;
  #text: string | undefined;
  #binary: Uint8Array | undefined;

  constructor(frame: Frame) {
    this.frame = frame;
  }

  encoded(binary: boolean): Encoded {
    return binary ? (this.#binary ??= encodeValue(this.frame)) : (this.#text ??= toJson(this.frame));
  }
}

export function encodeFrame(frame: Frame, binary: boolean): string | Uint8Array<ArrayBuffer> {
  return binary ? encodeValue(frame) : toJson(frame);
}

function toJson(frame: Frame): string {
  return JSON.stringify(plain(frame));
}

/** The value with base64 in place of bytes. What has none is the value itself, which costs no copy. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return toBase64(value);
  if (!hasBytes(value)) return value;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}

function hasBytes(value: object): boolean {
  return Object.values(value).some(
    (field) => typeof field === 'object' && field !== null && (field instanceof Uint8Array || hasBytes(field)),
  );
}

/** The object in a frame, or undefined when it holds none with a string `type`, or is nested too deeply to be passed on. */
export function parseFrame(encoded: Encoded): Frame | undefined {
  const value = typeof encoded === 'string' ? parseJson(encoded) : decodeValue(encoded);
  return isFrame(value) && isWithin(value, DEPTH) ? value : undefined;
}

/** Depth of objects and arrays within each other that every encoder takes. */
export const DEPTH = 60;

export function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return true;
  return depth > 0 && Object.values(value).every((item) => isWithin(item, depth - 1));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFrame(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
