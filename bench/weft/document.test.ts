import { expect, it } from 'vitest';
import { joinHistory, splitHistory } from './document.js';

const genesis = Uint8Array.of(1, 2, 3);
const pack = Uint8Array.of(4, 5, 6, 7);

it('a history comes apart as it was joined, wherever its bytes lie', () => {
  const joined = joinHistory({ genesis, pack });
  const within = new Uint8Array(joined.length + 5);
  within.set(joined, 5);
  for (const bytes of [joined, within.subarray(5)]) {
    expect(Array.from(splitHistory(bytes).genesis)).toEqual([1, 2, 3]);
    expect(Array.from(splitHistory(bytes).pack)).toEqual([4, 5, 6, 7]);
  }
});

it('what is cut short is said to be', () => {
  expect(() => splitHistory(Uint8Array.of(0, 0))).toThrow('begins with the length');
  expect(() => splitHistory(joinHistory({ genesis, pack }).subarray(0, 5))).toThrow('ends within its genesis');
});
