/** Digest of rows: one hash over them in their order. [PJ5] */
import { toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { sha256Stream } from '../codec/bytes/hash-stream.js';
import { Pauses } from '../concurrency/pauses.js';
import type { Row } from './rows.js';

const TAG = toUtf8('weft-rows-v1\0');
/** Characters that are hashed as one, and how much work that is. */
const PIECE = 65_536;
const WORK = 256;

const utf8 = new TextEncoder();

export async function digestOf(rows: readonly Row[]): Promise<string> {
  const hash = sha256Stream();
  const pauses = new Pauses();
  hash.update(TAG);
  let piece = '';
  for (const { text, bytes } of rows) {
    piece += `${bytes}:${text}`;
    if (piece.length < PIECE) continue;
    hash.update(utf8.encode(piece));
    if (pauses.due((piece.length / PIECE) * WORK)) await pauses.take();
    piece = '';
  }
  hash.update(utf8.encode(piece));
  return toHex(hash.digest());
}
