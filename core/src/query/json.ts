/** Values of a room as JSON. [PJ4] */
import { toBase64 } from '../codec/bytes/bytes.js';
import { type Json, isList } from '../codec/bytes/canonical-json.js';
import { decodeValue } from '../codec/bytes/msgpack.js';

/** A value that is nested more deeply stands as its bytes. */
const DEPTH = 32;

/** What MessagePack bytes stand for. */
export function jsonOf(bytes: Uint8Array): Json {
  const value = decodeValue(bytes);
  return isWithin(value, DEPTH) ? plain(value) : bytesAsJson(bytes);
}

function bytesAsJson(bytes: Uint8Array): Json {
  return { $b64: toBase64(bytes) };
}

function plain(value: unknown): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return bytesAsJson(value);
  if (value instanceof Date) return Number.isFinite(value.getTime()) ? value.toISOString() : null;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object') return null;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return true;
  return depth > 0 && Object.values(value).every((item) => isWithin(item, depth - 1));
}

/** What a path leads to: names of members, with dots between; `$` is the value itself. Undefined where nothing is. */
export function memberAt(value: Json, path: string): Json | undefined {
  if (path === '$') return value;
  let found: Json = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || isList(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name]!;
  }
  return found;
}
