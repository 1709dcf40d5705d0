import { describe, expect, it } from 'vitest';
import { DecodeError } from '../codec/bytes/bytes.js';
import { NodeTable } from '../codec/nodes/node-table.js';
import { IntColumn } from '../codec/bytes/columns.js';
import { Cells } from './cells.js';
import { estimate } from './estimate.js';
import { newKey, shortIds } from './keyed-ids.js';
import { KeptSymbols, keyedSymbols, readSymbols, symbolCells, writeSymbols } from './symbols.js';
import { bytesOf, columnOf } from './testing/cells.js';
import { WrittenRoom } from './testing/rooms.js';

function cellsOf(first: number, second: number, length: number): number[] {
  const chosen = new IntColumn();
  symbolCells(Int32Array.of(0, first, second), 1, length, chosen);
  return [...chosen.values.subarray(0, chosen.length)];
}

function roomOf(nodes: number): WrittenRoom {
  const room = new WrittenRoom();
  for (let node = 0; node < nodes; node++) room.write(node % 7);
  room.graph.settle();
  return room;
}

describe('symbols', () => {
  it('[RC4] an id goes where the specification says', () => {
    expect(cellsOf(1, 2, 1000)).toEqual([0, 1, 8, 9, 10, 46, 239, 669]);
    expect(cellsOf(0x89abcdef, 0x01234567, 1000)).toEqual([0, 1, 4, 10, 20, 25, 61, 188, 278, 303, 519, 926]);
    expect(cellsOf(0, 0, 1 << 20)).toEqual([0, 98_303]);
    expect(cellsOf(1, 2, 9)).toEqual([0, 1, 8]);
  });

  it('[RC4] fewer of them are the beginning of more, and follow the graph', () => {
    const room = roomOf(400);
    const kept = new KeptSymbols(room.graph);
    const many = kept.asOf(400).upTo(600);
    for (const count of [1, 32, 512, 600])
      expect(bytesOf(kept.asOf(400).upTo(count))).toEqual(bytesOf(many.slice(0, count)));
    for (let node = 0; node < 50; node++) room.write(3);
    room.graph.settle();
    const later = bytesOf(kept.asOf(450).upTo(300));
    expect(later).toEqual(bytesOf(new KeptSymbols(room.graph).asOf(450).upTo(300)));
    expect(later).not.toEqual(bytesOf(many.slice(0, 300)));
    // Symbols of the room as it was: what came later is taken out again.
    expect(bytesOf(kept.asOf(400).upTo(600))).toEqual(bytesOf(many));
    const short = columnOf([...room.graph.table.ids.values.subarray(420 * 8, 420 * 8 + 2)]);
    expect(kept.asOf(450).nodesOf(short)).toEqual([[420]]);
    expect(kept.asOf(400).nodesOf(short)).toEqual([[]]);
    expect(kept.memory).toBe(2048 * 16);
  });

  it('[RC4] bytes are whole symbols', () => {
    const symbols = new KeptSymbols(roomOf(40).graph).asOf(40);
    const bytes = writeSymbols(symbols.upTo(50), 20);
    expect(bytes.length).toBe(30 * 14);
    expect(bytesOf(readSymbols(bytes))).toEqual(bytesOf(symbols.upTo(50).slice(20, 50)));
    expect(() => readSymbols(bytes.subarray(1))).toThrow(DecodeError);
  });

  it.each([0, 3, 20, 150, 2_000])('[RC4] the first 32 estimate a difference of %i', (count) => {
    const estimates = Array.from({ length: 40 }, (_, round) => {
      const cells = new Cells(32, 2);
      for (let n = 0; n < count; n++) {
        const id = Int32Array.of(Math.imul(n + 1, 0x9e3779b1) ^ round, Math.imul(n + 7, 0x85ebca6b));
        const chosen = new IntColumn();
        symbolCells(id, 0, 32, chosen);
        cells.toggle(id, 0, chosen, n % 3 === 0 ? 1 : -1);
      }
      return estimate(cells, cells.countAt(0));
    }).sort((a, b) => a - b);
    expect(estimates[20]).toBeGreaterThan(count * 0.75);
    expect(estimates[20]).toBeLessThan(count * 1.25 + 2);
  });

  it('[RC5] short ids are HalfSipHash under the key', () => {
    const table = new NodeTable();
    for (let i = 0; i < 16; i++) table.ids.push(i % 8);
    const short = shortIds(table, 2, [0x01020304, 0x05060708]);
    expect([...short].map((word) => word >>> 0)).toEqual([0xa7e44d12, 0x06da546f, 0xa7e44d12, 0x06da546f]);
    expect(shortIds(table, 1, [0x01020304, 0x05060709])).not.toEqual(short.slice(0, 2));
    expect(newKey()).not.toEqual(newKey());
  });

  it('[RC5] symbols under a key tell whom a short id means', () => {
    const { graph } = roomOf(60);
    const key = newKey();
    const symbols = keyedSymbols(graph, 50, key);
    const sides = symbols.upTo(100).peel(symbolCells)!;
    expect(sides.theirs.length).toBe(100);
    expect(
      symbols
        .nodesOf(sides.theirs)
        .flat()
        .sort((a, b) => a - b),
    ).toEqual([...new Array(50).keys()]);
    expect(symbols.nodesOf(columnOf([1, 2]))).toEqual([[]]);
    expect(bytesOf(symbols.upTo(30))).toEqual(bytesOf(symbols.upTo(100).slice(0, 30)));
    const other = keyedSymbols(graph, 50, [key[0], key[1] ^ 1]);
    expect(bytesOf(other.upTo(30))).not.toEqual(bytesOf(symbols.upTo(30)));
  });
});
