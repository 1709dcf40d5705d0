/** One hash over rows in their order. [PJ5] */
import { ByteWriter } from '../codec/byte-writer.js';
import { toHex, toUtf8 } from '../codec/bytes.js';
import { sha256Stream } from '../codec/hash.js';
import { Pauses } from '../room/pauses.js';
import { type Row, kindCode } from './rows.js';

const TAG = toUtf8('weft-rows-v1\0');
/** Bytes that are hashed between two breaks are about this many units of work. */
const BYTES_PER_UNIT = 256;

const utf8 = new TextEncoder();

export async function digestOf(rows: readonly Row[]): Promise<string> {
  const hash = sha256Stream();
  const pauses = new Pauses();
  const out = new ByteWriter(1024);
  hash.update(TAG);
  for (const row of rows) {
    const [key, json] = [utf8.encode(row.key), utf8.encode(row.json)];
    out.reset();
    out.byte(kindCode(row));
    out.uint(key.length, 4);
    out.bytes(key);
    out.uint(json.length, 4);
    out.bytes(json);
    hash.update(out.view());
    if (pauses.due(1 + out.length / BYTES_PER_UNIT)) await pauses.take();
  }
  return toHex(hash.digest());
}
