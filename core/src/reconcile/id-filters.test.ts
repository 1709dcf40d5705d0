import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError, toHex } from '../codec/bytes/bytes.js';
import { Graph } from '../graph/graph.js';
import { Cells } from './cells.js';
import { IdFilters } from './id-filters.js';
import { columnOf } from './testing/cells.js';
import { twoReplicas } from './testing/random-rooms.js';
import { WrittenRoom, idsOf, lackedBy } from './testing/rooms.js';

const replicas = fc.array(fc.nat(2 ** 30), { maxLength: 120, size: 'max' }).map((numbers) => twoReplicas(numbers));

function longRoom(nodes: number): WrittenRoom {
  const room = new WrittenRoom();
  for (let node = 0; node < nodes; node++) room.write(node % 5);
  return room;
}

const hexOf = (ids: readonly Uint8Array[]): string[] => ids.map(toHex).sort();

describe('filters of ids', () => {
  it('[RC1] have the bytes that are specified', () => {
    const room = new WrittenRoom();
    const node = room.write(0);
    room.graph.settle();
    const id = Buffer.from(room.graph.idOf(node), 'hex');
    const bytes = Buffer.from(new IdFilters(room.graph).encode(1));
    expect(bytes.length).toBe(2 + 160 * 38);
    expect([...bytes.subarray(0, 2)]).toEqual([1, 1]);
    const filled = Array.from({ length: 160 }, (_, cell) => cell).filter(
      (cell) => bytes.readUInt16BE(2 + cell * 38) !== 0,
    );
    expect(filled).toEqual([0, 1, 2, 3].map((n) => n * 40 + Math.floor((id.readUInt32BE(n * 4) * 40) / 2 ** 32)));
    for (const cell of filled) expect(bytes.subarray(4 + cell * 38, 36 + cell * 38)).toEqual(id);
  });

  it('[RC1] tell what each of two replicas lacks', () => {
    fc.assert(
      fc.property(replicas, fc.integer({ min: 2, max: 4 }), ([ours, theirs], size) => {
        const found = new IdFilters(ours).difference(new IdFilters(theirs).encode(size))!;
        expect(hexOf(found.theyHave)).toEqual(lackedBy(theirs, ours));
        expect(idsOf(ours, found.weHave)).toEqual(lackedBy(ours, theirs));
        expect(found.weHave).toEqual(found.weHave.toSorted((a, b) => a - b));
      }),
    );
  });

  it('[RC1] follow the graph, for every size as if made anew', () => {
    const room = longRoom(300);
    const filters = new IdFilters(room.graph);
    room.graph.settle();
    const anew = (size: number): Uint8Array => new IdFilters(room.graph).encode(size);
    for (const size of [1, 0, 3, 2, 0]) {
      expect(filters.encode(size)).toEqual(anew(size));
      for (let i = 0; i < 20; i++) room.write(1);
      const before = filters.encode(size);
      room.graph.settle();
      expect(filters.encode(size)).not.toEqual(before);
      expect(filters.encode(size)).toEqual(anew(size));
    }
    expect(filters.memory).toBe(640 * 40);
  });

  it('[RC1] what may still be taken back is not in them', () => {
    const room = longRoom(10);
    room.graph.settle();
    const filters = new IdFilters(room.graph);
    const other = new IdFilters(room.replica(() => true));
    room.write(2);
    expect(hexOf(filters.difference(other.encode(0))!.theyHave)).toEqual([]);
    const later = room.replica(() => true);
    expect(hexOf(filters.difference(new IdFilters(later).encode(0))!.theyHave)).toHaveLength(1);
  });

  it('[RC1] too small a one does not decode', () => {
    const room = longRoom(500);
    const filters = new IdFilters(room.replica(() => true));
    expect(new IdFilters(new Graph()).difference(filters.encode(0))).toBeUndefined();
    expect(new IdFilters(new Graph()).difference(filters.encode(4))?.theyHave.length).toBe(500);
  });

  it('[RC1] other lengths, versions and sizes are refused', () => {
    const filters = new IdFilters(new Graph());
    const good = filters.encode(0);
    const bad = [
      new Uint8Array(0),
      good.subarray(0, 1),
      good.subarray(0, -1),
      Uint8Array.of(...good, 0),
      good.with(0, 2),
      good.with(1, 1),
      good.with(1, 8),
      good.with(1, 255),
    ];
    for (const bytes of bad) expect(() => filters.difference(bytes)).toThrow(DecodeError);
    for (const size of [-1, 8, 1.5, Number.NaN]) expect(() => filters.encode(size)).toThrow(DecodeError);
  });

  it('[RC1] an id named for the wrong side is no answer', () => {
    const room = longRoom(1);
    const [held, none] = [new IdFilters(room.replica(() => true)), new IdFilters(new Graph())];
    // Counts the other way round: the one id is no longer theirs but ours, or of ours they seem to have one more.
    const turned = held.encode(0);
    const doubled = held.encode(0);
    const [counts, others] = [turned, doubled].map(({ buffer }) => new DataView(buffer));
    for (let at = 2; at < turned.length; at += 38) {
      counts!.setInt16(at, -counts!.getInt16(at));
      if (others!.getInt16(at) === 0) continue;
      others!.setInt16(at, 2);
      doubled.fill(0, at + 2, at + 38);
    }
    expect(none.difference(held.encode(0))).toBeDefined();
    expect(none.difference(turned)).toBeUndefined();
    expect(held.difference(none.encode(0))).toBeDefined();
    expect(held.difference(doubled)).toBeUndefined();
  });

  it('[RC1] changed bytes never give an answer that is wrong and looks right', () => {
    const room = longRoom(120);
    const ours = new IdFilters(room.replica((node) => node % 9 !== 0));
    const good = new IdFilters(room.replica((node) => node < 100)).encode(0);
    expect(ours.difference(good)).toBeDefined();
    fc.assert(
      fc.property(fc.integer({ min: 2, max: good.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        expect(ours.difference(good.with(at, good[at]! ^ flip))).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  it('[RC1] ids that lie in one cell of each quarter do not decode, and cost no more for it', () => {
    const ids = Array.from({ length: 40 }, (_, i) => Int32Array.of(1, 1, 1, 1, i, i, i, i));
    const cells = new Cells(80, 8);
    const bytes = new Uint8Array(2 + 80 * 38);
    bytes[0] = 1;
    for (const id of ids) cells.toggle(id, 0, columnOf([0, 20, 40, 60]), 1);
    cells.writeTo(bytes, 2);
    expect(new IdFilters(new Graph()).difference(bytes)).toBeUndefined();
  });
});
