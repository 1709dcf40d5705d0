import { describe, expect, it } from 'vitest';
import { KeyedLane } from './keyed-lane.js';

describe('a keyed lane', () => {
  it('runs work of one key in order, and goes on after a failure', async () => {
    const lane = new KeyedLane();
    const seen: string[] = [];
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const first = lane.inOrder('a', async () => {
      await gate;
      seen.push('first');
      throw new Error('broken');
    });
    const second = lane.inOrder('a', async () => seen.push('second'));
    await lane.inOrder('b', async () => seen.push('other key'));
    open();
    await expect(first).rejects.toThrow('broken');
    await second;
    expect(seen).toEqual(['other key', 'first', 'second']);
  });
});
