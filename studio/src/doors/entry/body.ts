/**
 * JSON bodies: bounded by door, in bytes and in values, and parsed in turns. What comes later walks every value, so many small
 * ones hold a host for longer than a few large ones of the same bytes.
 */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { Rejection } from '@weft/core';
import { refusal } from '../../reasons.js';

export interface BodyBounds {
  readonly bytes: number;
  /** Values in it, however small. */
  readonly values: number;
}

export const REST_BODY: BodyBounds = { bytes: 10 << 20, values: 250_000 };
/** Bounds of a tool's call: room for the longest text that a tool takes, escaped. */
export const TOOL_BODY: BodyBounds = { bytes: 5 << 20, values: 50_000 };
/** Bodies up to this size are parsed at once. */
const SMALL_BYTES = 64 << 10;

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Turns of parsing: each waits until the one before has been parsed and others have been served. */
let turns: Promise<unknown> = Promise.resolve();

/**
 * JSON body of a request; undefined when it has none. It is read from node's connection where there is one, which is left whole
 * when a body is refused half way: the answer goes out on it.
 */
export function bodyOf(
  request: Request,
  incoming: IncomingMessage | Http2ServerRequest | undefined,
  bounds = REST_BODY,
): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'HEAD') return Promise.resolve(undefined);
  const body = incoming?.iterator({ destroyOnReturn: false }) ?? request.body;
  return body ? readJson(body as AsyncIterable<Uint8Array>, bounds) : Promise.resolve(undefined);
}

/** Reads JSON; undefined when there is none. */
export async function readJson(
  body: AsyncIterable<Uint8Array>,
  { bytes: most, values: mostValues } = REST_BODY,
): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  const values = new ValueCount(mostValues);
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.byteLength;
      if (size > most) throw tooLarge(most);
      values.add(piece);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof Rejection) throw error;
    // Whoever speaks has gone: nobody hears this, and nothing is wrong here.
    throw refusal('reject.invalid_input', 'the connection broke before the body was whole');
  }
  if (size === 0) return undefined;
  return size <= SMALL_BYTES ? parsed(pieces) : inTurn(() => parsed(pieces));
}

/** Refusal of a body that is too large, or says so. */
export function tooLarge(most: number): Error {
  return refusal('reject.body_too_large', `the body is larger than ${most} bytes`, { most });
}

function parsed(pieces: readonly Uint8Array[]): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces)));
  } catch {
    throw refusal('reject.invalid_input', 'the body is not valid JSON in UTF-8');
  }
}

function inTurn<T>(work: () => T): Promise<T> {
  const turn = turns.then(() => new Promise((resolve) => setImmediate(resolve))).then(work);
  turns = turn.catch(() => undefined);
  return turn;
}

/** Count of the values of a JSON text, as it comes: each but the first of its list or object follows a comma. */
class ValueCount {
  readonly #most: number;
  #count = 0;
  #inText = false;
  #escaped = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(piece: Uint8Array): void {
    // By index: an iterator over bytes takes ten times as long.
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inText) {
        if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) this.#inText = true;
      else if (byte === COMMA || byte === BRACKET || byte === BRACE) this.#count += 1;
    }
    if (this.#count <= this.#most) return;
    throw refusal('reject.body_too_large', `the body holds more than ${this.#most} values`, { mostValues: this.#most });
  }
}
