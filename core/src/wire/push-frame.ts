/**
 * Pushes as clients write them: read without a parser for everything that a frame may be, and answered without a writer for it.
 * A parser and a writer for everything would cost more, of a push, than all that becomes of its nodes.
 *
 * What is written in any other way is left to the parser, refusals too: whatever is answered here, the parser says as well.
 */
import { decoded } from './scalars.js';
import type { Encoded, Frame } from './frame.js';

const TEXT = '{"type":"pack","nodes":"';
const REQUEST = '","req_id":';
/** Digits of a `req_id` that is read here: of so many none is rounded. */
const DIGITS = 15;

const BRACE = 0x7d;
const PAD = 0x3d;

/** Base64 that is read here; what is longer is faster read by native code. */
const SHORT = 2048;
/** Memory that bytes of many frames share, as small buffers of Node do: an allocation for each would cost more than reading it. */
const SHARED = 8192;
let shared = new Uint8Array(SHARED);
let used = 0;

const NO_DIGIT = 0x80;
const VALUES = new Uint8Array(128).fill(NO_DIGIT);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (let value = 0; value < 64; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

/** `type: pack` and the name `nodes`, in a map of two fields or three. */
const BINARY = Uint8Array.from([0xa4, ...ascii('type'), 0xa4, ...ascii('pack'), 0xa5, ...ascii('nodes')]);

/** The frame, its nodes as bytes; undefined where the parser has to say. */
export function readPush(encoded: Encoded): Frame | undefined {
  return typeof encoded === 'string' ? readText(encoded) : readBinary(encoded);
}

function readText(text: string): Frame | undefined {
  if (!text.startsWith(TEXT) || text.charCodeAt(text.length - 1) !== BRACE) return undefined;
  const end = text.indexOf('"', TEXT.length);
  const req_id = text.length - end === 2 ? undefined : requestAt(text, end);
  if (end < 0 || req_id === null) return undefined;
  const nodes = end - TEXT.length <= SHORT ? shortBytes(text, TEXT.length, end) : decoded(text.slice(TEXT.length, end));
  if (!nodes) return undefined;
  return req_id === undefined ? { type: 'pack', nodes } : { type: 'pack', nodes, req_id };
}

/** Bytes of a short base64, a view on memory that it shares with others; undefined for what is none. */
function shortBytes(text: string, from: number, end: number): Uint8Array | undefined {
  const length = end - from;
  if ((length & 3) !== 0) return undefined;
  let digits = end;
  while (digits > end - 2 && digits > from && text.charCodeAt(digits - 1) === PAD) digits--;
  const size = (length >> 2) * 3 - (end - digits);
  if (size > shared.length - used) [shared, used] = [new Uint8Array(SHARED), 0];
  const out = shared;
  let at = used;
  let wrong = 0;
  let i = from;
  for (; i + 4 <= digits; i += 4) {
    const a = valueOf(text, i);
    const b = valueOf(text, i + 1);
    const c = valueOf(text, i + 2);
    const d = valueOf(text, i + 3);
    wrong |= a | b | c | d;
    out[at++] = (a << 2) | (b >> 4);
    out[at++] = (b << 4) | (c >> 2);
    out[at++] = (c << 6) | d;
  }
  if (i < digits) {
    const a = valueOf(text, i);
    const b = valueOf(text, i + 1);
    const c = digits - i === 3 ? valueOf(text, i + 2) : 0;
    wrong |= a | b | c;
    out[at++] = (a << 2) | (b >> 4);
    if (digits - i === 3) out[at] = (b << 4) | (c >> 2);
  }
  if ((wrong & NO_DIGIT) !== 0) return undefined;
  const bytes = out.subarray(used, used + size);
  used += size;
  return bytes;
}

function valueOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? VALUES[code]! : NO_DIGIT;
}

/** The number that a request is known by, between the nodes and the last brace; null for what is none. */
function requestAt(text: string, end: number): number | null {
  const from = end + REQUEST.length;
  const digits = text.length - 1 - from;
  if (end < 0 || digits < 1 || digits > DIGITS || !text.startsWith(REQUEST, end)) return null;
  let value = 0;
  for (let at = from; at < text.length - 1; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return digits > 1 && text.charCodeAt(from) === 48 ? null : value;
}

function readBinary(bytes: Uint8Array): Frame | undefined {
  if (bytes[0] !== 0x82 || bytes.length < BINARY.length + 3) return undefined;
  for (let i = 0; i < BINARY.length; i++) if (bytes[i + 1] !== BINARY[i]) return undefined;
  const at = BINARY.length + 1;
  const size = bytes[at] === 0xc4 ? 1 : bytes[at] === 0xc5 ? 2 : bytes[at] === 0xc6 ? 4 : 0;
  if (size === 0) return undefined;
  let length = 0;
  for (let i = at + 1; i <= at + size; i++) length = length * 256 + bytes[i]!;
  const from = at + 1 + size;
  return bytes.length - from === length ? { type: 'pack', nodes: bytes.slice(from) } : undefined;
}

/** JSON of a `pack-ack`: numbers, ids in hex and reasons of a closed set, none of which needs an escape. */
export function ackText(ack: Frame): string {
  const { accepted_count, rejected_count, incoming_count, req_id } = ack;
  const counts = `"accepted_count":${accepted_count as number},"rejected_count":${rejected_count as number},"incoming_count":${incoming_count as number}`;
  let rejected = '';
  for (const { id, reason } of ack['rejected'] as readonly { readonly id: string; readonly reason: string }[])
    rejected += `${rejected === '' ? '' : ','}{"id":"${id}","reason":"${reason}"}`;
  const request = req_id === undefined ? '' : `,"req_id":${JSON.stringify(req_id)}`;
  return `{"type":"pack-ack",${counts},"rejected":[${rejected}]${request}}`;
}

function ascii(text: string): number[] {
  return Array.from(text, (letter) => letter.charCodeAt(0));
}
