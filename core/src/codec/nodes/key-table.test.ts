import { describe, expect, it } from 'vitest';
import { encodeValue } from '../bytes/msgpack.js';
import { KeyTable } from './key-table.js';

const odd = ['a', '\0weft', 'é', '€uro', '😀', 'k'.repeat(31), 'k'.repeat(32), 'k'.repeat(300), '€'.repeat(1365)];
const many = [...odd, ...Array.from({ length: 2000 }, (_, i) => `key-${i}`)];

describe('keys by number', () => {
  it('[ND5] are numbered in the order of their first use, however many there are', () => {
    const table = new KeyTable();
    for (let round = 0; round < 2; round++)
      for (const [number, name] of many.entries()) expect(table.number(name)).toBe(number);
    expect(table.names).toEqual(many);
    for (const [number, name] of many.entries()) {
      expect(table.find(name)).toBe(number);
      const bytes = table.encoded.buffer.subarray(table.start(number), table.end(number));
      expect([...bytes]).toEqual([...encodeValue(name)]);
    }
  });

  it('[ND5] are found from the keys of another table, and added when they are not there', () => {
    const [from, into] = [new KeyTable(), new KeyTable()];
    for (const name of many) from.number(name);
    for (const name of [...many].reverse().slice(0, 1000)) into.number(name);
    for (const [number, name] of many.entries()) expect(into.names[into.numberOf(from, number)]).toBe(name);
    for (const name of many) expect(into.names[into.find(name) ?? -1]).toBe(name);
    expect(into.names).toHaveLength(many.length);
  });

  it('[ND5] that no node may have are refused, and are not there', () => {
    const table = new KeyTable();
    for (const name of ['', '\ud800', 'x'.repeat(4097), '€'.repeat(1366)]) {
      expect(() => table.number(name)).toThrow();
      expect(table.find(name)).toBeUndefined();
    }
    expect(table.names).toEqual([]);
    expect(table.find('a')).toBeUndefined();
  });
});
