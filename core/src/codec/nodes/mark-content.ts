/** What a mark says, as bytes: its name and its value. [ND6] */
import { ByteReader } from '../bytes/byte-reader.js';
import { ByteWriter } from '../bytes/byte-writer.js';
import { readText, writeText } from '../bytes/msgpack.js';
import { readMark } from './canonical-node.js';

/** Content of a mark: its name and its value, both MessagePack. Refused when either is too long, or no value. */
export function markContent(name: string, value: Uint8Array): Uint8Array {
  const out = new ByteWriter(name.length + value.length + 5);
  writeText(out, name);
  out.bytes(value);
  const content = out.finish();
  const input = new ByteReader(content);
  readMark(input, content);
  input.end();
  return content;
}

/** Name and value of a mark, the value as a view. */
export function markOf(content: Uint8Array): { readonly name: string; readonly value: Uint8Array } {
  const input = new ByteReader(content);
  const name = readText(input);
  return { name, value: content.subarray(input.position) };
}
