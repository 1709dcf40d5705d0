import { expect, it } from 'vitest';
import { inShort } from './event-short.js';

it('calls a turn by its number, leaves other ids out, and takes the first texts', () => {
  const workUnitId = 'wu-0123456789abcdef0123456789abcdef';
  const short = (payload: unknown): string => inShort(JSON.stringify(payload));
  expect(short({ logId: `log-${workUnitId}-1-3`, workUnitId, stopReason: 'end' })).toBe('turn 3 · end');
  expect(short({ logId: `log-${workUnitId}-2-1`, workUnitId })).toBe('turn 1');
  expect(short({ logId: 'log-0123456789abcdef', goal: 'fly', a: 'b', n: 1, c: 'c', d: 'd' })).toBe('fly · b · c');
  expect(short({ goal: 'log-in-by-3 fails' })).toBe('log-in-by-3 fails');
  expect(short({ logId: `log-${workUnitId}-1-3`, text: '', why: ' ', stop: 'calls' })).toBe('turn 3 · calls');
  expect(short(null)).toBe('');
});
