import { expect, it } from 'vitest';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { CHUNK, itemChunks, spanChunks, textChunks } from './shown-value.js';

it.each<[string, number, (length: number) => readonly Uint8Array[]]>([
  ['text', CHUNK.units, (length) => textChunks('x'.repeat(length))],
  ['list', CHUNK.items, (length) => itemChunks(Array.from({ length }, () => encodeValue(1)))],
  ['marked text', CHUNK.spans, (length) => spanChunks(Array.from({ length }, () => ({ units: 1, marks: [] })))],
])('[VR2] a %s has as many chunks as it fills, and none that is empty', (_, size, chunksOf) => {
  for (const [length, chunks] of [
    [0, 0],
    [1, 1],
    [size - 1, 1],
    [size, 1],
    [size + 1, 2],
    [2 * size, 2],
    [2 * size + 1, 3],
  ] as const)
    expect(chunksOf(length).length, `${length}`).toBe(chunks);
});
