import { expect, it } from 'vitest';
import { joined } from './joined.js';
import type { ReasonRow } from './reason-row.js';

const row: ReasonRow = { kind: 'invalid', meaning: 'It is wrong.', recovery: [] };

it('reasons of two subjects are one table, unless both name the same', () => {
  const one = { 'reject.a': row, 'reject.b': row };
  expect(Object.keys(joined(one, { 'reject.c': row }))).toEqual(['reject.a', 'reject.b', 'reject.c']);
  expect(() => joined(one, { 'reject.c': row, 'reject.b': row })).toThrow('named by two subjects of reasons: reject.b');
});
