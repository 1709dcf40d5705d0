import { expect, it, onTestFinished, vi } from 'vitest';
import { Written } from './written.js';

it('what is written is told in pieces, the end of much, and a failure at the end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const written = new Written((text) => Promise.resolve(void told.push(text)));
  written.add('one');
  written.add(' two');
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).toEqual(['one two']);
  written.add('x'.repeat(10_000) + 'end');
  await written.end();
  expect(told[1]).toHaveLength(4096);
  expect(told[1]?.endsWith('xend')).toBe(true);
  for (let i = 0; i < 100; i++) {
    written.add('more');
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(told).toHaveLength(60);
  const broken = new Written(() => Promise.reject(new Error('no room')));
  broken.add('one');
  await expect(broken.end()).rejects.toThrow('no room');
});
