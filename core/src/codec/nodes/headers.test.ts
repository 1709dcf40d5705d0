import { describe, expect, it } from 'vitest';
import { ByteReader } from '../bytes/byte-reader.js';
import { ByteWriter } from '../bytes/byte-writer.js';
import { DecodeError } from '../bytes/bytes.js';
import { MOST_ELEMENTS } from './canonical-node.js';
import { HeaderReader } from './headers.js';

/** A table of headers: how many nodes stand between each and the one before, and how many elements it inserts. */
function reader(nodes: number, ...headers: readonly (readonly [skipped: number, elements: number])[]): HeaderReader {
  const out = new ByteWriter();
  out.varint(headers.length);
  for (const [skipped, elements] of headers) {
    out.varint(skipped);
    out.varint(elements);
    out.bytes(new Uint8Array(32));
  }
  return new HeaderReader(new ByteReader(out.finish()), nodes);
}

describe('headers of a pack', () => {
  it('[HD1] are of its nodes, up to the last', () => {
    expect(reader(1, [0, 7]).elementsAt(0)).toBe(7);
    const last = reader(4, [3, 0]);
    expect([0, 1, 2, 3].map((index) => last.elementsAt(index))).toEqual([undefined, undefined, undefined, 0]);
    expect(() => reader(3, [3, 0])).toThrow(DecodeError);
    expect(() => reader(3, [0, 0], [2, 0])).toThrow(DecodeError);
    expect(() => reader(3, [0, 0], [1, 0])).not.toThrow();
  });

  it('[HD1] are none of a pack without, and at least one of a pack with a table of them', () => {
    expect(new HeaderReader(undefined, 3).elementsAt(0)).toBeUndefined();
    expect(() => reader(3)).toThrow(DecodeError);
  });

  it('[HD1] insert no more elements than there may be', () => {
    expect(reader(1, [0, MOST_ELEMENTS]).elementsAt(0)).toBe(MOST_ELEMENTS);
    expect(() => reader(1, [0, MOST_ELEMENTS + 1])).toThrow(DecodeError);
  });
});
