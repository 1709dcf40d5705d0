/** Byte strings: comparing, joining, hex, base64 and UTF-8. Decoders return a value or throw `DecodeError`. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const HEX_DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(bytes: Uint8Array): string {
  const node = nodeBuffer();
  if (node) return node.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  let out = '';
  for (const byte of bytes) out += HEX_DIGITS[byte];
  return out;
}

/** Either case is accepted. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw new DecodeError('not hex');
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i++) {
    const byte = (nibble(text.charCodeAt(i * 2)) << 4) | nibble(text.charCodeAt(i * 2 + 1));
    if (byte < 0) throw new DecodeError('not hex');
    out[i] = byte;
  }
  return out;
}

/** Negative for anything but a hex digit. */
function nibble(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** `Uint8Array.prototype.toBase64` where the engine has it, `btoa` over slices elsewhere. */
export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as { toBase64?: () => string }).toBase64;
  if (native) return native.call(bytes);
  const node = nodeBuffer();
  if (node) return node.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  let binary = '';
  for (let i = 0; i < bytes.length; i += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(binary);
}

// A search for one bad character: a pattern of groups would overflow the stack on long texts.
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** Standard alphabet with padding, nothing else. */
export function fromBase64(text: string): Uint8Array {
  const body = text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
  if (text.length % 4 !== 0 || NOT_BASE64.test(body)) throw new DecodeError('not base64');
  const node = nodeBuffer();
  if (node) {
    const buffer = node.from(text, 'base64');
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let i = 0; i < out.length; i++) out[i] = binary.charCodeAt(i);
  return out;
}

/** 32 bytes in the alphabet of URLs, without padding: an id or half of a key. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
}

export function fromBase64Url(text: string): Uint8Array {
  return fromBase64(`${text.replaceAll('-', '+').replaceAll('_', '/')}=`);
}

interface BufferConstructorLike {
  from(text: string, encoding: 'base64'): Uint8Array;
  from(buffer: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64' | 'hex'): string };
}

// Node's Buffer is 20 times faster than atob; it is looked up, not imported, so that browsers can load this file.
function nodeBuffer(): BufferConstructorLike | undefined {
  return (globalThis as { Buffer?: BufferConstructorLike }).Buffer;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Refuses lone surrogates: they have no UTF-8 form, and a silent replacement would change a key. */
export function toUtf8(text: string): Uint8Array {
  if (/\p{Surrogate}/u.test(text)) throw new DecodeError('text holds a lone surrogate');
  return encoder.encode(text);
}

/** How many UTF-16 code units valid UTF-8 stands for; throws for any other bytes. */
export function utf16Length(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) if (bytes[i]! > 0x7f) return fromUtf8(bytes.subarray(from, to)).length;
  return to - from;
}

export function fromUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new DecodeError('not valid UTF-8');
  }
}
