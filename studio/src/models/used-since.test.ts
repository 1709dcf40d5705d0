import { expect, it } from 'vitest';
import { usedSince } from './used-since.js';

const before = { inputTokens: 100, cachedInputTokens: 80, outputTokens: 10, microUsd: 5 };

it('is what was told beyond what was told before', () => {
  const told = { inputTokens: 150, cachedInputTokens: 100, cacheWriteTokens: 7, outputTokens: 12, microUsd: 9 };
  expect(usedSince(told, before)).toEqual({
    inputTokens: 50,
    cachedInputTokens: 20,
    cacheWriteTokens: 7,
    outputTokens: 2,
    microUsd: 4,
  });
  expect(usedSince(told, undefined)).toBe(told);
});

it('is all that was told where that is less than before, in whatever it is: the session counts anew', () => {
  for (const field of ['inputTokens', 'cachedInputTokens', 'outputTokens', 'microUsd'] as const) {
    const told = { ...before, inputTokens: 500, [field]: 1 };
    expect(usedSince(told, before)).toBe(told);
  }
});

it('is not known of a run that has told nothing', () => {
  expect(usedSince({ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }, before)).toBeUndefined();
});
